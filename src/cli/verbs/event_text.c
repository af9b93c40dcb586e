/* SPDX-License-Identifier: ISC */
#include "cli/verbs/event_text.h"

#include <time.h>

#include "cli/screen_text.h"
#include "cli/show.h"

#define VALUE_MAX ((size_t)16 * 1024 * 1024)
#define KIND_COLUMNS 20

/* Members that are printed first, or that people do not need. */
static const char *const elsewhere[] = {"kind", "layout", "left", "offset", "pane", "pid", "seq",
    "session", "subscription", "text", "time", "top", "tty", "window", NULL};

/* Returns true if a member is printed: not if it is false, null or a list of objects or lists. */
static bool is_worth_it(const struct json *member)
{
	bool is_list = member->type == JSON_ARRAY && member->child != NULL &&
	    (member->child->type == JSON_OBJECT || member->child->type == JSON_ARRAY);
	return member->type != JSON_NULL && (member->type != JSON_BOOL || member->boolean) &&
	    !is_list;
}

/* Appends the local time of day, with milliseconds. */
static void put_clock(struct buf *out, const char *text)
{
	struct tm utc = {0};
	struct tm local;
	char clock[16];
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &utc);
	time_t when = rest != NULL ? timegm(&utc) : 0;
	if (rest == NULL || *rest != '.' || localtime_r(&when, &local) == NULL ||
	    strftime(clock, sizeof clock, "%H:%M:%S", &local) == 0) {
		(void)screen_text_line(out, text, strlen(text));
		return;
	}
	(void)buf_append_str(out, clock);
	(void)screen_text_line(out, rest, strnlen(rest, 4));
}

static enum screen_style style_of(const char *kind)
{
	if (strcmp(kind, "gap") == 0 || strcmp(kind, "server_lost") == 0)
		return SCREEN_BAD;
	if (strcmp(kind, "notification") == 0 || strcmp(kind, "delivery") == 0)
		return SCREEN_WARN;
	return SCREEN_GOOD;
}

/* Returns the smallest object that the event names: a pane, window or session; or "". */
static const char *subject_of(const struct json *event)
{
	static const char *const names[] = {"pane", "window", "session"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *id = json_get_str(event, names[i], NULL);
		if (id != NULL)
			return id;
	}
	return "";
}

static void put_visible(struct buf *out, const struct json *value)
{
	struct buf text = BUF(VALUE_MAX);
	show_value(&text, value);
	(void)screen_text_line(out, buf_text(&text), text.len);
	buf_finish(&text);
}

void event_text(struct buf *out, const struct json *event, bool has_color)
{
	const char *kind = json_get_str(event, "kind", "?");
	const char *text = json_get_str(event, "text", NULL);
	const char *subject = subject_of(event);
	const char *plain = screen_style(has_color, SCREEN_PLAIN);
	const char *dim = screen_style(has_color, SCREEN_DIM);
	(void)buf_append_str(out, dim);
	put_clock(out, json_get_str(event, "time", "?"));
	(void)buf_printf(out, "%s  %s", plain, screen_style(has_color, style_of(kind)));
	(void)screen_text_line(out, kind, strlen(kind));
	(void)buf_printf(out, "%s%*s  ", plain,
	    (int)(strlen(kind) < KIND_COLUMNS ? KIND_COLUMNS - strlen(kind) : 0), "");
	(void)screen_text_line(out, subject, strlen(subject));
	(void)buf_printf(out, "%*s", (int)(strlen(subject) < 4 ? 4 - strlen(subject) : 0), "");
	if (text != NULL) {
		(void)buf_append_str(out, "  ");
		put_visible(out, json_member(event, "text"));
	}
	json_each_member (at, event) {
		if (str_is_in(at->name, elsewhere) || !is_worth_it(at))
			continue;
		(void)buf_printf(out, "  %s", dim);
		(void)screen_text_line(out, at->name, at->name_len);
		(void)buf_printf(out, "=%s", plain);
		put_visible(out, at);
	}
	(void)buf_append_byte(out, '\n');
}
