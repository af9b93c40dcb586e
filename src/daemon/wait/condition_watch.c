/* SPDX-License-Identifier: ISC */
#include "daemon/wait/condition_watch.h"

#include "daemon/server/handler.h"
#include "io/loop_timer.h"

static void watch_free(struct pane_watch *watch)
{
	if (watch->is_tapped)
		stream_tap_remove(watch->condition->parts->streams, watch->pane, &watch->tap);
	if (watch->has_lines)
		stream_watch_remove(watch->condition->parts->streams, watch->pane, &watch->lines);
	if (watch->is_listening)
		list_remove(&watch->listener.link);
	if (watch->agent != NULL)
		list_remove(&watch->agent_listener.link);
	watch->agent = NULL;
	watch->is_tapped = false;
	watch->has_lines = false;
	watch->is_listening = false;
	loop_timer_free(watch->timer);
	watch->timer = NULL;
	pattern_free(watch->pattern);
	watch->pattern = NULL;
	if (watch->is_asking)
		watch->is_gone = true;
	else
		mem_free(watch);
}

void pane_watch_disarm(struct condition *condition)
{
	if (condition->watch != NULL)
		watch_free(condition->watch);
	condition->watch = NULL;
}

void pane_watch_put(struct condition *condition, struct json_writer *writer, uint32_t pane)
{
	condition_begin_details(condition, writer);
	json_put_id(writer, "pane", '%', pane);
}

void pane_watch_gone(struct pane_watch *watch)
{
	struct condition *condition = watch->condition;
	struct json_writer writer;
	watch->is_tapped = false;
	watch->has_lines = false;
	pane_watch_put(condition, &writer, watch->pane);
	condition_end_details(condition, &writer, CONDITION_GONE);
}

static void on_closed(struct stream_tap *tap)
{
	pane_watch_gone(list_entry(tap, struct pane_watch, tap));
}

void pane_watch_lines_closed(struct line_watch *lines)
{
	pane_watch_gone(list_entry(lines, struct pane_watch, lines));
}

struct pane_watch *pane_watch_new(
    struct condition *condition, struct request *request, const char *text)
{
	const struct muxbus_pane *pane;
	struct pane_watch *watch;
	if (!target_pane(request, text, &pane))
		return NULL;
	watch = xcalloc(1, sizeof *watch);
	watch->condition = condition;
	watch->pane = condition->pane = pane->id;
	watch->asked_ms = request_begun_ms(request);
	watch->last_ms = clock_mono_ms();
	condition->watch = watch;
	return watch;
}

bool pane_watch_fail(struct pane_watch *watch, struct request *request)
{
	request_fail(request, MESSAGE_GONE, "pane %%%" PRIu32 " is gone", watch->pane);
	pane_watch_disarm(watch->condition);
	return false;
}

bool pane_watch_tap(struct pane_watch *watch, struct request *request,
    void (*output)(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len))
{
	struct condition *condition = watch->condition;
	watch->tap.output = output;
	watch->tap.closed = on_closed;
	if (stream_tap_add(condition->parts->streams, watch->pane, &watch->tap) == 0) {
		watch->is_tapped = true;
		return true;
	}
	return pane_watch_fail(watch, request);
}

bool pane_watch_pattern(
    struct pane_watch *watch, struct request *request, const char *field, const char *regex)
{
	char reason[200];
	watch->pattern = pattern_new(regex, strlen(regex), reason, sizeof reason);
	if (watch->pattern != NULL)
		return true;
	request_fail_field(request, field, "%s", reason);
	pane_watch_disarm(watch->condition);
	return false;
}

void pane_watch_listen(struct pane_watch *watch,
    void (*event)(struct event_log_listener *listener, struct event_entry *event))
{
	watch->listener.event = event;
	event_log_listen(watch->condition->parts->events, &watch->listener);
	watch->is_listening = true;
}
