/* SPDX-License-Identifier: ISC */
/* A client of a daemon on the event loop. */
#include "client/client.h"

#include <errno.h>
#include <event2/event.h>
#include <stdint.h>
#include <string.h>

#include "base/backoff.h"
#include "base/log.h"
#include "base/map.h"
#include "base/xalloc.h"
#include "client/link.h"
#include "io/loop_timer.h"
#include "wire/message.h"

struct pending {
	client_answer_fn *answer;
	void *data;
};

struct client {
	struct event_base *base;
	struct client_options options; /* with a copy of the path */
	struct client_handlers handlers;
	struct link *link; /* NULL: down */
	struct event *readable, *writable;
	struct loop_timer *timer; /* until the next try, or the end that is due */
	unsigned delay_ms;
	struct map pending; /* by id */
	bool is_ending, is_cut; /* the daemon does not read any more */
	bool is_paused, is_taking; /* lines */
};

const char *client_reason(int error)
{
	return error == 0 ? "muxbusd closed the connection" : strerror(error);
}

static void close_link(struct client *client)
{
	if (client->readable != NULL)
		event_free(client->readable);
	if (client->writable != NULL)
		event_free(client->writable);
	client->readable = client->writable = NULL;
	link_close(client->link);
	client->link = NULL;
	client->is_ending = client->is_cut = client->is_paused = false;
}

/* Ends all requests. answer may be called. */
static void forget(struct client *client, bool may_answer)
{
	struct map lost = client->pending;
	size_t cursor = 0;
	uint64_t id;
	void *entry;
	map_init(&client->pending);
	while (map_next(&lost, &cursor, &id, &entry)) {
		struct pending *pending = entry;
		if (may_answer)
			pending->answer(pending->data, NULL);
		mem_free(pending);
	}
	map_finish(&lost);
}

/* The last use of the client: it may be free then. */
static void lose(struct client *client, int error)
{
	close_link(client);
	if (!client->options.is_once)
		loop_timer_arm(client->timer, backoff_next_ms(&client->delay_ms));
	forget(client, true);
	client->handlers.down(client->handlers.data, error);
}

/* The response to one of our requests, or an event. */
static void take_line(struct client *client, const char *line, size_t len)
{
	const struct json *message = link_parse(client->link, line, len);
	const struct json *method = json_member(message, "method");
	struct pending *pending;
	int64_t id;
	if (message == NULL)
		log_warning("muxbusd sent a line that is not JSON");
	if (message == NULL || message_is_ending(message))
		return; /* the connection ends next */
	if (method != NULL) {
		if (client->handlers.event != NULL && method->type == JSON_STRING &&
		    strcmp(method->text, "event") == 0)
			client->handlers.event(
			    client->handlers.data, json_member(message, "params"));
		return;
	}
	if (!json_int(json_member(message, "id"), &id))
		return;
	pending = map_remove(&client->pending, (uint64_t)id);
	if (pending == NULL)
		return;
	pending->answer(pending->data, message);
	mem_free(pending);
}

/* Takes the lines that are there, until a handler pauses or ends the client. */
static void take_lines(struct client *client)
{
	enum link_read read = LINK_LATE;
	const char *line;
	size_t len;
	client->is_taking = true;
	while (!client->is_ending && !client->is_paused &&
	    (read = link_next(client->link, &line, &len)) == LINK_LINE) {
		if (client->handlers.line != NULL)
			client->handlers.line(client->handlers.data, line, len);
		else
			take_line(client, line, len);
	}
	client->is_taking = false;
	if (read == LINK_END || read == LINK_BROKEN)
		lose(client, read == LINK_END ? 0 : errno);
}

static void on_readable(evutil_socket_t fd, short what, void *data)
{
	struct client *client = data;
	(void)fd;
	(void)what;
	link_receive(client->link);
	take_lines(client);
}

/* Sends what the socket takes. If the daemon is gone, reading finds its last lines, and the end. */
static void flush(struct client *client)
{
	client->is_cut |= !link_flush(client->link);
	if (!client->is_cut && !link_is_flushed(client->link))
		(void)event_add(client->writable, NULL);
}

static void on_writable(evutil_socket_t fd, short what, void *data)
{
	(void)fd;
	(void)what;
	flush(data);
}

static void connect_now(struct client *client)
{
	const struct client_options *options = &client->options;
	client->link = link_try(options->path, options->line_max, CLIENT_UNSENT_MAX);
	if (client->link == NULL) {
		lose(client, errno);
		return;
	}
	client->readable = event_new(
	    client->base, link_fd(client->link), EV_READ | EV_PERSIST, on_readable, client);
	client->writable =
	    event_new(client->base, link_fd(client->link), EV_WRITE, on_writable, client);
	if (client->readable == NULL || client->writable == NULL ||
	    event_add(client->readable, NULL) < 0) {
		lose(client, ENOMEM);
		return;
	}
	client->delay_ms = 0;
	client->handlers.up(client->handlers.data);
}

static void on_timer(void *data)
{
	struct client *client = data;
	if (client->is_ending)
		lose(client, 0);
	else
		connect_now(client);
}

struct client *client_new(struct event_base *base, const struct client_options *options,
    const struct client_handlers *handlers)
{
	struct client *client = xcalloc(1, sizeof *client);
	client->base = base;
	client->options = *options;
	client->options.path = xstrdup(options->path);
	client->handlers = *handlers;
	client->timer = loop_timer_new(base, on_timer, client);
	map_init(&client->pending);
	return client;
}

void client_free(struct client *client)
{
	if (client == NULL)
		return;
	close_link(client);
	forget(client, false);
	loop_timer_free(client->timer);
	mem_free((char *)(uintptr_t)client->options.path);
	mem_free(client);
}

void client_start(struct client *client)
{
	loop_timer_arm(client->timer, 0);
}

void client_end(struct client *client)
{
	client->is_ending = true;
	if (client->readable != NULL)
		(void)event_del(client->readable);
	loop_timer_arm(client->timer, 0);
}

bool client_is_up(const struct client *client)
{
	return client->link != NULL && !client->is_ending && !client->is_cut;
}

bool client_write(struct client *client, const void *line, size_t len)
{
	if (!client_is_up(client) || !link_queue(client->link, line, len))
		return false;
	flush(client);
	return true;
}

bool client_ask(struct client *client, const char *method, const char *params,
    client_answer_fn *answer, void *data)
{
	uint64_t id = client_is_up(client) ? link_queue_request(client->link, method, params) : 0;
	struct pending *pending;
	if (id == 0)
		return false;
	pending = xcalloc(1, sizeof *pending);
	pending->answer = answer;
	pending->data = data;
	if (map_set(&client->pending, id, pending) < 0) {
		mem_free(pending);
		return false;
	}
	flush(client);
	return true;
}

size_t client_pending(const struct client *client)
{
	return client->pending.count;
}

void client_pause(struct client *client, bool is_paused)
{
	if (client->link == NULL || client->is_paused == is_paused || client->is_ending)
		return;
	client->is_paused = is_paused;
	if (is_paused) {
		(void)event_del(client->readable);
		return;
	}
	(void)event_add(client->readable, NULL);
	if (!client->is_taking)
		take_lines(client);
}
