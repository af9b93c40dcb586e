/* SPDX-License-Identifier: ISC */
/* Runs lists of commands: refuses them, or writes them to tmux. */
#include "lib/connection/command.h"
#include "lib/connection/connection_parts.h"

/* A list gets one more millisecond of timeout for this number of bytes. */
#define BYTES_PER_MS 1024

static int refusal(const struct muxbus_connection *connection)
{
	if (connection->has_failed)
		return connection->error != 0 ? connection->error : MUXBUS_ERR_CLOSED;
	if (connection->state >= STATE_CLOSING)
		return MUXBUS_ERR_CLOSED;
	return connection->queue.count >= PENDING_MAX ? MUXBUS_ERR_LIMIT : 0;
}

/* Appends a list and its sentinel to the output buffer, whole or not at all. */
static int write_list(struct muxbus_connection *connection, struct muxbus_command *command,
    const struct pending *pending)
{
	const struct buf *text = command_fill(command, pending->nonces);
	struct buf *out = &connection->client.out;
	int error = buf_reserve(
	    out, text->len + sizeof SENTINEL_BEFORE + MUXBUS_NONCE_LEN + sizeof SENTINEL_BEHIND);
	if (error != 0)
		return error == BUF_FULL ? MUXBUS_ERR_LIMIT : MUXBUS_ERR_NOMEM;
	(void)buf_append(out, text->data, text->len); /* cannot fail: the room is reserved */
	(void)buf_append_byte(out, '\n');
	if (!connection->has_cheap_sentinel)
		(void)buf_append(out, SENTINEL_BEFORE, sizeof SENTINEL_BEFORE - 1);
	(void)buf_append(out, pending->nonces[pending->count - 1].text, MUXBUS_NONCE_LEN);
	if (!connection->has_cheap_sentinel)
		(void)buf_append(out, SENTINEL_BEHIND, sizeof SENTINEL_BEHIND - 1);
	(void)buf_append_byte(out, '\n');
	return 0;
}

int connection_run_kept(struct muxbus_connection *connection, struct muxbus_command *command,
    muxbus_reply_fn *reply, void *data, bool is_ordered)
{
	bool was_idle = connection->queue.count == 0;
	size_t before = connection->client.out.len;
	struct pending *pending;
	size_t count;
	int error = refusal(connection);
	if (error == 0)
		error = command_check(command, &count);
	if (error == 0)
		error = pending_make(loop_nonces(connection->loop), count, reply, data, &pending);
	if (error != 0)
		return error;
	error = write_list(connection, command, pending);
	if (error != 0) {
		pending_free(pending);
		return error;
	}
	pending->extra_ms = (unsigned)((connection->client.out.len - before) / BYTES_PER_MS);
	pending->is_ordered = is_ordered;
	pending_append(&connection->queue, pending);
	if (connection->state < STATE_READY || !was_idle)
		return 0;
	connection_begin_first(connection);
	if (!connection->is_reading)
		connection_flush(connection);
	return 0;
}

bool connection_ran_none(
    const struct muxbus_connection *connection, int error, const struct muxbus_reply *replies)
{
	return error == MUXBUS_ERR_CLOSED && connection->was_told_to_end && replies[0].blocks == 0;
}

bool connection_take_hooked(struct muxbus_connection *connection)
{
	bool was_hooked = connection->was_hooked;
	connection->was_hooked = false;
	return was_hooked;
}

bool connection_is_idle(const struct muxbus_connection *connection)
{
	return connection->queue.count == 0;
}

int64_t connection_awaited_ms(const struct muxbus_connection *connection)
{
	int64_t awaited_us = clock_mono_us() - connection->first_since_us;
	return connection_is_idle(connection) ? 0 : awaited_us / 1000;
}

bool connection_may_pass(const struct muxbus_connection *connection)
{
	list_each (const struct pending, pending, &connection->queue.lists, link)
		if (pending->is_ordered)
			return false;
	return true;
}

int muxbus_connection_run(struct muxbus_connection *connection, struct muxbus_command *command,
    muxbus_reply_fn *reply, void *data)
{
	int error = connection_run_kept(connection, command, reply, data, false);
	muxbus_command_free(command);
	return error;
}
