/* SPDX-License-Identifier: ISC */
/*
 * A waiting MCP call is answered before the agent's timeout, mostly with "pending": a success that
 * says how the end of the wait reaches the agent, or how to resume the wait.
 */
#include "daemon/mcp/mcp_exchange.h"

#include "daemon/deliver/delivery.h"
#include "daemon/queue/queue.h"
#include "daemon/server/handler.h"
#include "daemon/wait/wait.h"
#include "io/loop_timer.h"

#define RETRY_MS 1000

struct mcp_pending {
	struct daemon *daemon;
	struct request *request;
	int64_t wait_sec;
	struct loop_timer *timer; /* NULL: not started */
	bool is_shortened; /* timeout_sec was shortened by mcp_pending_narrow() */
	/* the request was released before its task, whose end will be a notification */
	bool is_released;
};

struct mcp_pending *mcp_pending_new(const struct mcp_session *session, struct request *request)
{
	struct daemon *daemon = session->mcp->daemon;
	int64_t set_sec = daemon->config->limits.mcp_wait_sec;
	int64_t wait_sec = set_sec > 0 ? set_sec : session->client->wait_sec;
	struct mcp_pending *pending;
	if (wait_sec == 0)
		return NULL;
	pending = xcalloc(1, sizeof *pending);
	*pending = (struct mcp_pending){.daemon = daemon, .request = request, .wait_sec = wait_sec};
	return pending;
}

void mcp_pending_free(struct mcp_pending *pending)
{
	if (pending == NULL)
		return;
	loop_timer_free(pending->timer);
	mem_free(pending);
}

static void write_next(const struct mcp_pending *pending, const char *name,
    const struct pane_ref *pane, char *out, size_t size)
{
	struct way_found found;
	char woken[WAY_TEXT_SIZE + 128];
	delivery_way(pending->daemon->deliveries, pane, &found);
	if (!way_wakes(found.way))
		(void)snprintf(woken, sizeof woken, "; nothing else wakes you (%s)", found.text);
	else
		(void)snprintf(woken, sizeof woken,
		    ", or end your turn: notification %s is %s, and wakes you", name, found.text);
	(void)snprintf(out, size,
	    "Pending: the wait has not ended yet, and continues. Call wait_for "
	    "{\"wait\":\"%s\"} to resume it%s.",
	    name, woken);
}

/* Returns true for methods that give an agent a task, which must not end with the wait. */
static bool is_task(const struct method *method)
{
	return strcmp(method->name, "send_task") == 0 || strcmp(method->name, "respond") == 0;
}

static void put_pending(struct json_writer *writer, const char *message)
{
	json_put_str(writer, "status", "pending");
	json_put_str(writer, "message", message);
}

static void on_time(void *data)
{
	struct mcp_pending *pending = data;
	struct request *request = pending->request;
	struct pane_ref pane;
	char message[1024];
	char copy[WAIT_NAME_MAX + 1];
	const char *name;
	if (is_task(request_method(request))) {
		pending->is_released = true;
		(void)request_release(request); /* answers the request, now or later */
		return;
	}
	(void)requester_pane(request, NULL, &pane);
	name = wait_park(pending->daemon->waits, request, &pane);
	if (name == NULL) { /* the wait has not begun, or there are too many waits */
		loop_timer_arm(pending->timer, RETRY_MS);
		return;
	}
	(void)snprintf(copy, sizeof copy, "%s", name);
	write_next(pending, copy, &pane, message, sizeof message);
	put_pending(request_result(request), message);
	request_done(request);
}

static double *find_timeout(const struct method *method, void *args)
{
	for (const struct field *field = method->fields; field != NULL && field->name; field++)
		if (field->type == FIELD_NUMBER && strcmp(field->name, "timeout_sec") == 0)
			return (double *)(void *)((char *)args + field->offset);
	return NULL;
}

void mcp_pending_narrow(struct mcp_pending *pending, struct request *request, void *args)
{
	double max, *timeout;
	if (pending == NULL)
		return;
	max = (double)pending->wait_sec;
	timeout = find_timeout(request_method(request), args);
	if (timeout == NULL || *timeout <= max)
		return;
	/* These go on after the answer: a task, and wait_for with the role full. */
	if (!is_task(request_method(request)) &&
	    (strcmp(request_method(request)->name, "wait_for") != 0 ||
		request_role(request) != ROLE_FULL)) {
		*timeout = max;
		pending->is_shortened = true;
		return;
	}
	if (pending->timer != NULL)
		return; /* the request was put off and is run again: the timer was started before */
	pending->timer = loop_timer_new(pending->daemon->base, on_time, pending);
	loop_timer_arm(pending->timer, (int64_t)pending->wait_sec * 1000);
}

static bool is_empty(const struct json *result)
{
	const struct json *notes = json_member(result, "notifications");
	return notes != NULL && notes->type == JSON_ARRAY && notes->count == 0;
}

bool mcp_pending_write(
    const struct mcp_pending *pending, const struct json *result, struct buf *out)
{
	struct json_writer writer;
	char message[256];
	const struct json *last;
	if (pending == NULL || !pending->is_shortened || !is_empty(result))
		return false;
	last = json_member(result, "last");
	(void)snprintf(message, sizeof message,
	    "Pending: no notification yet. Call again with after %s to resume, or end your "
	    "turn if the answers of what you have armed say a way of waking you.",
	    last != NULL && last->type == JSON_NUMBER ? last->text : "0");
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	json_each_member (member, result)
		json_put_value(&writer, member->name, member);
	put_pending(&writer, message);
	json_object_end(&writer);
	return !writer.is_cut;
}

bool mcp_pending_write_released(const struct mcp_pending *pending, struct buf *out)
{
	struct json_writer writer;
	char message[256];
	if (pending == NULL || !pending->is_released)
		return false;
	(void)snprintf(message, sizeof message,
	    "Pending: the agent continues the task. Its end is a notification: end your turn "
	    "to get it in your pane, or wait with next_notification {\"after\":%llu}.",
	    (unsigned long long)queue_last(pending->daemon->queue));
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	put_pending(&writer, message);
	json_object_end(&writer);
	return !writer.is_cut;
}
