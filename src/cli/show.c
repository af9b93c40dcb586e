/* SPDX-License-Identifier: ISC */
#include "cli/show.h"

#include <time.h>

#include "cli/screen_text.h"
#include "cli/table.h"

#define OUT_MAX ((size_t)512 * 1024 * 1024)
#define NAME_COLUMNS_MAX 40
#define VALUE_MAX ((size_t)16 * 1024 * 1024)
#define KIND_COLUMNS 20

void show_duration(struct buf *out, int64_t ms)
{
	static const struct {
		int64_t sec;
		const char *name;
	} units[] = {{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}};
	int64_t sec = ms / 1000;
	if (ms < 10000) {
		(void)buf_printf(out, "%" PRId64 ".%" PRId64 "s", sec, ms % 1000 / 100);
		return;
	}
	for (size_t i = 0; i + 1 < sizeof units / sizeof *units; i++) {
		if (sec < units[i].sec)
			continue;
		(void)buf_printf(out, "%" PRId64 "%s %" PRId64 "%s", sec / units[i].sec,
		    units[i].name, sec % units[i].sec / units[i + 1].sec, units[i + 1].name);
		return;
	}
	(void)buf_printf(out, "%" PRId64 "s", sec);
}

void show_bytes(struct buf *out, int64_t bytes)
{
	static const char units[] = "KMGTPE";
	double size = (double)bytes;
	int unit = -1;
	while (size >= 1000 && unit + 1 < (int)strlen(units)) {
		size /= 1024;
		unit++;
	}
	if (unit < 0)
		(void)buf_printf(out, "%" PRId64, bytes);
	else
		(void)buf_printf(out, size < 9.95 ? "%.1f%c" : "%.0f%c", size, units[unit]);
}

static bool read_time(const char *text, int64_t *ret_ms, struct tm *ret_local)
{
	time_t when;
	*ret_ms = clock_parse(text);
	when = (time_t)(*ret_ms / 1000);
	return *ret_ms != 0 && localtime_r(&when, ret_local) != NULL;
}

/* Appends a time in local time, with the date unless it is today. Returns false for other text. */
static bool put_time(struct buf *out, const char *text)
{
	struct tm local, today;
	char clock[40];
	time_t now = time(NULL);
	int64_t ms;
	bool is_today;
	if (!read_time(text, &ms, &local) || localtime_r(&now, &today) == NULL)
		return false;
	is_today = local.tm_year == today.tm_year && local.tm_yday == today.tm_yday;
	return strftime(clock, sizeof clock, is_today ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &local) >
	    0 &&
	    buf_append_str(out, clock) == 0;
}

static void put_list(struct buf *out, const struct json *list)
{
	json_each (at, list) {
		show_value(out, at);
		if (at->next != NULL)
			(void)buf_append_str(out, ", ");
	}
}

static bool is_plain_list(const struct json *list)
{
	json_each (at, list)
		if (at->type == JSON_ARRAY || at->type == JSON_OBJECT)
			return false;
	return true;
}

static bool has_name(const struct json *value, const char *end)
{
	return value->name != NULL && str_ends_in(value->name, end);
}

void show_value(struct buf *out, const struct json *value)
{
	int64_t number;
	if (value == NULL)
		return;
	switch (value->type) {
	case JSON_NULL:
		(void)buf_append_byte(out, '-');
		break;
	case JSON_BOOL:
		(void)buf_append_str(out, value->boolean ? "yes" : "no");
		break;
	case JSON_NUMBER:
		if (has_name(value, "_ms") && json_int(value, &number) && number >= 0)
			show_duration(out, number);
		else if (has_name(value, "_bytes") && json_int(value, &number))
			show_bytes(out, number);
		else
			(void)buf_append(out, value->text, value->len);
		break;
	case JSON_STRING:
		if (!put_time(out, value->text))
			(void)buf_append(out, value->text, value->len);
		break;
	case JSON_ARRAY:
		if (is_plain_list(value))
			put_list(out, value);
		else
			(void)json_append(out, value);
		break;
	case JSON_OBJECT:
		(void)json_append(out, value);
		break;
	}
}

struct column {
	const char *title; /* NULL ends the columns */
	const char *text;
};

struct list_columns {
	const char *member; /* the array in the result */
	struct column columns[TABLE_COLUMNS_MAX];
};

/* Keep alphabetized. For other arrays, the first row gives the columns. */
static const struct list_columns lists[] = {
    {"actions",
	{{"TIME", "{time}"}, {"METHOD", "{method}"}, {"PEER", "{peer_pid}"},
	    {"OUTCOME", "{outcome}"}, {"TOOK", "{duration_ms}"}, {"PARAMS", "{params}"},
	    {"MESSAGE", "{message}"}}},
    {"agents",
	{{"AGENT", "{agent}"}, {"STATE", "{state}"}, {"SINCE", "{since}"}, {"PANE", "{pane}"},
	    {"COMMAND", "{command}"}, {"QUESTION", "{question}"}, {"WHY", "{reason}"}}},
    {"hosts",
	{{"HOST", "{target}"}, {"SERVER", "{server}"}, {"STATE", "{state}"},
	    {"VERSION", "{version}"}, {"PANES", "{panes}"}, {"AGENTS", "{agents}"},
	    {"JOBS", "{jobs}"}, {"REASON", "{reason}"}}},
    {"jobs",
	{{"ID", "{id}"}, {"STATE", "{state}"}, {"EXIT", "{exit_code}{signal?SIG }"},
	    {"STARTED", "{started}"}, {"TOOK", "{duration_ms}"}, {"LOG", "{log_bytes}"},
	    {"NAME", "{name}"}, {"COMMAND", "{command}"}}},
    {"matches", {{"ROW", "{row}"}, {"COLUMN", "{column}"}, {"TEXT", "{text}"}}},
    {"notifications",
	{{"SEQ", "{seq}"}, {"TIME", "{time}"}, {"SOURCE", "{source}"}, {"ID", "{id}"},
	    {"PANE", "{pane}"}, {"STATE", "{state}"}, {"TEXT", "{text}"}}},
    {"panes",
	{{"PANE", "{pane}"}, {"WHERE", "{session_name}:{window_index}.{pane_index}"},
	    {"SIZE", "{width}x{height}"}, {"ACTIVE", "{active?*}"}, {"DEAD", "{dead?dead}"},
	    {"MODE", "{mode}"}, {"COMMAND", "{command}"}, {"PATH", "{path}"},
	    {"TITLE", "{title}"}}},
    {"pending", {{"KIND", "{kind}"}, {"ID", "{id}"}, {"DUE", "{due}"}, {"WHAT", "{what}"}}},
    {"sessions",
	{{"SESSION", "{session}"}, {"NAME", "{name}"}, {"WINDOWS", "{windows}"},
	    {"ATTACHED", "{attached}"}, {"CREATED", "{created}"}, {"GROUP", "{group}"},
	    {"SAVED", "{saved}"}, {"EXISTS", "{exists?yes}"}}},
    {"timers",
	{{"ID", "{id}"}, {"PANE", "{pane}"}, {"DUE", "{due}"}, {"RECURRING", "{recurring}"},
	    {"PERIOD", "{period_sec}"}, {"TEXT", "{text}"}}},
    {"tools",
	{{"TOOL", "{name}"}, {"GROUP", "{group}"}, {"STATE", "{state}{reason?: }"},
	    {"DESCRIPTION", "{description}"}}},
    {"watches",
	{{"ID", "{id}"}, {"STATE", "{state}"}, {"PANE", "{pane}"}, {"FILE", "{file}"},
	    {"REGEX", "{regex}"}, {"COUNT", "{count}"}, {"DUE", "{due}"}}},
    {"windows",
	{{"WINDOW", "{window}"}, {"INDEX", "{index}"}, {"NAME", "{name}"},
	    {"SIZE", "{width}x{height}"}, {"PANES", "{panes}"}, {"ACTIVE", "{active_pane}"},
	    {"SESSIONS", "{sessions}"}}},
};

/*
 * {member} becomes the member's value, nothing for null, or the number of objects in a list.
 * {member?text} becomes nothing for null or false, else the text, followed by the value unless that
 * is true.
 */
static void put_member(struct buf *out, const struct json *row, const char *name, size_t len)
{
	char member[64];
	const char *mark = memchr(name, '?', len);
	size_t name_len = mark != NULL ? (size_t)(mark - name) : len;
	const struct json *value;
	(void)snprintf(member, sizeof member, "%.*s", (int)name_len, name);
	value = json_given(row, member);
	if (value == NULL)
		return;
	if (mark == NULL && value->type == JSON_ARRAY && !is_plain_list(value))
		(void)buf_printf(out, "%zu", value->count);
	else if (mark == NULL)
		show_value(out, value);
	else if (value->type != JSON_BOOL || value->boolean)
		(void)buf_append(out, mark + 1, len - name_len - 1);
	if (mark != NULL && value->type != JSON_BOOL)
		show_value(out, value);
}

static void put_template(struct buf *out, const struct json *row, const char *text)
{
	while (*text) {
		size_t plain = strcspn(text, "{");
		(void)buf_append(out, text, plain);
		text += plain;
		if (*text) {
			size_t len = strcspn(text, "}");
			put_member(out, row, text + 1, len - 1);
			text += len + 1;
		}
	}
}

static void write_table(struct buf *out, const struct json *array, const struct column *columns,
    size_t count, size_t width, bool has_color)
{
	const char *titles[TABLE_COLUMNS_MAX];
	struct buf cell = BUF(OUT_MAX);
	struct table *table;
	for (size_t i = 0; i < count; i++)
		titles[i] = columns[i].title;
	table = table_new(titles, count);
	json_each (row, array) {
		for (size_t i = 0; i < count; i++) {
			buf_clear(&cell);
			put_template(&cell, row, columns[i].text);
			table_add(table, buf_text(&cell), cell.len);
		}
	}
	table_write(table, out, width, has_color);
	buf_finish(&cell);
	table_free(table);
}

static void write_any_table(struct buf *out, const struct json *array, size_t width, bool has_color)
{
	struct column columns[TABLE_COLUMNS_MAX] = {{NULL, NULL}};
	char texts[TABLE_COLUMNS_MAX][72];
	size_t count = 0;
	for (const struct json *member = array->child->child;
	     member != NULL && count < TABLE_COLUMNS_MAX; member = member->next) {
		if (strlen(member->name) > 60 || strpbrk(member->name, "{}?") != NULL)
			continue;
		(void)snprintf(texts[count], sizeof texts[0], "{%s}", member->name);
		columns[count] = (struct column){member->name, texts[count]};
		count++;
	}
	if (count > 0)
		write_table(out, array, columns, count, width, has_color);
}

static void write_list(struct buf *out, const struct json *array, size_t width, bool has_color)
{
	const struct list_columns *list = str_row(lists, array->name);
	size_t count = 0;
	if (array->count == 0) {
		(void)buf_append_str(out, "no ");
		(void)screen_text_line(out, array->name, array->name_len);
		(void)buf_append_byte(out, '\n');
		return;
	}
	if (list == NULL) {
		write_any_table(out, array, width, has_color);
		return;
	}
	while (count < TABLE_COLUMNS_MAX && list->columns[count].title != NULL)
		count++;
	write_table(out, array, list->columns, count, width, has_color);
}

static void write_notes(
    struct buf *out, const struct json *rows, const char *template, const char *text_key)
{
	json_each (row, rows) {
		const char *text = json_get_str(row, text_key, "");
		put_template(out, row, template);
		(void)screen_text_line(out, text, strlen(text));
		(void)buf_append_byte(out, '\n');
	}
}

/* Finds the only array of objects in a result or, of several, the only one that `lists` has. */
static const struct json *find_list(const struct json *result)
{
	const struct json *found = NULL, *known = NULL;
	unsigned count = 0, known_count = 0;
	/* Arrays about the hosts, which a merged list of a fleet has beside its main array. */
	static const char *const about_hosts[] = {"hosts", "missing", NULL};
	bool is_gathered = json_member(result, "missing") != NULL;
	json_each_member (member, result) {
		bool is_known = member->type == JSON_ARRAY && str_row(lists, member->name) != NULL;
		if (is_gathered && str_is_in(member->name, about_hosts))
			continue;
		if (member->type != JSON_ARRAY ||
		    (member->count > 0 && member->child->type != JSON_OBJECT))
			continue;
		found = member;
		known = is_known ? member : known;
		count++;
		known_count += is_known;
	}
	return count == 1 ? found : known_count == 1 ? known : NULL;
}

/* Writes the values of a result as lines, with names such as "tmux.version". */
struct value_walk {
	struct buf *out;
	bool has_color;
	size_t name_width; /* of the widest name, measured in a first pass */
	bool is_measuring;
};

static void put_pair(struct value_walk *walk, const char *name, const struct json *value)
{
	struct buf text = BUF(OUT_MAX);
	size_t width = utf8_cells(name, strlen(name));
	if (walk->is_measuring) {
		if (width > walk->name_width)
			walk->name_width = width < NAME_COLUMNS_MAX ? width : NAME_COLUMNS_MAX;
		return;
	}
	show_value(&text, value);
	(void)buf_append_str(walk->out, screen_style(walk->has_color, SCREEN_DIM));
	(void)screen_text_line(walk->out, name, strlen(name));
	(void)buf_append_str(walk->out, screen_style(walk->has_color, SCREEN_PLAIN));
	(void)buf_printf(walk->out, "%*s",
	    (int)(walk->name_width > width ? walk->name_width - width : 0) + 2, "");
	(void)screen_text_line(walk->out, buf_text(&text), text.len);
	(void)buf_append_byte(walk->out, '\n');
	buf_finish(&text);
}

static void walk_object(struct value_walk *walk, const char *prefix, const struct json *object)
{
	json_each_member (member, object) {
		char name[512];
		/* The message already contains the text of "wake". */
		if (strcmp(member->name, "wake") == 0 && *json_get_str(object, "message", ""))
			continue;
		(void)snprintf(
		    name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", member->name);
		if (member->type == JSON_OBJECT && member->count > 0)
			walk_object(walk, name, member);
		else
			put_pair(walk, name, member);
	}
}

static void write_pairs(struct buf *out, const struct json *object, bool has_color)
{
	struct value_walk walk = {.out = out, .has_color = has_color, .is_measuring = true};
	walk_object(&walk, "", object);
	walk.is_measuring = false;
	walk_object(&walk, "", object);
}

/* Methods whose result is mainly text, and the members with the text. */
static const struct {
	const char *method, *members[3];
} texts[] = {
    {"capture_pane", {"text", "base64"}},
    {"execute_cli", {"stdout", "stderr"}},
    {"read_job", {"text", "base64"}},
    {"read_output", {"text", "base64"}},
    {"respond", {"text"}},
    {"run_tmux", {"output"}},
    {"send_task", {"text"}},
};

static const char *const *text_members(const char *method, const struct json *result)
{
	static const char *const only_text[] = {"text", NULL};
	/* With another outcome, such as a question or a timeout, other members matter too. */
	if (strcmp(json_get_str(result, "outcome", "ready"), "ready") != 0)
		return NULL;
	if (str_row(texts, method) != NULL)
		return str_row(texts, method)->members;
	/*
	 * Other results are text if they have only text and note, such as those of declared tools.
	 */
	if (json_member(result, "text") == NULL)
		return NULL;
	json_each_member (member, result)
		if (member->type != JSON_STRING ||
		    (strcmp(member->name, "text") != 0 && strcmp(member->name, "note") != 0))
			return NULL;
	return only_text;
}

static bool write_text(struct buf *out, const char *method, const struct json *result)
{
	const char *const *member = text_members(method, result), *note;
	if (member == NULL)
		return false;
	for (; *member != NULL; member++) {
		const struct json *text = json_member(result, *member);
		if (text == NULL || text->type != JSON_STRING || text->len == 0)
			continue;
		(void)screen_text_block(out, text->text, text->len);
		if (text->text[text->len - 1] != '\n')
			(void)buf_append_byte(out, '\n');
	}
	note = json_get_str(result, "note", "");
	if (*note) {
		(void)screen_text_line(out, note, strlen(note));
		(void)buf_append_byte(out, '\n');
	}
	return true;
}

void show_write(
    struct buf *out, const char *method, const struct json *result, size_t columns, bool has_color)
{
	const struct json *list = find_list(result);
	const char *message;
	const struct json *gap;
	int64_t parked = json_get_int(result, "parked", 0);
	if (write_text(out, method, result))
		return;
	message = json_get_str(result, "message", "");
	gap = json_member(result, "gap");
	if (list != NULL && list->count == 0 && *message) {
		(void)screen_text_line(out, message, strlen(message));
		(void)buf_append_byte(out, '\n');
	} else if (list != NULL) {
		write_list(out, list, columns, has_color);
	} else if (result->type == JSON_OBJECT && result->count > 0) {
		write_pairs(out, result, has_color);
	} else {
		(void)buf_append_str(out, "done\n");
	}
	write_notes(out, json_member(result, "missing"), "missing: {host}/{server}: ", "reason");
	if (json_member(result, "hosts") != NULL)
		write_notes(out, json_member(result, "errors"), "hosts, line {line}: ", "text");
	if (gap != NULL && gap->type == JSON_OBJECT) {
		(void)buf_append_str(out, "gap: ");
		(void)json_append(out, gap);
		(void)buf_append_byte(out, '\n');
	}
	if (list != NULL && json_get_bool(result, "more", false))
		(void)buf_printf(
		    out, "more: behind %" PRId64 "\n", json_get_int(result, "last", 0));
	if (parked > 0)
		(void)buf_printf(out,
		    "parked: %" PRId64
		    " of this consumer, which next_notification with parked=true takes again\n",
		    parked);
}

bool show_is_json(const struct cli *cli)
{
	return cli->wants_json || (!cli->is_terminal && !cli->wants_text);
}

static void put_indented(struct buf *out, const struct json *value, int depth)
{
	bool is_array = value->type == JSON_ARRAY, is_lossy = false;
	if ((!is_array && value->type != JSON_OBJECT) || value->count == 0) {
		(void)json_append(out, value);
		return;
	}
	(void)buf_append_byte(out, is_array ? '[' : '{');
	json_each (at, value) {
		(void)buf_printf(out, "%s\n%*s", at == value->child ? "" : ",", depth * 2 + 2, "");
		if (!is_array) {
			(void)buf_append_byte(out, '"');
			(void)json_escape(out, at->name, at->name_len, &is_lossy);
			(void)buf_append_str(out, "\": ");
		}
		put_indented(out, at, depth + 1);
	}
	(void)buf_printf(out, "\n%*s%c", depth * 2, "", is_array ? ']' : '}');
}

void show_json(const struct cli *cli, const struct json *value)
{
	struct buf out = BUF(OUT_MAX);
	if (cli->is_terminal)
		put_indented(&out, value, 0);
	else
		(void)json_append(&out, value);
	(void)buf_append_byte(&out, '\n');
	cli_print(&out);
}

void show_result(const struct cli *cli, const char *method, const struct json *result)
{
	struct buf out = BUF(OUT_MAX);
	size_t columns;
	if (show_is_json(cli)) {
		show_json(cli, result);
		return;
	}
	columns = cli->is_terminal ? (size_t)screen_columns(STDOUT_FILENO) : 0;
	show_write(&out, method, result, columns, cli->has_color);
	cli_print(&out);
}

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

static void put_clock(struct buf *out, const char *text)
{
	struct tm local;
	int64_t ms;
	if (read_time(text, &ms, &local))
		(void)buf_printf(out, "%02d:%02d:%02d.%03d", local.tm_hour, local.tm_min,
		    local.tm_sec, (int)(ms % 1000));
	else
		(void)screen_text_line(out, text, strlen(text));
}

static enum screen_style style_of(const char *kind)
{
	if (strcmp(kind, "gap") == 0 || strcmp(kind, "server_lost") == 0)
		return SCREEN_BAD;
	if (strcmp(kind, "notification") == 0 || strcmp(kind, "delivery") == 0)
		return SCREEN_WARN;
	return SCREEN_GOOD;
}

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

void show_event(struct buf *out, const struct json *event, bool has_color)
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
