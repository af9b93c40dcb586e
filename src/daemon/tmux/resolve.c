/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/resolve.h"

#include "wire/json.h"

#define CANDIDATES_MAX_BYTES 4096

struct target_part {
	const char *text;
	size_t len;
};

static struct target_part part_of(const char *text, size_t len)
{
	if (len > 0 && text[0] == '=') {
		text++;
		len--;
	}
	return (struct target_part){text, len};
}

/* A name as an error shows it, cut to STR_SHOWN_MAX. */
struct shown_target {
	char text[STR_SHOWN_SIZE];
};

#define SHOWN(part_) str_shown((part_).text, (part_).len, (struct shown_target){""}.text)
#define SHOWN_NAME(name_) str_shown(name_, strlen(name_), (struct shown_target){""}.text)

static bool part_is(struct target_part part, const char *name)
{
	return strlen(name) == part.len && memcmp(name, part.text, part.len) == 0;
}

__attribute__((format(printf, 2, 3))) static enum resolve_result none(
    struct resolve *resolve, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(resolve->reason, sizeof resolve->reason, format, args);
	va_end(args);
	return RESOLVE_NONE;
}

static const char *nearest_session(const struct muxbus_model *model, struct target_part part)
{
	struct muxbus_model_counts counts;
	char *text;
	const char *nearest;
	const char **names;
	size_t count = 0;
	muxbus_model_counts(model, &counts);
	names = xcalloc(counts.sessions + 1, sizeof *names);
	next_each (const struct muxbus_session, session, muxbus_model_next_session, model)
		names[count++] = session->name;
	text = xmemdup(part.text, part.len);
	nearest = str_nearest(text, names);
	mem_free(text);
	mem_free(names);
	return nearest;
}

static enum resolve_result find_session(
    const struct muxbus_model *model, struct target_part part, struct resolve *resolve)
{
	uint32_t id;
	bool is_id = str_parse_id(part.text, part.len, '$', &id);
	if (is_id)
		resolve->session = muxbus_model_session(model, id);
	next_each (const struct muxbus_session, session, muxbus_model_next_session, model)
		if (!is_id && part_is(part, session->name))
			resolve->session = session;
	if (resolve->session != NULL)
		return RESOLVE_FOUND;
	resolve->nearest = is_id ? NULL : nearest_session(model, part);
	if (part.len == 0)
		return none(resolve, "the target names no session");
	if (resolve->nearest != NULL)
		return none(resolve, "there is no session '%s'; did you mean '%s'?", SHOWN(part),
		    SHOWN_NAME(resolve->nearest));
	return none(resolve, "there is no session '%s'%s", SHOWN(part),
	    is_id ? "" : "; ids are those of sessions ($1), windows (@1) and panes (%1)");
}

const struct muxbus_session *resolve_window_session(
    const struct muxbus_model *model, uint32_t window)
{
	const struct muxbus_link *links;
	if (muxbus_model_window_links(model, window, &links) == 0)
		return NULL;
	return muxbus_model_session(model, links[0].session);
}

static void __attribute__((format(printf, 2, 3)))
add_candidate(struct resolve *resolve, const char *format, ...)
{
	char text[512];
	va_list args;
	struct json_writer writer;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	json_writer_init(&writer, &resolve->candidates);
	writer.needs_comma = resolve->candidates.len > 0;
	json_put_str(&writer, NULL, text);
}

static enum resolve_result find_current(const struct muxbus_model *model, struct resolve *resolve)
{
	resolve->window = muxbus_model_window(model, resolve->session->current_window);
	if (resolve->window != NULL)
		return RESOLVE_FOUND;
	return none(
	    resolve, "session '%s' has no current window", SHOWN_NAME(resolve->session->name));
}

static const struct muxbus_window *window_by_number(
    const struct muxbus_model *model, const struct muxbus_session *session, struct target_part part)
{
	uint32_t id = MUXBUS_NO_ID, index = UINT32_MAX;
	bool is_id = str_parse_id(part.text, part.len, '@', &id);
	if (!is_id && !str_parse_u32(part.text, part.len, &index))
		return NULL;
	next_each (const struct muxbus_link, link, muxbus_model_next_link, model) {
		if (link->session != session->id)
			continue;
		if (is_id ? link->window == id : link->index >= 0 && (uint32_t)link->index == index)
			return muxbus_model_window(model, link->window);
	}
	return NULL;
}

/* Finds a window of resolve->session. Sets no reason if the session has no window of this name. */
static enum resolve_result find_in_session(
    const struct muxbus_model *model, struct target_part part, struct resolve *resolve)
{
	unsigned count = 0;
	uint32_t id;
	if (part.len == 0)
		return find_current(model, resolve);
	resolve->window = window_by_number(model, resolve->session, part);
	if (resolve->window != NULL)
		return RESOLVE_FOUND;
	if (str_parse_id(part.text, part.len, '@', &id))
		return RESOLVE_NONE;
	next_each (const struct muxbus_link, link, muxbus_model_next_link, model) {
		const struct muxbus_window *window = muxbus_model_window(model, link->window);
		if (link->session != resolve->session->id || window == NULL ||
		    !part_is(part, window->name))
			continue;
		if (window != resolve->window)
			count++;
		resolve->window = window;
		if (strlen(resolve->session->name) <= STR_SHOWN_MAX)
			add_candidate(resolve, "%s:%d", resolve->session->name, (int)link->index);
		else
			add_candidate(resolve, "$%u:%d", resolve->session->id, (int)link->index);
	}
	if (count == 1) {
		buf_clear(&resolve->candidates);
		return RESOLVE_FOUND;
	}
	resolve->window = NULL;
	if (count == 0)
		return RESOLVE_NONE;
	snprintf(resolve->reason, sizeof resolve->reason,
	    "%u windows of session '%s' are called '%s'", count, SHOWN_NAME(resolve->session->name),
	    SHOWN(part));
	return RESOLVE_AMBIGUOUS;
}

static enum resolve_result no_window(struct resolve *resolve, struct target_part part)
{
	return none(resolve, "session '%s' has no window '%s'", SHOWN_NAME(resolve->session->name),
	    SHOWN(part));
}

/* Finds a pane of resolve->window. Returns false, and sets no reason, if there is none. */
static bool find_pane(
    const struct muxbus_model *model, struct target_part part, struct resolve *resolve)
{
	uint32_t id = MUXBUS_NO_ID, index = UINT32_MAX;
	bool is_id = str_parse_id(part.text, part.len, '%', &id);
	const struct muxbus_pane *panes;
	size_t count = muxbus_model_window_panes(model, resolve->window->id, &panes);
	if (!is_id && !str_parse_u32(part.text, part.len, &index))
		return false;
	for (size_t i = 0; i < count; i++)
		if (is_id ? panes[i].id == id
			  : panes[i].index >= 0 && (uint32_t)panes[i].index == index)
			resolve->pane = &panes[i];
	return resolve->pane != NULL;
}

static enum resolve_result find_active(const struct muxbus_model *model, struct resolve *resolve)
{
	resolve->pane = muxbus_model_pane(model, resolve->window->active_pane);
	if (resolve->pane != NULL)
		return RESOLVE_FOUND;
	return none(resolve, "window @%u has no active pane", resolve->window->id);
}

/* Finds a pane in a session. As a window's name may have a '.', the text is read in both ways. */
static enum resolve_result find_pane_in_session(
    const struct muxbus_model *model, struct target_part rest, struct resolve *resolve)
{
	const char *dot = memrchr(rest.text, '.', rest.len);
	const struct muxbus_pane *split_pane = NULL;
	enum resolve_result result;
	if (dot != NULL) {
		struct target_part window = {rest.text, (size_t)(dot - rest.text)};
		struct target_part pane = {dot + 1, rest.len - window.len - 1};
		result = find_in_session(model, window, resolve);
		if (result == RESOLVE_FOUND && find_pane(model, pane, resolve))
			split_pane = resolve->pane;
		else if (result == RESOLVE_AMBIGUOUS)
			return result;
		else if (result == RESOLVE_FOUND)
			none(resolve, "window '%s' of session '%s' has no pane '%s'", SHOWN(window),
			    SHOWN_NAME(resolve->session->name), SHOWN(pane));
	}
	result = find_in_session(model, rest, resolve);
	if (result == RESOLVE_FOUND)
		result = find_active(model, resolve);
	if (result == RESOLVE_FOUND && split_pane != NULL && split_pane != resolve->pane) {
		add_candidate(resolve, "%%%u", split_pane->id);
		add_candidate(resolve, "%%%u", resolve->pane->id);
		snprintf(resolve->reason, sizeof resolve->reason,
		    "'%s' is the name of a window, and a window with a pane behind it",
		    SHOWN(rest));
		return RESOLVE_AMBIGUOUS;
	}
	if (result != RESOLVE_FOUND && split_pane != NULL) {
		resolve->pane = split_pane;
		resolve->window = muxbus_model_window(model, split_pane->window);
		return RESOLVE_FOUND;
	}
	if (result == RESOLVE_NONE && resolve->reason[0] == '\0')
		return no_window(resolve, rest);
	return result;
}

static enum resolve_result by_pane_id(
    const struct muxbus_model *model, uint32_t id, struct resolve *resolve)
{
	resolve->pane = muxbus_model_pane(model, id);
	if (resolve->pane == NULL)
		return none(resolve, "there is no pane %%%u", id);
	resolve->window = muxbus_model_window(model, resolve->pane->window);
	return resolve->window != NULL ? RESOLVE_FOUND
				       : none(resolve, "pane %%%u is in no window", id);
}

static enum resolve_result by_window_id(const struct muxbus_model *model, enum resolve_kind kind,
    struct target_part part, struct resolve *resolve)
{
	const char *dot = memchr(part.text, '.', part.len);
	uint32_t id = MUXBUS_NO_ID;
	struct target_part pane;
	str_parse_id(part.text, dot != NULL ? (size_t)(dot - part.text) : part.len, '@', &id);
	resolve->window = muxbus_model_window(model, id);
	if (resolve->window == NULL)
		return none(resolve, "there is no window @%u", id);
	if (kind != RESOLVE_PANE)
		return RESOLVE_FOUND;
	if (dot == NULL)
		return find_active(model, resolve);
	pane = (struct target_part){dot + 1, part.len - (size_t)(dot - part.text) - 1};
	if (find_pane(model, pane, resolve))
		return RESOLVE_FOUND;
	return none(resolve, "window @%u has no pane '%s'", id, SHOWN(pane));
}

static bool is_window_id(enum resolve_kind kind, struct target_part part)
{
	const char *dot = kind == RESOLVE_PANE ? memchr(part.text, '.', part.len) : NULL;
	uint32_t id;
	return str_parse_id(
	    part.text, dot != NULL ? (size_t)(dot - part.text) : part.len, '@', &id);
}

static enum resolve_result by_name(const struct muxbus_model *model, enum resolve_kind kind,
    struct target_part part, struct resolve *resolve)
{
	const char *colon = memchr(part.text, ':', part.len);
	struct target_part session = {
	    part.text, colon != NULL ? (size_t)(colon - part.text) : part.len};
	enum resolve_result result = find_session(model, session, resolve);
	struct target_part rest;
	if (result != RESOLVE_FOUND || kind == RESOLVE_SESSION)
		return result;
	rest = (struct target_part){"", 0};
	if (colon != NULL)
		rest = part_of(colon + 1, part.len - session.len - 1);
	if (kind == RESOLVE_PANE)
		return find_pane_in_session(model, rest, resolve);
	result = find_in_session(model, rest, resolve);
	if (result == RESOLVE_NONE && resolve->reason[0] == '\0')
		return no_window(resolve, rest);
	return result;
}

enum resolve_result resolve(const struct muxbus_model *model, enum resolve_kind kind,
    const char *text, struct resolve *ret_resolve)
{
	struct target_part part;
	uint32_t id;
	*ret_resolve = (struct resolve){0};
	buf_init(&ret_resolve->candidates, CANDIDATES_MAX_BYTES);
	part = part_of(text, strlen(text));
	if (kind == RESOLVE_SESSION) {
		/* "work:" means the session too; ":" alone names nothing. */
		if (part.len > 1 && part.text[part.len - 1] == ':')
			part.len--;
		if (memchr(part.text, ':', part.len))
			return none(ret_resolve, "'%s' names a window, not a session", SHOWN(part));
		return by_name(model, kind, part, ret_resolve);
	}
	if (str_parse_id(part.text, part.len, '%', &id))
		return by_pane_id(model, id, ret_resolve);
	if (is_window_id(kind, part))
		return by_window_id(model, kind, part, ret_resolve);
	return by_name(model, kind, part, ret_resolve);
}
