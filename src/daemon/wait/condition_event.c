/* SPDX-License-Identifier: ISC */
/* The condition event: an event of one or more kinds comes that matches a filter. */
#include <fnmatch.h>

#include "daemon/event/published.h"
#include "daemon/server/handler.h"
#include "daemon/tmux/subscription.h"
#include "daemon/wait/condition.h"

#define BIT(kind) (UINT64_C(1) << (kind))
#define CREATED_KINDS \
	(BIT(EVENT_PANE_CREATED) | BIT(EVENT_SESSION_CREATED) | BIT(EVENT_WINDOW_CREATED))

enum {
	WHERE_MAX = 4096, /* bytes of JSON */
	EVENT_MAX = 2 * 1024 * 1024, /* bytes of JSON */
};

struct event_watch {
	struct condition *condition;
	struct subscription_set *set;
	uint64_t kinds; /* the wanted kinds; events of other kinds report that the object is gone */
	char *pattern; /* for kinds of providers that may return later; NULL: none */
	const struct json *where; /* owned by where_reader; NULL: any event */
	struct json_reader *where_reader, *event_reader;
};

struct event_args {
	const char *event, *pane, *session, *window;
	const struct json *where;
};

static const struct field event_fields[] = {
    {FIELD_ROW(STRING, struct event_args, event, "event"), .flags = FIELD_REQUIRED, .min = 1,
	.max = 64,
	.help = "A kind of events, as describe lists them, or a pattern: pane_*. Only the name "
		"itself means pane_output."},
    {FIELD_ROW(STRING, struct event_args, pane, "pane"),
	.help = "Only of this pane; left out: of any."},
    {FIELD_ROW(STRING, struct event_args, session, "session"), .help = "Only of this session."},
    {FIELD_ROW(VALUE, struct event_args, where, "where"), .shape = "\"type\":\"object\"",
	.help = "An object of members that the event must have, with equal values."},
    {FIELD_ROW(STRING, struct event_args, window, "window"), .help = "Only of this window."},
    {.name = NULL},
};

static bool is_equal(const struct json *left, const struct json *right)
{
	double a, b;
	if (left->type != right->type)
		return false;
	if (left->type == JSON_BOOL)
		return left->boolean == right->boolean;
	if (left->type == JSON_NUMBER)
		return json_double(left, &a) && json_double(right, &b) && a == b;
	return left->type == JSON_NULL ||
	    (left->len == right->len && memcmp(left->text, right->text, left->len) == 0);
}

/* Finds a member of an event. In an event of a provider, members of data count first. */
static const struct json *find_member(
    const struct json *members, enum event_kind kind, const char *name)
{
	const struct json *found = NULL;
	if (BIT(kind) & EVENT_KINDS_PUBLISHED)
		found = json_member(json_member(members, "data"), name);
	return found != NULL ? found : json_member(members, name);
}

static bool is_where(const struct event_watch *watch, const struct event_entry *event)
{
	const struct json *members;
	struct json_error error;
	struct buf text = BUF(EVENT_MAX);
	bool is_good;
	if (watch->where == NULL)
		return true;
	(void)buf_append_byte(&text, '{');
	(void)buf_append(&text, event->json, event->json_len);
	is_good = buf_append_byte(&text, '}') == 0;
	members = is_good
	    ? json_read(watch->event_reader, (const char *)text.data, text.len, &error)
	    : NULL;
	is_good = members != NULL;
	for (const struct json *at = watch->where->child; at != NULL && is_good; at = at->next) {
		const struct json *member = find_member(members, event->kind, at->name);
		is_good = member != NULL && is_equal(member, at);
	}
	buf_finish(&text);
	return is_good;
}

static bool is_gone(const struct event_watch *watch, const struct event_entry *event)
{
	const struct condition *condition = watch->condition;
	const struct muxbus_model *model = tmux_model(condition->parts->tmux);
	bool has_object = condition->pane != MUXBUS_NO_ID || condition->window != MUXBUS_NO_ID ||
	    condition->session != MUXBUS_NO_ID;
	switch (event->kind) {
	case EVENT_SERVER_LOST:
		return has_object;
	case EVENT_PANE_CLOSED:
		return condition->pane != MUXBUS_NO_ID && event->scope.pane == condition->pane;
	case EVENT_WINDOW_CLOSED:
		return condition->window != MUXBUS_NO_ID &&
		    muxbus_model_window(model, condition->window) == NULL;
	case EVENT_SESSION_CLOSED:
		return condition->session != MUXBUS_NO_ID &&
		    muxbus_model_session(model, condition->session) == NULL;
	default:
		return false;
	}
}

static bool is_named(const struct event_watch *watch, enum event_kind kind)
{
	return watch->pattern == NULL ||
	    fnmatch(watch->pattern, event_kind_info(kind)->name, 0) == 0;
}

static bool on_event(void *data, const char *subscription UNUSED, struct event_entry *event)
{
	struct event_watch *watch = data;
	if (watch->condition->state != CONDITION_PENDING)
		return true;
	/* A new daemon finds old objects; stored waits must not take them for new ones. */
	if (BIT(event->kind) & CREATED_KINDS && tmux_is_finding(watch->condition->parts->tmux))
		return true;
	if (watch->kinds & BIT(event->kind) && is_named(watch, event->kind) &&
	    is_where(watch, event))
		condition_settle_event(watch->condition, event, CONDITION_MATCHED);
	if (watch->condition->state == CONDITION_PENDING && is_gone(watch, event))
		condition_settle_event(watch->condition, event, CONDITION_GONE);
	return true;
}

static bool on_gap(void *data UNUSED, const char *subscription UNUSED, uint64_t from UNUSED,
    uint64_t to UNUSED, const char *reason UNUSED)
{
	return true; /* does not happen, since no old events are sent and none are dropped */
}

static bool read_kinds(struct request *request, const char *text, struct event_watch *watch)
{
	const char *nearest;
	int kind;
	watch->kinds = event_kinds_find(text);
	/* Without a method the wait is restored, and its provider may not have returned yet. */
	if (request_method(request) == NULL && strpbrk(text, "*?[\\") != NULL) {
		watch->kinds |= EVENT_KINDS_PUBLISHED;
		watch->pattern = xstrdup(text);
	} else if (watch->kinds == 0 && request_method(request) == NULL &&
	    (kind = published_take(-1, text, "an event of a provider",
		 event_log_oldest(request_daemon(request)->events))) >= 0) {
		published_leave(kind);
		watch->kinds = BIT(kind);
	}
	if (watch->kinds != 0)
		return true;
	nearest = event_kind_nearest(text);
	return request_fail_field(request, "event",
	    "there is no kind of events called \"%.64s\"%s%s%s", text, STR_NEAREST(nearest, ""));
}

static bool check_where(
    struct request *request, const struct event_args *args, const struct event_watch *watch)
{
	const char *const *names;
	const char *nearest;
	if (watch->where == NULL)
		return true;
	if (watch->where->type != JSON_OBJECT)
		return request_fail_field(request, "where",
		    "must be an object such as {\"exit_status\":0}, not %s",
		    json_type_name(watch->where->type));
	json_each_member (at, watch->where) {
		if (str_is_in(at->name, event_kinds_members(watch->kinds, true)))
			return request_fail_field(request, "where",
			    "%.64s cannot be compared: it is a list or an object", at->name);
		names = event_kinds_members(watch->kinds, false);
		nearest = str_nearest(at->name, names);
		if (!str_is_in(at->name, names) && !(watch->kinds & EVENT_KINDS_PUBLISHED))
			return request_fail_field(request, "where",
			    "events %.64s have no member \"%.64s\"%s%s%s", args->event, at->name,
			    STR_NEAREST(nearest, ""));
		if (at->type == JSON_OBJECT || at->type == JSON_ARRAY)
			return request_fail_field(request, "where",
			    "%.64s cannot be compared with %s", at->name, json_type_name(at->type));
	}
	return true;
}

static bool read_scope(
    struct request *request, const struct event_args *args, struct event_watch *watch)
{
	const struct muxbus_session *session;
	const struct muxbus_window *window;
	const struct muxbus_pane *pane;
	if (args->pane != NULL) {
		if (!target_pane(request, args->pane, &pane))
			return false;
		watch->condition->pane = pane->id;
	}
	if (args->window != NULL) {
		if (!target_window(request, args->window, &window))
			return false;
		watch->condition->window = window->id;
	}
	if (args->session != NULL) {
		if (!target_session(request, args->session, &session))
			return false;
		watch->condition->session = session->id;
	}
	return true;
}

/* Keeps the filter. A language model may write the JSON object as a string. */
static bool keep_where(struct event_watch *watch, struct request *request, const struct json *where)
{
	struct json_error error;
	struct buf text = BUF(WHERE_MAX);
	if (where == NULL)
		return true;
	watch->where_reader = json_reader_new(2 * WHERE_MAX);
	watch->event_reader = json_reader_new(EVENT_MAX);
	if (where->type == JSON_STRING && where->len <= WHERE_MAX)
		watch->where = json_read(watch->where_reader, where->text, where->len, &error);
	if (watch->where == NULL && json_append(&text, where))
		watch->where =
		    json_read(watch->where_reader, (const char *)text.data, text.len, &error);
	buf_finish(&text);
	if (watch->where != NULL)
		return true;
	return request_fail_field(request, "where", "must have at most 4096 bytes");
}

static void watch_free(struct event_watch *watch)
{
	subscription_set_free(watch->set);
	json_reader_free(watch->where_reader);
	json_reader_free(watch->event_reader);
	mem_free(watch->pattern);
	mem_free(watch);
}

static void start(struct event_watch *watch)
{
	const struct condition *condition = watch->condition;
	struct subscription_sink sink = {
	    .event = on_event, .gap = on_gap, .data = watch, .is_internal = true};
	struct subscription_filter filter = {.kinds = watch->kinds | BIT(EVENT_SERVER_LOST),
	    .panes = &condition->pane,
	    .panes_count = condition->pane != MUXBUS_NO_ID,
	    .windows = &condition->window,
	    .windows_count = condition->window != MUXBUS_NO_ID,
	    .sessions = &condition->session,
	    .sessions_count = condition->session != MUXBUS_NO_ID};
	char name[SUBSCRIPTION_NAME_SIZE];
	if (filter.panes_count > 0)
		filter.kinds |= BIT(EVENT_PANE_CLOSED);
	if (filter.windows_count > 0)
		filter.kinds |= BIT(EVENT_WINDOW_CLOSED);
	if (filter.sessions_count > 0)
		filter.kinds |= BIT(EVENT_SESSION_CLOSED);
	watch->set = subscription_set_new(condition->parts, &sink);
	(void)subscription_add(watch->set, &filter, name); /* cannot fail: a new set has room */
	subscription_start(watch->set, name);
}

static bool event_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct event_args *args = data;
	struct event_watch *watch = xcalloc(1, sizeof *watch);
	watch->condition = condition;
	if (!read_kinds(request, args->event, watch) || !keep_where(watch, request, args->where) ||
	    !check_where(request, args, watch) || !read_scope(request, args, watch)) {
		watch_free(watch);
		return false;
	}
	condition->watch = watch;
	condition_note_past(condition, request);
	start(watch);
	return true;
}

static void event_disarm(struct condition *condition)
{
	watch_free(condition->watch);
}

static const char *const scopes[] = {"pane", "session", "window", NULL};

const struct condition_kind condition_kinds_event[] = {
    {.name = "event",
	.help =
	    "An event of that kind comes, about that pane, window or session, with those members.",
	.example =
	    "{\"event\":\"pane_exited\",\"session\":\"build\",\"where\":{\"exit_status\":1}}",
	FIELDS_OF(event_args, event_fields),
	.pane_member = "pane",
	.follows = true,
	.tmux_members = scopes,
	.arm = event_arm,
	.disarm = event_disarm},
    {.name = NULL},
};
