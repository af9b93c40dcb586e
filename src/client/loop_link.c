/* SPDX-License-Identifier: ISC */
#include "client/loop_link.h"

#include "io/loop_timer.h"
#include "wire/message.h"

struct link_pending {
	loop_link_answer_fn *answer;
	void *data;
};

struct loop_link {
	struct event_base *base;
	struct loop_link_options options;
	struct loop_link_handlers handlers;
	struct link *socket; /* NULL while disconnected */
	struct event *readable, *writable;
	struct loop_timer *timer; /* fires to connect again, or to end the link */
	unsigned delay_ms;
	struct map pending; /* requests without a response, by id */
	bool is_ending, is_cut; /* is_cut: the daemon reads no more */
	bool is_paused, is_taking; /* is_taking: take_lines() is running */
};

const char *loop_link_reason(int error)
{
	return error == 0 ? "muxbusd closed the connection" : strerror(error);
}

static void close_link(struct loop_link *link)
{
	if (link->readable != NULL)
		event_free(link->readable);
	if (link->writable != NULL)
		event_free(link->writable);
	link->readable = link->writable = NULL;
	link_close(link->socket);
	link->socket = NULL;
	link->is_ending = link->is_cut = link->is_paused = false;
}

static void forget(struct loop_link *link, bool may_answer)
{
	struct map lost = link->pending;
	map_init(&link->pending);
	map_each (struct link_pending, pending, &lost) {
		if (may_answer)
			pending->answer(pending->data, NULL);
		mem_free(pending);
	}
	map_finish(&lost);
}

/* Handles the loss of the connection. The link may be freed when this returns. */
static void lose(struct loop_link *link, int error)
{
	close_link(link);
	if (!link->options.is_once)
		loop_timer_arm(link->timer, backoff_next_ms(&link->delay_ms));
	forget(link, true);
	link->handlers.down(link->handlers.data, error);
}

static void take_line(struct loop_link *link, const char *line, size_t len)
{
	const struct json *message = link_parse(link->socket, line, len);
	const struct json *method = json_member(message, "method");
	struct link_pending *pending;
	int64_t id;
	if (message == NULL)
		log_warning("muxbusd sent a line that is not JSON");
	if (message == NULL || message_is_ending(message))
		return;
	if (method != NULL) {
		if (link->handlers.event != NULL && method->type == JSON_STRING &&
		    strcmp(method->text, "event") == 0)
			link->handlers.event(link->handlers.data, json_member(message, "params"));
		return;
	}
	if (!json_int(json_member(message, "id"), &id))
		return;
	pending = map_remove(&link->pending, (uint64_t)id);
	if (pending == NULL)
		return;
	pending->answer(pending->data, message);
	mem_free(pending);
}

static void take_lines(struct loop_link *link)
{
	enum link_read read = LINK_LATE;
	const char *line;
	size_t len;
	link->is_taking = true;
	while (!link->is_ending && !link->is_paused &&
	    (read = link_next(link->socket, &line, &len)) == LINK_LINE)
		if (link->handlers.line != NULL)
			link->handlers.line(link->handlers.data, line, len);
		else
			take_line(link, line, len);
	link->is_taking = false;
	if (link_is_lost(read))
		lose(link, read == LINK_END ? 0 : errno);
}

static void on_readable(evutil_socket_t fd UNUSED, short what UNUSED, void *data)
{
	struct loop_link *link = data;
	link_receive(link->socket);
	take_lines(link);
}

/* Sends queued bytes without waiting. If the daemon has closed, reading reports the end. */
static void flush(struct loop_link *link)
{
	link->is_cut |= !link_flush(link->socket);
	if (!link->is_cut && !link_is_flushed(link->socket))
		(void)event_add(link->writable, NULL);
}

static void on_writable(evutil_socket_t fd UNUSED, short what UNUSED, void *data)
{
	flush(data);
}

static void connect_now(struct loop_link *link)
{
	const struct loop_link_options *options = &link->options;
	link->socket = link_try(options->path, options->line_max, LOOP_LINK_UNSENT_MAX);
	if (link->socket == NULL) {
		lose(link, errno);
		return;
	}
	link->readable =
	    event_new(link->base, link_fd(link->socket), EV_READ | EV_PERSIST, on_readable, link);
	link->writable = event_new(link->base, link_fd(link->socket), EV_WRITE, on_writable, link);
	if (link->readable == NULL || link->writable == NULL ||
	    event_add(link->readable, NULL) < 0) {
		lose(link, ENOMEM);
		return;
	}
	link->delay_ms = 0;
	link->handlers.up(link->handlers.data);
}

static void on_timer(void *data)
{
	struct loop_link *link = data;
	if (link->is_ending)
		lose(link, 0);
	else
		connect_now(link);
}

struct loop_link *loop_link_new(struct event_base *base, const struct loop_link_options *options,
    const struct loop_link_handlers *handlers)
{
	struct loop_link *link = xcalloc(1, sizeof *link);
	link->base = base;
	link->options = *options;
	link->options.path = xstrdup(options->path);
	link->handlers = *handlers;
	link->timer = loop_timer_new(base, on_timer, link);
	map_init(&link->pending);
	return link;
}

void loop_link_free(struct loop_link *link)
{
	if (link == NULL)
		return;
	close_link(link);
	forget(link, false);
	loop_timer_free(link->timer);
	mem_free((char *)(uintptr_t)link->options.path);
	mem_free(link);
}

void loop_link_start(struct loop_link *link)
{
	loop_timer_arm(link->timer, 0);
}

void loop_link_end(struct loop_link *link)
{
	link->is_ending = true;
	if (link->readable != NULL)
		(void)event_del(link->readable);
	loop_timer_arm(link->timer, 0);
}

bool loop_link_is_up(const struct loop_link *link)
{
	return link->socket != NULL && !link->is_ending && !link->is_cut;
}

bool loop_link_write(struct loop_link *link, const void *line, size_t len)
{
	if (!loop_link_is_up(link) || !link_queue(link->socket, line, len))
		return false;
	flush(link);
	return true;
}

void loop_link_write_all(struct loop_link *link, const void *line, size_t len)
{
	if (!loop_link_is_up(link) || loop_link_write(link, line, len))
		return;
	event_active(link->readable, EV_READ, 0); /* handles the received lines later */
	if (!link_send_all(link->socket) || !loop_link_write(link, line, len))
		loop_link_end(link);
}

bool loop_link_ask(struct loop_link *link, const char *method, const char *params,
    loop_link_answer_fn *answer, void *data)
{
	uint64_t id = loop_link_is_up(link) ? link_queue_request(link->socket, method, params) : 0;
	struct link_pending *pending;
	if (id == 0)
		return false;
	pending = xcalloc(1, sizeof *pending);
	pending->answer = answer;
	pending->data = data;
	if (map_set(&link->pending, id, pending) < 0) {
		mem_free(pending);
		return false;
	}
	flush(link);
	return true;
}

void loop_link_pause(struct loop_link *link, bool is_paused)
{
	if (link->socket == NULL || link->is_paused == is_paused || link->is_ending)
		return;
	link->is_paused = is_paused;
	if (is_paused) {
		(void)event_del(link->readable);
		return;
	}
	(void)event_add(link->readable, NULL);
	if (!link->is_taking)
		take_lines(link);
}
