/* SPDX-License-Identifier: ISC */
/*
 * After a failed command, tmux drops the rest of the line with its sentinels. So of the commands
 * whose sentinels are missing, the first one failed and the others were not run. On a connection,
 * the last sentinel of a list has a line of its own. Memory is allocated when a list is accepted,
 * except for the text of replies: a reply whose text finds no memory has MUXBUS_ERR_NOMEM.
 */
#include "lib/connection/pending.h"

#include "lib/connection/command.h"

/* Limit of the text of all replies to a list, and the memory to keep afterwards. */
#define BODIES_MAX ((size_t)MUXBUS_LINE_MAX + 64 * 1024)
#define BODIES_KEEP_BYTES (64 * 1024)

void pending_queue_init(struct pending_queue *queue)
{
	list_init(&queue->lists);
	queue->count = 0;
	buf_init(&queue->bodies, BODIES_MAX);
}

void pending_queue_finish(struct pending_queue *queue)
{
	buf_finish(&queue->bodies);
}

static struct pending *pending_new(size_t count, muxbus_reply_fn *reply, void *data)
{
	size_t size = sizeof(struct pending) + count * sizeof(struct muxbus_reply) +
	    count * sizeof(struct nonce);
	struct pending *pending = mem_calloc(1, size);
	if (pending == NULL)
		return NULL;
	list_init(&pending->link);
	pending->reply = reply;
	pending->data = data;
	pending->count = count;
	pending->replies = (struct muxbus_reply *)(pending + 1);
	pending->nonces = (struct nonce *)(pending->replies + count);
	return pending;
}

int pending_make(struct nonce_pool *pool, size_t count, muxbus_reply_fn *reply, void *data,
    struct pending **ret_pending)
{
	struct pending *pending = pending_new(count, reply, data);
	int error = pending == NULL ? MUXBUS_ERR_NOMEM : 0;
	for (size_t i = 0; error == 0 && i < count; i++)
		error = nonce_make(pool, &pending->nonces[i]);
	if (error != 0)
		pending_free(pending);
	else
		*ret_pending = pending;
	return error;
}

int pending_of(const struct muxbus_command *command, muxbus_reply_fn *reply, void *data,
    struct pending **ret_pending)
{
	size_t count;
	int error = command_check(command, &count);
	if (error != 0)
		return error;
	*ret_pending = pending_new(count, reply, data);
	return *ret_pending != NULL ? 0 : MUXBUS_ERR_NOMEM;
}

void pending_free(struct pending *pending)
{
	mem_free(pending);
}

void pending_append(struct pending_queue *queue, struct pending *pending)
{
	list_append(&queue->lists, &pending->link);
	queue->count++;
}

void pending_prepend(struct pending_queue *queue, struct pending *pending)
{
	list_add_after(&queue->lists, &pending->link);
	queue->count++;
}

struct pending *pending_first(const struct pending_queue *queue)
{
	return list_is_empty(&queue->lists) ? NULL
					    : list_entry(queue->lists.next, struct pending, link);
}

static void take_out(struct pending_queue *queue, struct pending *pending)
{
	list_remove(&pending->link);
	queue->count--;
}

void pending_add_block(struct pending_queue *queue, const struct muxbus_block *block)
{
	struct pending *pending = pending_first(queue);
	struct muxbus_reply *reply;
	int error;
	if (pending == NULL || !block->is_ours)
		return;
	reply = &pending->replies[pending->answered];
	if (reply->blocks++ == 0)
		reply->number = block->number;
	if (block->is_error && reply->error == 0)
		reply->error = MUXBUS_ERR_COMMAND;
	error = buf_append(&queue->bodies, block->body, block->body_len);
	if (error != 0)
		reply->error = error == BUF_FULL ? MUXBUS_ERR_LIMIT : MUXBUS_ERR_NOMEM;
	else
		reply->body_len += block->body_len;
}

static void end_body(struct pending_queue *queue, struct muxbus_reply *reply)
{
	if (buf_append_byte(&queue->bodies, '\0') == 0)
		return;
	queue->bodies.len -= reply->body_len;
	reply->body_len = 0;
	reply->error = MUXBUS_ERR_NOMEM;
}

struct pending *pending_end_command(struct pending_queue *queue, size_t index)
{
	struct pending *pending = pending_first(queue);
	if (pending == NULL || index < pending->answered || index >= pending->count)
		return NULL;
	if (pending->replies[pending->answered].body_len > 0)
		end_body(queue, &pending->replies[pending->answered]);
	while (pending->answered++ < index)
		pending->replies[pending->answered].error = MUXBUS_ERR_SKIPPED;
	if (pending->answered < pending->count)
		return NULL;
	take_out(queue, pending);
	return pending;
}

void pending_reply(
    struct pending *pending, int error, const struct muxbus_reply *replies, size_t count)
{
	if (pending->reply != NULL)
		pending->reply(pending->data, error, replies, count);
	pending_free(pending);
}

void pending_answer(struct pending_queue *queue, struct pending *pending)
{
	const uint8_t *body = queue->bodies.data;
	int error = 0;
	for (size_t i = 0; i < pending->count; i++) {
		struct muxbus_reply *reply = &pending->replies[i];
		reply->body = (const uint8_t *)"";
		if (reply->body_len > 0) {
			reply->body = body;
			body += reply->body_len + 1;
		}
		if (error == 0)
			error = reply->error;
	}
	pending_reply(pending, error, pending->replies, pending->count);
	buf_clear(&queue->bodies);
	buf_shrink(&queue->bodies, BODIES_KEEP_BYTES);
}

void pending_fail(struct pending *pending, int error)
{
	for (size_t i = 0; i < pending->count; i++)
		pending->replies[i] = (struct muxbus_reply){.error = error,
		    .body = (const uint8_t *)"",
		    .blocks = pending->replies[i].blocks};
	pending_reply(pending, error, pending->replies, pending->count);
}

void pending_fail_all(struct pending_queue *queue, int error)
{
	struct pending *pending;
	buf_clear(&queue->bodies);
	while ((pending = pending_first(queue)) != NULL) {
		take_out(queue, pending);
		pending_fail(pending, error);
	}
}
