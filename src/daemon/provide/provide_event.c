/* SPDX-License-Identifier: ISC */
#include "daemon/provide/provide_event.h"

#include <muxbus.h>

#include "daemon/event/published.h"

#define BIT(kind) (UINT64_C(1) << (kind))

/* Returns the number of a kind of events, assigning a new kind to the provider; -1: see failure. */
static int own_kind(struct provider *provider, const char *name, const char *summary,
    struct tool_failure *ret_failure)
{
	int kind = event_kind_find(name);
	if (kind >= EVENT_KIND_COUNT_ && provider_shares_kind(provider, kind))
		provider->kinds |= BIT(kind);
	if (kind >= EVENT_KIND_COUNT_ && provider->kinds & BIT(kind))
		return kind;
	if (!declaration_is_small_name(name)) {
		(void)tool_fail(ret_failure, MESSAGE_PARAMS,
		    "kind: must be a small letter, then small letters, digits and \"_\"");
		return -1;
	}
	if (__builtin_popcountll(provider->kinds) >= PROVIDE_KINDS_MAX) {
		(void)tool_fail(ret_failure, MESSAGE_LIMIT,
		    "kind: a provider has at most %d kinds of events", PROVIDE_KINDS_MAX);
		return -1;
	}
	kind = published_take(kind, name, summary, event_log_oldest(provider->set->parts->events));
	if (kind == -1)
		(void)tool_fail(ret_failure, MESSAGE_REFUSED,
		    "kind: \"%s\" is a kind of muxbusd or of another provider", name);
	else if (kind < 0)
		(void)tool_fail(ret_failure, MESSAGE_LIMIT,
		    "kind: all providers together have %d kinds of events, the most there may be",
		    EVENT_PUBLISHED_MAX);
	else
		provider->kinds |= BIT(kind);
	return kind < 0 ? -1 : kind;
}

struct kind_row {
	const char *kind, *summary;
};

static const struct field kind_fields[] = {
    {FIELD_ROW(STRING, struct kind_row, kind, "kind"), .flags = FIELD_REQUIRED, .min = 1,
	.max = DECLARATION_NAME_MAX},
    {FIELD_ROW(STRING, struct kind_row, summary, "summary"), .min = 1, .max = 1000,
	.preset = "\"an event of a provider\""},
    {.name = NULL},
};

bool provide_event_take(
    struct provider *provider, const struct json *rows, struct tool_failure *ret_failure)
{
	size_t at = 0;
	for (const struct json *row = rows != NULL ? rows->child : NULL; row != NULL;
	     row = row->next, at++) {
		struct kind_row read;
		struct field_error error;
		struct buf scratch = BUF(1024);
		bool is_good = row->type == JSON_OBJECT;
		if (!is_good)
			(void)tool_fail(
			    ret_failure, MESSAGE_PARAMS, "events[%zu]: must be an object", at);
		else if (field_read(kind_fields, row, &read, sizeof read, &scratch, &error) < 0)
			is_good = tool_fail(
			    ret_failure, MESSAGE_PARAMS, "events[%zu]: %s", at, error.text);
		else
			is_good = own_kind(provider, read.kind, read.summary, ret_failure) >= 0;
		buf_finish(&scratch);
		if (!is_good)
			return false;
	}
	return true;
}

/* Returns true, and counts the event, if the provider may publish one more event now. */
static bool takes_event(struct provider *provider)
{
	int64_t now_ms = clock_mono_ms();
	provider->events += (double)(now_ms - provider->events_ms) * PROVIDE_EVENTS_PER_SEC / 1000;
	if (provider->events > 2 * PROVIDE_EVENTS_PER_SEC)
		provider->events = 2 * PROVIDE_EVENTS_PER_SEC;
	provider->events_ms = now_ms;
	if (provider->events < 1)
		return false;
	provider->events -= 1;
	return true;
}

static bool write_members(struct buf *out, const struct provider *provider,
    const struct event_scope *scope, const struct json *data)
{
	struct json_writer writer;
	json_writer_init(&writer, out);
	if (data != NULL)
		json_put_value(&writer, "data", data);
	if (scope->pane != MUXBUS_NO_ID)
		json_put_id(&writer, "pane", '%', scope->pane);
	json_put_str(&writer, "provider", provider->name);
	return !writer.is_cut;
}

uint64_t provide_event_publish(struct provide_set *set, const struct peer *peer, const char *name,
    const struct event_scope *scope, const struct json *data, struct tool_failure *ret_failure)
{
	struct provider *provider = provider_find(set, peer);
	struct buf members;
	uint64_t seq = 0;
	int kind;
	if (provider == NULL) {
		(void)tool_fail(ret_failure, MESSAGE_REFUSED,
		    "only a provider publishes events: call provide on this connection first");
		return 0;
	}
	if (data != NULL && json_depth(data) > JSON_DATA_DEPTH_MAX) {
		(void)tool_fail(ret_failure, MESSAGE_LIMIT,
		    "data: is nested more than %d deep, the most there may be",
		    JSON_DATA_DEPTH_MAX);
		return 0;
	}
	if ((kind = own_kind(provider, name, "an event of a provider", ret_failure)) < 0)
		return 0;
	buf_init(&members, PROVIDE_EVENT_MAX);
	if (!write_members(&members, provider, scope, data))
		(void)tool_fail(ret_failure, MESSAGE_LIMIT, "data: an event has at most %zu bytes",
		    PROVIDE_EVENT_MAX);
	else if (!takes_event(provider))
		(void)tool_fail(ret_failure, MESSAGE_BUSY,
		    "a provider publishes at most %d events a second", PROVIDE_EVENTS_PER_SEC);
	else
		seq = event_log_publish(set->parts->events, (enum event_kind)kind, scope,
		    (const char *)members.data, members.len, true);
	if (seq > 0)
		published_note(kind, seq);
	buf_finish(&members);
	return seq;
}
