/* SPDX-License-Identifier: ISC */
#include "lib/stream/event.h"

/* Sorted by name, for the binary search. */
static const struct muxbus_event_info event_rows[] = {
    {MUXBUS_EVENT_CLIENT_DETACHED, "client-detached", "c", "3.2"},
    {MUXBUS_EVENT_CLIENT_SESSION_CHANGED, "client-session-changed", "cst", "2.5"},
    {MUXBUS_EVENT_CONFIG_ERROR, "config-error", "t", "3.4"},
    {MUXBUS_EVENT_CONTINUE, "continue", "p", "3.2"},
    {MUXBUS_EVENT_EXIT, "exit", "t", "1.8"},
    {MUXBUS_EVENT_LAYOUT_CHANGE, "layout-change", "wLVF", "1.8"},
    {MUXBUS_EVENT_MESSAGE, "message", "t", "3.4"},
    {MUXBUS_EVENT_PANE_MODE_CHANGED, "pane-mode-changed", "p", "2.5"},
    {MUXBUS_EVENT_PASTE_BUFFER_CHANGED, "paste-buffer-changed", "t", "3.4"},
    {MUXBUS_EVENT_PASTE_BUFFER_DELETED, "paste-buffer-deleted", "t", "3.4"},
    {MUXBUS_EVENT_PAUSE, "pause", "p", "3.2"},
    {MUXBUS_EVENT_SESSION_CHANGED, "session-changed", "st", "1.8"},
    {MUXBUS_EVENT_SESSION_RENAMED, "session-renamed", "st", "1.8"},
    {MUXBUS_EVENT_SESSION_WINDOW_CHANGED, "session-window-changed", "sw", "2.5"},
    {MUXBUS_EVENT_SESSIONS_CHANGED, "sessions-changed", "", "1.8"},
    {MUXBUS_EVENT_SUBSCRIPTION_CHANGED, "subscription-changed", "lswip:", "3.2"},
    {MUXBUS_EVENT_UNLINKED_WINDOW_ADD, "unlinked-window-add", "w", "1.8"},
    {MUXBUS_EVENT_UNLINKED_WINDOW_CLOSE, "unlinked-window-close", "w", "2.0"},
    {MUXBUS_EVENT_UNLINKED_WINDOW_RENAMED, "unlinked-window-renamed", "wt", "2.0"},
    {MUXBUS_EVENT_WINDOW_ADD, "window-add", "w", "1.8"},
    {MUXBUS_EVENT_WINDOW_CLOSE, "window-close", "w", "1.8"},
    {MUXBUS_EVENT_WINDOW_PANE_CHANGED, "window-pane-changed", "wp", "2.5"},
    {MUXBUS_EVENT_WINDOW_RENAMED, "window-renamed", "wt", "1.8"},
    {MUXBUS_EVENT_UNKNOWN, NULL, NULL, NULL},
};

#define EVENT_ROWS (sizeof event_rows / sizeof event_rows[0] - 1)

const struct muxbus_event_info *muxbus_event_table(void)
{
	return event_rows;
}

static int compare_name(const void *name, const void *row)
{
	return strcmp(name, ((const struct muxbus_event_info *)row)->name);
}

/* The arguments of a line that are still to be read. */
struct event_cursor {
	char *next; /* NULL after the last argument */
	char *end; /* points to a NUL */
};

/* Returns the next argument, up to a space; "" between two spaces. Returns NULL at the end. */
static char *take_word(struct event_cursor *cursor, size_t *ret_len)
{
	char *word = cursor->next;
	char *space;
	if (word == NULL)
		return NULL;
	space = memchr(word, ' ', (size_t)(cursor->end - word));
	*ret_len = (size_t)((space == NULL ? cursor->end : space) - word);
	if (space != NULL)
		*space = '\0';
	cursor->next = space == NULL ? NULL : space + 1;
	return word;
}

static char *take_rest(struct event_cursor *cursor, size_t *ret_len)
{
	char *rest = cursor->next == NULL ? cursor->end : cursor->next;
	*ret_len = (size_t)(cursor->end - rest);
	cursor->next = NULL;
	return rest;
}

/* Reads an id or, without a sigil, a number. may_lack: "-" means none. Returns false if invalid. */
static bool take_number(
    struct event_cursor *cursor, char sigil, bool may_lack, uint32_t *ret_number)
{
	size_t len;
	const char *word = take_word(cursor, &len);
	if (word == NULL)
		return false;
	if (may_lack && len == 1 && *word == '-') {
		*ret_number = MUXBUS_NO_ID;
		return true;
	}
	return sigil == '\0' ? str_parse_u32(word, len, ret_number)
			     : str_parse_id(word, len, sigil, ret_number);
}

/* Reads the text after " : ", skipping arguments before it. Returns false without " : ". */
static bool take_text_after_colon(struct event_cursor *cursor, struct muxbus_event *event)
{
	for (;;) {
		size_t len;
		const char *word = take_word(cursor, &len);
		if (word == NULL)
			return false;
		if (len == 1 && *word == ':')
			break;
	}
	event->text = take_rest(cursor, &event->text_len);
	return true;
}

static bool take_string(struct event_cursor *cursor, const char **ret_string)
{
	size_t len;
	*ret_string = take_word(cursor, &len);
	return *ret_string != NULL;
}

static bool take_argument(struct event_cursor *cursor, char letter, struct muxbus_event *event)
{
	bool may_lack = event->label != NULL; /* subscriptions send "-" if there is no id */
	size_t len;
	switch (letter) {
	case 's':
		return take_number(cursor, '$', may_lack, &event->session);
	case 'w':
		return take_number(cursor, '@', may_lack, &event->window);
	case 'p':
		return take_number(cursor, '%', may_lack, &event->pane);
	case 'i':
		return take_number(cursor, '\0', may_lack, &event->index);
	case 'c':
		return take_string(cursor, &event->client);
	case 'l':
		return take_string(cursor, &event->label);
	case 'L':
		return take_string(cursor, &event->layout);
	case 'V': /* tmux before 2.2 does not send this argument and the next */
		event->visible_layout = take_word(cursor, &len);
		return true;
	case 'F':
		if (cursor->next != NULL)
			event->flags = take_rest(cursor, &len);
		return true;
	case ':':
		return take_text_after_colon(cursor, event);
	case 't':
		event->text = take_rest(cursor, &event->text_len);
		return true;
	default:
		return false;
	}
}

static bool take_arguments(
    struct event_cursor *cursor, const struct muxbus_event_info *info, struct muxbus_event *event)
{
	for (const char *letter = info->arguments; *letter != '\0'; letter++)
		if (!take_argument(cursor, *letter, event))
			return false;
	return true;
}

static const struct muxbus_event no_event = {
    .kind = MUXBUS_EVENT_UNKNOWN,
    .session = MUXBUS_NO_ID,
    .window = MUXBUS_NO_ID,
    .pane = MUXBUS_NO_ID,
    .index = MUXBUS_NO_ID,
};

void event_parse(const char *line, size_t len, char *scratch, struct muxbus_event *ret_event)
{
	const struct muxbus_event_info *info;
	struct muxbus_event event = no_event;
	struct event_cursor cursor = {scratch + 1, scratch + len};
	size_t name_len;
	memcpy(scratch, line, len);
	scratch[len] = '\0';
	event.name = take_word(&cursor, &name_len);
	event.line = cursor.next == NULL ? line + len : line + 1 + name_len + 1;
	event.line_len = (size_t)(line + len - event.line);
	*ret_event = event;
	if (strlen(event.name) != name_len)
		return;
	info = bsearch(event.name, event_rows, EVENT_ROWS, sizeof event_rows[0], compare_name);
	if (info != NULL && take_arguments(&cursor, info, &event)) {
		*ret_event = event;
		ret_event->kind = info->kind;
	}
}
