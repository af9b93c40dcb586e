/* SPDX-License-Identifier: ISC */
/*
 * One control client and the commands sent to it.
 *
 * States of the connection:
 * - STARTING: the client attaches; its greeting is a block with flags 0
 * - GREETED: waits for %session-changed; until then, tmux has no session for the client
 * - HANDSHAKE: asks for the version, and for the flags that tmux has accepted
 * - READY: lists of commands run
 * - CLOSING: reads pending replies, then asks tmux to detach
 * - FAILED: all reply callbacks were called and the client was killed; waits for its end
 * - ENDED: the closed handler was called; only muxbus_connection_free() is allowed
 *
 * Each list is one line, and its last sentinel the next line, since tmux drops the rest of a line
 * after an error. A cheap sentinel is the nonce alone, an unknown command: the parse error costs
 * tmux less than a command that prints the nonce. While a reply is pending, new lists are
 * collected. They are written together at the end of the next callback of the loop.
 *
 * Public functions call no callbacks, except that muxbus_connection_free() calls the pending reply
 * functions. The closed handler may free the connection.
 */
#include <sys/epoll.h>
#include <sys/socket.h>

#include "lib/connection/connection_parts.h"
#include "lib/library.h"

enum {
	DEFAULT_TIMEOUT_MS = 5000,
	/* Limit of the text before the greeting, which may contain configuration errors. */
	GREETING_MAX = 256 * 1024,
	/* Maximum time between the first sign of an end and the end of both client and output. */
	END_TIMEOUT_MS = 500,
	/* Times of a close: until SIGTERM, then until SIGKILL, then until giving up. */
	DETACH_TIMEOUT_MS = 400,
	TERMINATE_TIMEOUT_MS = 300,
	KILL_TIMEOUT_MS = 200,
	/* If a timer is late by more than this, the machine was suspended. */
	LATE_MS = 500,
};

/* Stores the first failure. end_turn() handles it. */
static void fail(struct muxbus_connection *connection, int error, const char *format, ...)
    MUXBUS_PRINTF(3, 4);
static void fail(struct muxbus_connection *connection, int error, const char *format, ...)
{
	char text[ENDING_TEXT_SIZE];
	va_list args;
	if (connection->has_failed)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	ending_copy_line(connection->reason, text, strlen(text));
	connection->has_failed = true;
	connection->error = connection->state == STATE_CLOSING ? 0 : error;
	if (!connection->is_in_turn)
		loop_timeout_start(&connection->soon, 0);
}

/* Reports the end of a direct client as `tmux -C` does: by an event %exit with the reason. */
static void report_direct_exit(struct muxbus_connection *connection)
{
	const char *reason = connection->client.direct.reason;
	char line[sizeof "%exit " + ENDING_TEXT_SIZE];
	char scratch[sizeof line];
	struct muxbus_event event;
	int len;
	if (connection->client.way == MUXBUS_WAY_PROCESS)
		return;
	ending_copy_line(connection->ending.exit_reason, reason, strlen(reason));
	len = snprintf(line, sizeof line, "%%exit%s%s", *reason != '\0' ? " " : "",
	    connection->ending.exit_reason);
	event_parse(line, (size_t)len, scratch, &event);
	if (connection->state > STATE_STARTING && connection->handlers.event != NULL)
		connection->handlers.event(connection->data, &event);
}

static void fail_at_end(struct muxbus_connection *connection)
{
	const char *reason = "closed";
	int error = 0;
	report_direct_exit(connection);
	connection->was_told_to_end = connection->is_output_over &&
	    (connection->client.way == MUXBUS_WAY_PROCESS
		    ? connection->ending.exit_reason[0] != '\0'
		    : connection->client.direct.is_ending &&
			!connection->client.direct.is_suspended);
	if (connection->state != STATE_CLOSING)
		error = ending_explain(&connection->ending, &connection->client,
		    connection->state > STATE_STARTING, &reason);
	fail(connection, error, "%s", reason);
}

static void on_input_writable(void *data, uint32_t events);

/* Waits until the output and the client have ended: only then is the reason of the end known. */
static void await_end(struct muxbus_connection *connection)
{
	loop_timeout_stop(&connection->deadline);
	if (connection->state < STATE_CLOSING && !loop_timeout_is_running(&connection->end_timer))
		loop_timeout_start(&connection->end_timer, END_TIMEOUT_MS);
}

void connection_flush(struct muxbus_connection *connection)
{
	enum client_sent sent;
	if (connection->input_watch != NULL)
		return;
	sent = client_send(&connection->client);
	if (sent == CLIENT_SENT_BROKEN)
		await_end(connection);
	if (sent == CLIENT_SENT_FULL &&
	    loop_watch(connection->loop, connection->client.input, EPOLLOUT, on_input_writable,
		connection, &connection->input_watch) != 0)
		fail(connection, MUXBUS_ERR_NOMEM, "out of memory");
}

void connection_begin_first(struct muxbus_connection *connection)
{
	const struct pending *first = pending_first(&connection->queue);
	if (first == NULL) {
		loop_timeout_stop(&connection->deadline);
		return;
	}
	if (parser_expect_list(connection->parser, first->nonces, first->count) != 0)
		fail(connection, MUXBUS_ERR_NOMEM, "out of memory");
	connection->first_since_us = clock_mono_us();
	if (!loop_timeout_is_running(&connection->deadline))
		loop_timeout_start(&connection->deadline, connection->options.command_timeout_ms);
}

static void send_detach(struct muxbus_connection *connection)
{
	if (connection->has_asked_to_detach)
		return;
	connection->has_asked_to_detach = true;
	if (buf_append_byte(&connection->client.out, '\n') != 0)
		client_end(&connection->client, SIGTERM);
}

static void on_sentinel(void *data)
{
	struct muxbus_connection *connection = data;
	struct pending *pending =
	    pending_end_command(&connection->queue, parser_sentinel_index(connection->parser));
	if (pending == NULL)
		return;
	if (connection->state >= STATE_READY)
		connection_begin_first(connection);
	pending_answer(&connection->queue, pending);
	if (connection->state == STATE_CLOSING && pending_first(&connection->queue) == NULL)
		send_detach(connection);
}

/* Checks the timeout of the first list. The list may have begun after the timer was started. */
static void check_deadline(struct muxbus_connection *connection)
{
	const struct pending *first = pending_first(&connection->queue);
	int64_t allowed_ms;
	int64_t left_ms;
	if (first == NULL || connection->state == STATE_CLOSING) /* end_timer limits a close */
		return;
	allowed_ms = (int64_t)connection->options.command_timeout_ms + first->extra_ms;
	left_ms = allowed_ms - (clock_mono_us() - connection->first_since_us) / 1000;
	if (left_ms < -LATE_MS) {
		connection->first_since_us = clock_mono_us();
		left_ms = allowed_ms;
	}
	if (left_ms > 0)
		loop_timeout_start(&connection->deadline, left_ms);
	else
		fail(connection, MUXBUS_ERR_TIMEOUT, "tmux did not answer a command within %lld ms",
		    (long long)allowed_ms);
}

/* Returns true if tmux has accepted our flags. tmux ignores flags that it does not know. */
static bool are_flags_taken(
    const struct muxbus_connection *connection, const struct handshake_answer *answer)
{
	if (answer->pid != connection->client.pid) /* tmux runs in another pid namespace */
		return true;
	return handshake_has_flag(answer->flags, "ignore-size") &&
	    (!(connection->options.flags & MUXBUS_CONNECTION_NO_OUTPUT) ||
		handshake_has_flag(answer->flags, "no-output"));
}

static void on_handshake(
    void *data, int error, const struct muxbus_reply *replies, size_t count UNUSED)
{
	struct muxbus_connection *connection = data;
	const char *body = (const char *)replies[0].body;
	struct muxbus_version version;
	struct handshake_answer answer;
	if (connection->state != STATE_HANDSHAKE || connection->has_failed)
		return;
	if (error != 0 && error != MUXBUS_ERR_COMMAND) {
		fail(connection, error, "%s", muxbus_strerror(error));
		return;
	}
	if (!handshake_read_answer(body, &answer)) {
		fail(connection, MUXBUS_ERR_PROTOCOL, "unexpected answer: %s", body);
		return;
	}
	if (muxbus_version_parse(answer.version, &version) != 0) {
		fail(connection, MUXBUS_ERR_VERSION, "tmux version %s", answer.version);
		return;
	}
	if (!are_flags_taken(connection, &answer)) {
		fail(connection, MUXBUS_ERR_VERSION, "tmux %s took only the flags %s",
		    answer.version, answer.flags);
		return;
	}
	connection->has_cheap_sentinel = handshake_is_probe_answered(body, &connection->probe);
	connection->state = STATE_READY;
	loop_timeout_stop(&connection->deadline);
	connection_begin_first(connection);
	if (connection->handlers.ready != NULL)
		connection->handlers.ready(connection->data, &version, answer.session);
}

/* The handshake is the first list. Other lists are sent after its reply. */
static int begin_handshake(struct muxbus_connection *connection)
{
	struct pending *pending = NULL;
	char line[512];
	int error =
	    pending_make(loop_nonces(connection->loop), 1, on_handshake, connection, &pending);
	int len;
	if (error == 0)
		error = nonce_make(loop_nonces(connection->loop), &connection->probe);
	if (error == 0)
		error = parser_expect_list(connection->parser, pending->nonces, 1);
	if (error != 0) {
		pending_free(pending);
		return error;
	}
	pending_prepend(&connection->queue, pending);
	connection->state = STATE_HANDSHAKE;
	len = snprintf(line, sizeof line, "%s\n%s\n" SENTINEL_BEFORE "%s" SENTINEL_BEHIND "\n",
	    handshake_question, connection->probe.text, pending->nonces[0].text);
	/* The socket is new and empty, so a short write means that the socket is broken. */
	if (send(connection->client.input, line, (size_t)len, MSG_NOSIGNAL | MSG_DONTWAIT) != len)
		await_end(connection);
	return 0;
}

static void on_output(void *data, uint32_t pane, const uint8_t *bytes, size_t len, uint64_t age_ms)
{
	struct muxbus_connection *connection = data;
	connection->handlers.output(connection->data, pane, bytes, len, age_ms);
}

static void on_event(void *data, const struct muxbus_event *event)
{
	struct muxbus_connection *connection = data;
	struct muxbus_event known = *event;
	known.is_certain = connection->queue.count == 0;
	if (event->kind == MUXBUS_EVENT_EXIT) {
		ending_copy_line(connection->ending.exit_reason, event->line, event->line_len);
	} else if (event->kind == MUXBUS_EVENT_SESSION_CHANGED &&
	    connection->state == STATE_GREETED) {
		int error = begin_handshake(connection);
		if (error != 0)
			fail(connection, error, "%s", muxbus_strerror(error));
	}
	if (connection->handlers.event != NULL)
		connection->handlers.event(connection->data, &known);
}

static void on_block(void *data, const struct muxbus_block *block)
{
	struct muxbus_connection *connection = data;
	char text[ENDING_TEXT_SIZE];
	if (connection->state != STATE_STARTING) {
		pending_add_block(&connection->queue, block);
		connection->was_hooked |= !block->is_ours && connection->queue.count > 0 &&
		    connection->state == STATE_READY &&
		    clock_mono_us() - connection->first_since_us >= CONNECTION_HOOKED_US;
		if (block->is_ours && connection->handlers.block != NULL)
			connection->handlers.block(connection->data);
	} else if (block->is_error) {
		ending_copy_line(text, (const char *)block->body, block->body_len);
		fail(connection, handshake_error(text, MUXBUS_ERR_CLOSED), "%s", text);
	} else {
		connection->state = STATE_GREETED;
	}
}

static void on_stray(void *data, const char *line, size_t len)
{
	struct muxbus_connection *connection = data;
	char text[ENDING_TEXT_SIZE];
	ending_copy_line(text, line, len);
	if (connection->ending.stray[0] == '\0')
		memcpy(connection->ending.stray, text, sizeof text);
	library_log(MUXBUS_LOG_DEBUG, "tmux wrote outside of replies: %s", text);
}

static void unwatch_streams(struct muxbus_connection *connection)
{
	loop_unwatch(&connection->input_watch);
	loop_unwatch(&connection->output_watch);
	loop_unwatch(&connection->errors_watch);
}

static void stop_watching(struct muxbus_connection *connection)
{
	unwatch_streams(connection);
	loop_timeout_stop(&connection->deadline);
	loop_timeout_stop(&connection->end_timer);
	loop_timeout_stop(&connection->soon);
}

static void enter_failed(struct muxbus_connection *connection)
{
	int error = connection->error;
	if (error == 0) /* muxbus_connection_close(); tmux may have ended the client before */
		error = connection->was_told_to_end && !connection->was_terminated
		    ? MUXBUS_ERR_CLOSED
		    : MUXBUS_ERR_CANCELLED;
	library_log(MUXBUS_LOG_DEBUG, "connection %ld: %s", (long)connection->client.pid,
	    connection->reason);
	connection->state = STATE_FAILED;
	stop_watching(connection);
	client_end(&connection->client, SIGKILL);
	client_close_streams(&connection->client);
	loop_timeout_start(&connection->end_timer, KILL_TIMEOUT_MS);
	pending_fail_all(&connection->queue, error);
}

/* Calls the closed handler, which may free the connection: the caller must not use it again. */
static void enter_ended(struct muxbus_connection *connection)
{
	connection->state = STATE_ENDED;
	stop_watching(connection);
	loop_unwatch(&connection->end_watch);
	if (connection->handlers.closed != NULL)
		connection->handlers.closed(
		    connection->data, connection->error, connection->reason);
}

/* The last call in each callback of the loop, since it may free the connection. */
static void end_turn(struct muxbus_connection *connection)
{
	if (!connection->has_failed && connection->client.has_ended && connection->is_output_over)
		fail_at_end(connection);
	if (!connection->has_failed && connection->state >= STATE_READY)
		connection_flush(connection);
	if (connection->has_failed && connection->state < STATE_FAILED)
		enter_failed(connection);
	connection->is_in_turn = false;
	if (connection->state == STATE_FAILED && connection->client.has_ended)
		enter_ended(connection);
}

static void read_errors(struct muxbus_connection *connection)
{
	if (!ending_read_errors(&connection->ending, &connection->client))
		loop_unwatch(&connection->errors_watch);
}

static void on_output_readable(void *data, uint32_t events);
static void on_errors_readable(void *data, uint32_t events);
static void on_end_news(void *data, uint32_t events);

static int watch_all(struct muxbus_connection *connection)
{
	const struct client *client = &connection->client;
	int error = loop_watch(connection->loop, client->output, EPOLLIN, on_output_readable,
	    connection, &connection->output_watch);
	if (error == 0 && client->errors >= 0)
		error = loop_watch(connection->loop, client->errors, EPOLLIN, on_errors_readable,
		    connection, &connection->errors_watch);
	if (error == 0)
		error = loop_watch(connection->loop, client->handle, EPOLLIN, on_end_news,
		    connection, &connection->end_watch);
	return error;
}

static void unwatch_all(struct muxbus_connection *connection)
{
	unwatch_streams(connection);
	loop_unwatch(&connection->end_watch);
}

static int start_client(struct muxbus_connection *connection, int *spare)
{
	int error;
	unwatch_all(connection);
	client_close(&connection->client);
	error = client_open(&connection->client, &connection->options, spare);
	if (error == 0)
		error = watch_all(connection);
	if (error == 0 && !(connection->options.flags & MUXBUS_CONNECTION_NO_OUTPUT))
		client_widen_output(&connection->client);
	return error;
}

static bool try_next_way(struct muxbus_connection *connection)
{
	int none = -1;
	int error;
	if (connection->state != STATE_STARTING || connection->has_failed ||
	    !client_was_refused(&connection->client, &connection->options.way))
		return false;
	library_log(MUXBUS_LOG_DEBUG, "the server refused a direct client: %s",
	    connection->client.direct.reason);
	connection->is_output_over = false;
	loop_timeout_stop(&connection->end_timer);
	loop_timeout_start(&connection->deadline, connection->options.greeting_timeout_ms);
	error = start_client(connection, &none);
	if (error != 0)
		fail(connection, error, "%s", muxbus_strerror(error));
	return true;
}

static void on_input_writable(void *data, uint32_t events UNUSED)
{
	struct muxbus_connection *connection = data;
	connection->is_in_turn = true;
	loop_unwatch(&connection->input_watch);
	end_turn(connection);
}

static void on_output_readable(void *data, uint32_t events UNUSED)
{
	struct muxbus_connection *connection = data;
	uint8_t *scratch = loop_scratch(connection->loop);
	ssize_t got;
	connection->is_in_turn = true;
	got = read(connection->client.output, scratch, LOOP_SCRATCH_BYTES);
	if (got > 0) {
		int error;
		connection->is_reading = true;
		error = muxbus_parser_feed(connection->parser, scratch, (size_t)got);
		connection->is_reading = false;
		if (error != 0)
			fail(connection, error, "%s", muxbus_strerror(error));
	} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
		connection->is_output_over = true;
		loop_unwatch(&connection->output_watch);
		await_end(connection);
	}
	if (connection->state == STATE_STARTING) {
		struct muxbus_parser_stats stats;
		muxbus_parser_stats(connection->parser, &stats);
		if (stats.bytes > GREETING_MAX)
			fail(connection, MUXBUS_ERR_PROTOCOL, "no greeting, but other text: %s",
			    connection->ending.stray);
	}
	end_turn(connection);
}

static void on_errors_readable(void *data, uint32_t events UNUSED)
{
	struct muxbus_connection *connection = data;
	connection->is_in_turn = true;
	read_errors(connection);
	end_turn(connection);
}

static void on_end_news(void *data, uint32_t events UNUSED)
{
	struct muxbus_connection *connection = data;
	connection->is_in_turn = true;
	if (client_read_end(&connection->client) && !try_next_way(connection)) {
		loop_unwatch(&connection->end_watch);
		if (connection->errors_watch != NULL)
			read_errors(connection);
		await_end(connection);
	}
	end_turn(connection);
}

static void on_deadline(void *data)
{
	struct muxbus_connection *connection = data;
	connection->is_in_turn = true;
	if (connection->state < STATE_READY)
		fail(connection, MUXBUS_ERR_TIMEOUT,
		    "tmux did not greet its control client within %u ms",
		    connection->options.greeting_timeout_ms);
	else
		check_deadline(connection);
	end_turn(connection);
}

static void on_end_timer(void *data)
{
	struct muxbus_connection *connection = data;
	bool is_closing = connection->state == STATE_CLOSING;
	connection->is_in_turn = true;
	if (connection->state == STATE_FAILED) {
		connection->client.has_ended = true; /* do not wait longer */
	} else if (is_closing && !connection->was_terminated) {
		client_end(&connection->client, SIGTERM);
		loop_timeout_start(&connection->end_timer, TERMINATE_TIMEOUT_MS);
		connection->was_terminated = true;
	} else {
		fail_at_end(connection);
	}
	end_turn(connection);
}

static void on_soon(void *data)
{
	struct muxbus_connection *connection = data;
	connection->is_in_turn = true;
	end_turn(connection);
}

static bool is_process_wanted(const struct muxbus_connection_options *options)
{
	const char *attach = getenv("MUXBUS_ATTACH");
	return options->tmux_path != NULL || (attach != NULL && strcmp(attach, "process") == 0);
}

static struct muxbus_connection *connection_new(struct muxbus_loop *loop,
    const struct muxbus_connection_options *options,
    const struct muxbus_connection_handlers *handlers, void *data)
{
	struct muxbus_connection *connection = mem_calloc(1, sizeof *connection);
	if (connection == NULL)
		return NULL;
	connection->loop = loop;
	connection->handlers = *handlers;
	connection->data = data;
	connection->options = *options;
	connection->options.socket_path = mem_strdup(options->socket_path);
	if (connection->options.greeting_timeout_ms == 0)
		connection->options.greeting_timeout_ms = DEFAULT_TIMEOUT_MS;
	if (connection->options.command_timeout_ms == 0)
		connection->options.command_timeout_ms = DEFAULT_TIMEOUT_MS;
	if (is_process_wanted(options))
		connection->options.way = MUXBUS_WAY_PROCESS;
	client_init(&connection->client);
	pending_queue_init(&connection->queue);
	loop_timeout_init(&connection->deadline, loop, on_deadline, connection);
	loop_timeout_init(&connection->end_timer, loop, on_end_timer, connection);
	loop_timeout_init(&connection->soon, loop, on_soon, connection);
	return connection;
}

int muxbus_connection_open(struct muxbus_loop *loop,
    const struct muxbus_connection_options *options,
    const struct muxbus_connection_handlers *handlers, void *data,
    struct muxbus_connection **ret_connection)
{
	int none = -1;
	return connection_open(loop, options, &none, handlers, data, ret_connection);
}

int connection_open(struct muxbus_loop *loop, const struct muxbus_connection_options *options,
    int *spare, const struct muxbus_connection_handlers *handlers, void *data,
    struct muxbus_connection **ret_connection)
{
	const struct muxbus_parser_handlers parser_handlers = {
	    .output = handlers->output != NULL ? on_output : NULL,
	    .event = on_event,
	    .block = on_block,
	    .sentinel = on_sentinel,
	    .stray = on_stray,
	};
	struct muxbus_connection *connection;
	int saved;
	int error;
	if (options->socket_path == NULL)
		return MUXBUS_ERR_INVALID;
	connection = connection_new(loop, options, handlers, data);
	if (connection == NULL)
		return MUXBUS_ERR_NOMEM;
	error = connection->options.socket_path == NULL
	    ? MUXBUS_ERR_NOMEM
	    : muxbus_parser_new(&parser_handlers, connection, &connection->parser);
	if (error == 0)
		error = start_client(connection, spare);
	if (error != 0) {
		saved = errno;
		muxbus_connection_free(connection);
		errno = saved;
		return error;
	}
	connection->options.tmux_path = NULL; /* lent, and no later start needs it */
	loop_timeout_start(&connection->deadline, connection->options.greeting_timeout_ms);
	*ret_connection = connection;
	return 0;
}

pid_t muxbus_connection_pid(const struct muxbus_connection *connection)
{
	return connection->client.pid;
}

enum muxbus_way muxbus_connection_way(const struct muxbus_connection *connection)
{
	return connection->client.way;
}

void muxbus_connection_stats(
    const struct muxbus_connection *connection, struct muxbus_parser_stats *ret_stats)
{
	muxbus_parser_stats(connection->parser, ret_stats);
}

void muxbus_connection_close(struct muxbus_connection *connection)
{
	if (connection->has_failed || connection->state >= STATE_CLOSING)
		return;
	if (connection->state != STATE_READY) {
		fail(connection, 0, "closed");
		return;
	}
	connection->state = STATE_CLOSING;
	loop_timeout_start(&connection->end_timer, DETACH_TIMEOUT_MS);
	if (pending_first(&connection->queue) != NULL)
		return;
	send_detach(connection);
	if (!connection->is_reading)
		connection_flush(connection);
}

void muxbus_connection_free(struct muxbus_connection *connection)
{
	if (connection == NULL)
		return;
	connection->has_failed = true;
	connection->error = MUXBUS_ERR_CANCELLED;
	connection->state = STATE_ENDED;
	stop_watching(connection);
	unwatch_all(connection);
	client_finish(&connection->client);
	pending_fail_all(&connection->queue, MUXBUS_ERR_CANCELLED);
	pending_queue_finish(&connection->queue);
	muxbus_parser_free(connection->parser);
	mem_free((char *)connection->options.socket_path);
	mem_free(connection);
}
