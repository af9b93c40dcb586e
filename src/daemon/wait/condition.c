/* SPDX-License-Identifier: ISC */
#include "daemon/wait/condition.h"

#include "daemon/core/pattern.h"
#include "daemon/event/event_log.h"
#include "daemon/server/handler.h"

enum { KINDS_MAX = 63 };

static const struct condition_kind *kinds[KINDS_MAX + 1]; /* sorted by name; NULL at the end */

void condition_kind_set_tables(const struct condition_kind *const *tables)
{
	size_t count = 0;
	memset(kinds, 0, sizeof kinds);
	for (; *tables != NULL; tables++) {
		for (const struct condition_kind *kind = *tables; kind->name != NULL; kind++) {
			size_t at = count++;
			for (; at > 0 && strcmp(kinds[at - 1]->name, kind->name) > 0; at--)
				kinds[at] = kinds[at - 1];
			kinds[at] = kind;
		}
	}
}

const struct condition_kind *condition_kind_next(const struct condition_kind *previous)
{
	const struct condition_kind *const *kind = kinds;
	if (previous == NULL)
		return *kind;
	while (*kind != previous)
		kind++;
	return kind[1];
}

static bool has_field(const struct condition_kind *kind, const char *name)
{
	for (const struct field *field = kind->fields; field->name != NULL; field++)
		if (strcmp(field->name, name) == 0)
			return true;
	return false;
}

static const struct condition_kind *kind_named(const char *name)
{
	const char *names[KINDS_MAX + 1] = {NULL}, *nearest;
	const struct condition_kind *kind = NULL;
	size_t count = 0;
	while ((kind = condition_kind_next(kind)) != NULL) {
		if (strcmp(kind->name, name) == 0)
			return kind;
		names[count++] = kind->name;
	}
	nearest = str_nearest(name, names);
	while (nearest != NULL && (kind = condition_kind_next(kind)) != NULL)
		if (strcmp(kind->name, nearest) == 0)
			return kind;
	return NULL;
}

/* Writes a condition. The member with the kind's own name gets the value of key. */
static void put_condition(struct json_writer *writer, const struct condition_kind *kind,
    const struct json *spec, const struct json *key)
{
	json_object_begin(writer, NULL);
	json_put_value(writer, kind->name, key);
	json_each_member (at, spec)
		if (at != key && strcmp(at->name, kind->name) != 0 && has_field(kind, at->name))
			json_put_value(writer, at->name, at);
	json_object_end(writer);
}

static size_t put_each(struct json_writer *writer, const struct json *spec)
{
	const struct condition_kind *kind = NULL;
	size_t count = 0;
	json_array_begin(writer, NULL);
	while ((kind = condition_kind_next(kind)) != NULL) {
		const struct json *key = json_member(spec, kind->name);
		if (key == NULL)
			continue;
		put_condition(writer, kind, spec, key);
		count++;
	}
	json_array_end(writer);
	return count;
}

/* Finds a member that names a kind, as in {"type":"output","regex":…}. */
static const struct json *find_type(const struct json *spec)
{
	static const char *const names[] = {"type", "kind", "condition"};
	for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
		const struct json *member = json_member(spec, names[at]);
		if (member != NULL && member->type == JSON_STRING)
			return member;
	}
	return NULL;
}

/*
 * Finds the value for the member with the kind's own name: a member that the kind does not have.
 * The member "pane" counts only if the kind's own member is a pane.
 */
static const struct json *find_key(
    const struct condition_kind *kind, const struct json *spec, const struct json *type)
{
	json_each_member (at, spec) {
		if (at != type && !has_field(kind, at->name))
			if (strcmp(at->name, "pane") != 0 ||
			    (kind->pane_member != NULL &&
				strcmp(kind->pane_member, kind->name) == 0))
				return at;
	}
	return NULL;
}

/* Returns true if some kind has a member of this name. Then it is no misspelled name of a kind. */
static bool is_field(const char *name)
{
	const struct condition_kind *kind = NULL;
	while ((kind = condition_kind_next(kind)) != NULL)
		if (has_field(kind, name))
			return true;
	return false;
}

static bool condition_hint(struct buf *out, const struct json *spec)
{
	const struct json *type, *key = NULL;
	const struct condition_kind *kind = NULL;
	struct json_writer writer;
	if (spec->type != JSON_OBJECT)
		return false;
	json_writer_init(&writer, out);
	if (put_each(&writer, spec) > 1)
		return !writer.is_cut;
	buf_clear(out);
	json_writer_init(&writer, out);
	type = find_type(spec);
	if (type != NULL) {
		kind = kind_named(type->text);
		key = kind != NULL ? find_key(kind, spec, type) : NULL;
	} else {
		for (key = spec->child; key != NULL; key = key->next) {
			kind = is_field(key->name) ? NULL : kind_named(key->name);
			if (kind != NULL)
				break;
		}
		if (kind == NULL && (key = json_member(spec, "regex")) != NULL)
			kind = kind_named("output");
	}
	if (kind == NULL || key == NULL)
		return false;
	put_condition(&writer, kind, spec, key);
	return !writer.is_cut;
}

enum {
	DETAILS_MAX = 64 * 1024,
	HINT_MAX = 600, /* maximum bytes of a corrected condition in an error */
};

static const struct condition_kind *kind_of(const struct json *spec)
{
	const struct condition_kind *found = NULL;
	if (spec->type != JSON_OBJECT)
		return NULL;
	json_each_member (member, spec) {
		for (const struct condition_kind *const *kind = kinds; *kind != NULL; kind++) {
			if ((*kind)->name[0] != member->name[0] ||
			    strcmp((*kind)->name, member->name) != 0)
				continue;
			if (found != NULL)
				return NULL;
			found = *kind;
		}
	}
	return found;
}

bool condition_follows(const struct condition_kind *kind, bool by_pipe)
{
	return kind->follows || (kind->needs_tmux && !(by_pipe && kind->by_output));
}

bool condition_any_follows(const struct json *specs, bool by_pipe)
{
	json_each (spec, specs) {
		const struct condition_kind *kind = kind_of(spec);
		if (kind != NULL && condition_follows(kind, by_pipe))
			return true;
	}
	return false;
}

bool condition_any_looks(const struct json *specs)
{
	json_each (spec, specs) {
		const struct condition_kind *kind = kind_of(spec);
		if (kind != NULL &&
		    (kind->needs_tmux || kind->follows || kind->pane_member != NULL ||
			kind->tmux_members != NULL))
			return true;
	}
	return false;
}

static void fail_kind(struct request *request, const char *list, const struct json *spec)
{
	const struct condition_kind *kind = NULL;
	struct buf names, hint;
	buf_init(&hint, HINT_MAX);
	if (condition_hint(&hint, spec)) {
		request_fail_field(request, list,
		    "a condition is an object with the name of one kind; did you mean %s?",
		    (const char *)hint.data);
		buf_finish(&hint);
		return;
	}
	buf_finish(&hint);
	buf_init(&names, 1024);
	while ((kind = condition_kind_next(kind)) != NULL)
		(void)buf_printf(&names, "%s%s", names.len > 0 ? ", " : "", kind->name);
	request_fail_field(request, list, "a condition must be an object with one of: %s",
	    (const char *)names.data);
	buf_finish(&names);
}

struct condition *condition_new(struct request *request, const struct daemon *parts,
    const struct json *spec, const char *list, bool is_staying,
    void (*changed)(struct condition *condition, void *data), void *data)
{
	const struct condition_kind *kind = kind_of(spec);
	struct condition *condition;
	struct field_error error;
	struct buf scratch = BUF(DETAILS_MAX);
	bool is_armed = false;
	void *args;
	if (kind == NULL) {
		fail_kind(request, list, spec);
		return NULL;
	}
	condition = xcalloc(1, sizeof *condition);
	condition->kind = kind;
	condition->parts = parts;
	condition->changed = changed;
	condition->data = data;
	condition->is_arming = true;
	condition->is_staying = is_staying;
	condition->takes_all = role_find_own(request, &condition->own);
	condition->pane = condition->window = condition->session = MUXBUS_NO_ID;
	buf_init(&condition->details, DETAILS_MAX);
	args = xcalloc(1, kind->args_size);
	if (kind->reads_disk && request_role(request) == ROLE_READ_ONLY)
		(void)role_refuse(request, "the condition reads a file");
	else if (field_read_tolerant(kind->fields, request_tolerance(request), spec, args,
		     kind->args_size, &scratch, &error) != 0)
		request_fail_field(request, list, "%s%s%s",
		    strcmp(error.field, kind->name) != 0 ? kind->name : "",
		    strcmp(error.field, kind->name) != 0 ? ": " : "", error.text);
	else
		is_armed = kind->arm(condition, request, args);
	mem_free(args);
	buf_finish(&scratch);
	condition->is_arming = false;
	if (is_armed)
		return condition;
	buf_finish(&condition->details);
	mem_free(condition);
	return NULL;
}

void condition_free(struct condition *condition)
{
	if (condition == NULL)
		return;
	condition_disarm(condition);
	buf_finish(&condition->details);
	mem_free(condition);
}

void condition_disarm(struct condition *condition)
{
	if (!condition->is_unarmed)
		condition->kind->disarm(condition);
	condition->is_unarmed = true;
}

bool condition_takes(const struct condition *condition, const struct pane_ref *pane)
{
	return condition->takes_all ||
	    (condition->own.pane != MUXBUS_NO_ID && pane_ref_same_pane(&condition->own, pane));
}

void condition_note_past(struct condition *condition, const struct request *request)
{
	/* without a method the wait is restored */
	condition->has_gap |= request_method(request) == NULL;
}

void condition_settle(struct condition *condition, enum condition_state state)
{
	if (condition->state != CONDITION_PENDING)
		return;
	if (!condition->is_staying || state != CONDITION_MATCHED)
		condition->state = state;
	condition->at_entry |= condition->is_arming;
	if (!condition->is_arming)
		condition->changed(condition, condition->data);
}

void condition_begin_details(struct condition *condition, struct json_writer *writer)
{
	buf_clear(&condition->details);
	json_writer_init(writer, &condition->details);
	json_object_begin(writer, NULL);
}

void condition_end_details(
    struct condition *condition, struct json_writer *writer, enum condition_state state)
{
	json_object_end(writer);
	condition_settle(condition, state);
}

void condition_put_captures(
    struct json_writer *writer, const struct pattern_match *match, const char *text)
{
	json_array_begin(writer, "captures");
	for (size_t at = 1; at < match->count; at++) {
		const struct pattern_span *span = &match->spans[at];
		if (span->from > span->to)
			json_put_null(writer, NULL);
		else
			(void)json_put_text(writer, NULL, text + span->from, span->to - span->from);
	}
	json_array_end(writer);
}

void condition_settle_event(
    struct condition *condition, const struct event_entry *event, enum condition_state state)
{
	struct buf *details = &condition->details;
	buf_clear(details);
	if (buf_append_byte(details, '{') != 0 ||
	    buf_append(details, event->json, event->json_len) != 0 ||
	    buf_append_byte(details, '}') != 0)
		buf_clear(details);
	condition_settle(condition, state);
}

const char *const condition_state_names[] = {"pending", "matched", "gone", "limit"};

static bool needs_tmux(const struct condition_kind *kind, const struct json *spec)
{
	bool needs = kind->needs_tmux;
	for (const char *const *name = kind->tmux_members; name != NULL && *name != NULL; name++)
		needs |= json_member(spec, *name) != NULL;
	return needs;
}

struct condition *condition_restore(
    const struct json *spec, enum condition_state state, const char *details)
{
	const struct condition_kind *kind = spec != NULL ? kind_of(spec) : NULL;
	struct condition *condition;
	if (kind == NULL)
		return NULL;
	condition = xcalloc(1, sizeof *condition);
	condition->kind = kind;
	condition->state = state;
	condition->is_unarmed = true;
	condition->needs_tmux = needs_tmux(kind, spec);
	condition->pane = condition->window = condition->session = MUXBUS_NO_ID;
	buf_init(&condition->details, DETAILS_MAX);
	if (details != NULL)
		/* left out if they are too long */
		(void)buf_append_str(&condition->details, details);
	return condition;
}

void condition_write(struct json_writer *writer, const struct condition *condition)
{
	json_object_begin(writer, NULL);
	json_put_str(writer, "condition", condition->kind->name);
	json_put_str(writer, "state", condition_state_names[condition->state]);
	if (condition->pane != MUXBUS_NO_ID)
		json_put_id(writer, "pane", '%', condition->pane);
	if (condition->window != MUXBUS_NO_ID)
		json_put_id(writer, "window", '@', condition->window);
	if (condition->session != MUXBUS_NO_ID)
		json_put_id(writer, "session", '$', condition->session);
	if (condition->state == CONDITION_MATCHED)
		json_put_bool(writer, "at_entry", condition->at_entry);
	if (condition->has_gap)
		json_put_bool(writer, "gap", true);
	if (condition->details.len > 0)
		json_put_raw(writer, "details", (const char *)condition->details.data,
		    condition->details.len);
	json_object_end(writer);
}
