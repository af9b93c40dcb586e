/* SPDX-License-Identifier: ISC */
#include "cli/top/top_model.h"

#include "cli/show.h"

#define TEXT_MAX 4096 /* bytes of a value; a longer one is cut, since no screen has room for it */
#define DETAIL_BYTES_MAX (TOP_ITEM_BYTES_MAX * 2)

static void put_member(struct buf *out, const struct json *item, const char *name)
{
	const struct json *value = json_member(item, name);
	if (value != NULL && (value->type == JSON_STRING || value->type == JSON_NUMBER))
		(void)buf_append(out, value->text, value->len);
}

/* Returns the length of the prefix "HOST:" or "HOST/SERVER:" of a fleet's id; 0 without one. */
static size_t host_len(const struct json *item, const struct json *id)
{
	const struct json *host = json_member(item, "host");
	const char *colon;
	if (host == NULL || host->type != JSON_STRING || id == NULL || id->type != JSON_STRING ||
	    id->len <= host->len || memcmp(id->text, host->text, host->len) != 0 ||
	    (id->text[host->len] != ':' && id->text[host->len] != '/'))
		return 0;
	colon = memchr(id->text, ':', id->len);
	return colon != NULL ? (size_t)(colon - id->text) + 1 : 0;
}

/* Members with ids, which may have a host's prefix. */
static const char *const ids[] = {"pane", "id", "agent", NULL};

static void put_id(struct buf *out, const struct json *item, const char *name)
{
	const struct json *id = json_member(item, name);
	size_t len = host_len(item, id);
	if (len > 0)
		(void)buf_append(out, id->text + len, id->len - len);
	else
		put_member(out, item, name);
}

static void read_host(struct buf *out, const struct json *item)
{
	size_t len = 0;
	for (size_t i = 0; ids[i] != NULL && len == 0; i++) {
		const struct json *id = json_member(item, ids[i]);
		len = host_len(item, id);
		if (len > 0)
			(void)buf_append(out, id->text, len - 1);
	}
	if (len == 0)
		put_member(out, item, "host");
}

static void read_place(struct buf *out, const struct json *item)
{
	put_member(out, item, "session_name");
	(void)buf_printf(out, ":%" PRId64 ".%" PRId64, json_get_int(item, "window_index", 0),
	    json_get_int(item, "pane_index", 0));
}

static void read_due_clock(struct buf *out, const struct json *item)
{
	if (json_member(item, "due") != NULL)
		show_value(out, json_member(item, "due"));
}

static void read_pane_state(struct buf *out, const struct json *item)
{
	int64_t status;
	const struct json *exit_status = json_member(item, "exit_status");
	const char *mode = json_get_str(item, "mode", "");
	if (json_get_bool(item, "dead", false) && json_int(exit_status, &status))
		(void)buf_printf(out, "exit %" PRId64, status);
	else if (json_get_bool(item, "dead", false))
		(void)buf_append_str(out, "dead");
	else if (*mode)
		(void)buf_append_str(out, strcmp(mode, "copy-mode") == 0 ? "copying" : mode);
	else if (json_get_bool(item, "human", false))
		(void)buf_append_str(out, "human");
}

static void read_job_result(struct buf *out, const struct json *item)
{
	const struct json *code = json_member(item, "exit_code");
	const struct json *signal = json_member(item, "signal");
	if (code != NULL && code->type == JSON_NUMBER)
		put_member(out, item, "exit_code");
	if (signal == NULL || signal->type != JSON_NUMBER)
		return;
	(void)buf_append_str(out, out->len > 0 ? " SIG " : "SIG ");
	put_member(out, item, "signal");
}

static void read_job_command(struct buf *out, const struct json *item)
{
	const struct json *name = json_member(item, "name");
	if (name != NULL && name->type == JSON_STRING && name->len > 0) {
		put_member(out, item, "name");
		(void)buf_append_str(out, ": ");
	}
	put_member(out, item, "command");
}

static void read_job_bytes(struct buf *out, const struct json *item)
{
	if (json_member(item, "log_bytes") != NULL)
		show_bytes(out, json_get_int(item, "log_bytes", 0));
}

static void put_seconds(struct buf *out, double seconds)
{
	if (seconds < 60)
		(void)buf_printf(out, "%.*fs", seconds < 10 ? 1 : 0, seconds);
	else if (seconds < 3600)
		(void)buf_printf(out, "%dm%02d", (int)seconds / 60, (int)seconds % 60);
	else if (seconds < 1e9)
		(void)buf_printf(out, "%dh%02d", (int)seconds / 3600, (int)seconds / 60 % 60);
}

static void read_job_took(struct buf *out, const struct json *item)
{
	const struct json *took = json_member(item, "duration_ms");
	if (took != NULL && took->type == JSON_NUMBER)
		put_seconds(out, json_get_double(item, "duration_ms") / 1000);
}

static void read_timer_period(struct buf *out, const struct json *item)
{
	double period = json_get_double(item, "period_sec");
	if (period > 0) {
		(void)buf_append_str(out, "every ");
		put_seconds(out, period);
	} else {
		(void)buf_append_str(out, "once");
	}
}

static void read_agent_command(struct buf *out, const struct json *item)
{
	const struct json *command = json_member(item, "command");
	if (command == NULL || command->type != JSON_ARRAY) {
		put_member(out, item, "command");
		return;
	}
	json_each (word, command) {
		if (word->type != JSON_STRING)
			continue;
		if (out->len > 0)
			(void)buf_append_byte(out, ' ');
		(void)buf_append(out, word->text, word->len);
	}
}

static const struct word_text {
	const char *word, *text;
} way_words[] = {
    {"waited", "taken by a wait"},
    {"follow", "taken by follow"},
    {"hook", "taken by a hook"},
    {"queue_command", "sent by a command"},
    {"typed", "typed"},
    {"shown", "shown to you"},
    {"on_notify", "taken by on_notify"},
    {"none", "no way"},
};

static const struct word_text result_words[] = {
    {"deferred", "waits"},
    {"submitted", "typed"},
    {"typed", "typed, not taken"},
    {"shown", "shown"},
    {"handed_over", "taken"},
    {"refused", "refused"},
};

/* Appends the delivery of a notification in words, such as "waits: a person types". */
static void read_delivery(struct buf *out, const struct json *item)
{
	const struct json *delivery = json_member(item, "delivery");
	const char *result = json_get_str(delivery, "result", "");
	const char *way = json_get_str(delivery, "way", "");
	const char *reason = json_get_str(delivery, "reason", "");
	bool is_taken = strcmp(result, "handed_over") == 0 && *way;
	const struct word_text *row =
	    is_taken ? str_row(way_words, way) : str_row(result_words, result);
	(void)buf_append_str(out, row != NULL ? row->text : is_taken ? way : result);
	if (*reason)
		(void)buf_printf(out, "%s%s", out->len > 0 ? ": " : "", reason);
}

static void read_watch_wish(struct buf *out, const struct json *item)
{
	if (json_get_bool(item, "wake_on_change", false))
		(void)buf_append_str(out, "any change");
	else
		put_member(out, item, "regex");
}

#define HOST_COLUMN                                            \
	{                                                      \
		"HOST", TOP_HOST, 0, 0, false, NULL, read_host \
	}

const struct top_table top_tables[TOP_LIST_COUNT_] = {
    [TOP_HOME] = {.name = "Home"},
    [TOP_PANES] = {"Panes", "list_panes", "panes", "pane", "kill", "close_pane", "pane",
	{
	    {"PANE", TOP_TEXT, 5, 0, false, "pane", NULL},
	    HOST_COLUMN,
	    {"WHERE", TOP_TEXT, 14, 3, false, NULL, read_place},
	    {"STATE", TOP_STATE, 8, 4, false, NULL, read_pane_state},
	    {"OUTPUT", TOP_AGE, 6, 2, true, "last_output", NULL},
	    {"CPU", TOP_CPU, 4, 4, true, "pid", NULL},
	    {"COMMAND", TOP_TEXT, 12, 0, false, "command", NULL},
	    {"TITLE", TOP_TEXT, 0, 1, false, "title", NULL},
	    {"PATH", TOP_PATH, 0, 5, false, "path", NULL},
	}},
    [TOP_JOBS] = {"Jobs", "list_jobs", "jobs", "id", "stop", "stop_job", "job",
	{
	    {"JOB", TOP_TEXT, 5, 0, false, "id", NULL},
	    HOST_COLUMN,
	    {"STATE", TOP_STATE, 8, 0, false, "state", NULL},
	    {"EXIT", TOP_TEXT, 6, 2, true, NULL, read_job_result},
	    {"AGE", TOP_AGE, 5, 1, true, "started", NULL},
	    {"TOOK", TOP_TEXT, 6, 3, true, NULL, read_job_took},
	    {"LOG", TOP_TEXT, 5, 4, true, NULL, read_job_bytes},
	    {"PANE", TOP_TEXT, 5, 5, false, "pane", NULL},
	    {"COMMAND", TOP_TEXT, 0, 0, false, NULL, read_job_command},
	}},
    [TOP_TIMERS] = {"Timers", "list_timers", "timers", "id", "cancel", "cancel_timer", "timer",
	{
	    {"TIMER", TOP_TEXT, 5, 0, false, "id", NULL},
	    HOST_COLUMN,
	    {"DUE IN", TOP_DUE, 7, 0, true, "due", NULL},
	    {"PANE", TOP_TEXT, 5, 1, false, "pane", NULL},
	    {"PERIOD", TOP_TEXT, 12, 3, false, NULL, read_timer_period},
	    {"DUE", TOP_TEXT, 19, 2, false, NULL, read_due_clock},
	    {"TEXT", TOP_TEXT, 0, 0, false, "text", NULL},
	}},
    [TOP_WATCHES] = {"Watches", "list_watches", "watches", "id", "cancel", "cancel_watch", "id",
	{
	    {"WATCH", TOP_TEXT, 5, 0, false, "id", NULL},
	    HOST_COLUMN,
	    {"STATE", TOP_STATE, 10, 2, false, "state", NULL},
	    {"ENDS IN", TOP_DUE, 7, 3, true, "due", NULL},
	    {"PANE", TOP_TEXT, 5, 4, false, "pane", NULL},
	    {"FILE", TOP_PATH, 0, 0, false, "file", NULL},
	    {"FOR", TOP_TEXT, 0, 1, false, NULL, read_watch_wish},
	}},
    [TOP_QUEUE] = {"Queue", "list_notifications", "notifications", "seq", "cancel",
	"cancel_notification", "seq",
	{
	    {"SEQ", TOP_TEXT, 8, 5, true, "seq", NULL},
	    {"ID", TOP_TEXT, 5, 0, false, "id", NULL},
	    HOST_COLUMN,
	    {"AGE", TOP_AGE, 5, 1, true, "time", NULL},
	    {"SOURCE", TOP_TEXT, 9, 4, false, "source", NULL},
	    {"STATE", TOP_STATE, 12, 2, false, "state", NULL},
	    {"PANE", TOP_TEXT, 5, 3, false, "pane", NULL},
	    {"TEXT", TOP_TEXT, 0, 0, false, "text", NULL},
	    {"DELIVERY", TOP_TEXT, 0, 3, false, NULL, read_delivery},
	}},
    [TOP_AGENTS] = {"Agents", "list_agents", "agents", "agent", "stop", "stop_agent", "agent",
	{
	    {"AGENT", TOP_TEXT, 14, 0, false, "agent", NULL},
	    HOST_COLUMN,
	    {"STATE", TOP_STATE, 9, 0, false, "state", NULL},
	    {"SINCE", TOP_AGE, 5, 2, true, "since", NULL},
	    {"PANE", TOP_TEXT, 5, 1, false, "pane", NULL},
	    {"WHY", TOP_TEXT, 0, 4, false, "reason", NULL},
	    {"COMMAND", TOP_TEXT, 0, 3, false, NULL, read_agent_command},
	}},
};

struct word_style {
	const char *word;
	enum screen_style style;
	bool is_over;
};

static const struct word_style word_styles[] = {
    {"acknowledged", SCREEN_PLAIN, true},
    {"absent", SCREEN_WARN, false},
    {"blocked", SCREEN_WARN, false},
    {"busy", SCREEN_GOOD, false},
    {"cancelled", SCREEN_PLAIN, true},
    {"copying", SCREEN_WARN, false},
    {"crashed", SCREEN_BAD, false},
    {"dead", SCREEN_BAD, false},
    {"delivered", SCREEN_PLAIN, true},
    {"delivering", SCREEN_GOOD, false},
    {"draft", SCREEN_WARN, false},
    {"exit 0", SCREEN_PLAIN, true},
    {"exited", SCREEN_PLAIN, true},
    {"failed", SCREEN_BAD, false},
    {"gone", SCREEN_PLAIN, true},
    {"human", SCREEN_NAME, false},
    {"lost", SCREEN_BAD, false},
    {"queued", SCREEN_WARN, false},
    {"ready", SCREEN_GOOD, false},
    {"reading", SCREEN_GOOD, false},
    {"running", SCREEN_GOOD, false},
    {"starting", SCREEN_WARN, false},
    {"stopped", SCREEN_WARN, true},
    {"unreadable", SCREEN_BAD, false},
};

enum screen_style top_state_style(const char *word)
{
	const struct word_style *found = str_row(word_styles, word);
	if (found == NULL && strncmp(word, "exit ", 5) == 0)
		return SCREEN_BAD;
	return found != NULL ? found->style : SCREEN_PLAIN;
}

static void free_items(struct top_items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		mem_free(items->items[i].id);
		mem_free(items->items[i].pane);
		mem_free(items->items[i].host);
		mem_free(items->items[i].server);
		mem_free(items->items[i].json);
		mem_free(items->items[i].what);
		mem_free(items->items[i].session);
		mem_free(items->items[i].window);
		for (size_t column = 0; column < TOP_COLUMNS_MAX; column++)
			mem_free(items->items[i].values[column].text);
	}
	items->count = 0;
}

void top_model_init(struct top_model *model, const char *name)
{
	*model = (struct top_model){.reader = json_reader_new(TOP_ITEM_BYTES_MAX)};
	(void)snprintf(model->name, sizeof model->name, "%s", name);
}

void top_model_finish(struct top_model *model)
{
	for (size_t i = 0; i < TOP_LIST_COUNT_; i++) {
		free_items(&model->lists[i]);
		mem_free(model->lists[i].items);
		mem_free(model->lists[i].places);
	}
	json_reader_free(model->reader);
}

static char *read_value(const struct top_column *column, const struct json *json)
{
	struct buf text = BUF(TOP_READ_MAX);
	char *value;
	if (column->read != NULL)
		column->read(&text, json);
	else if (str_is_in(column->member, ids))
		put_id(&text, json, column->member);
	else
		put_member(&text, json, column->member);
	value = xmemdup(buf_text(&text), text.len < TEXT_MAX ? text.len : TEXT_MAX);
	buf_finish(&text);
	return value;
}

static char *copy_member(const struct json *json, const char *name)
{
	const struct json *member = json_member(json, name);
	return member != NULL && member->type == JSON_STRING ? xmemdup(member->text, member->len)
							     : NULL;
}

static bool is_pane(const struct json *json)
{
	const struct json *pane = json_member(json, "pane");
	return pane != NULL && pane->type == JSON_STRING && pane->text[host_len(json, pane)] == '%';
}

/* Appends the id of an item; "HOST/SERVER:" precedes a number from a host of a fleet. */
static void put_target(struct buf *out, const struct top_table *table, const struct top_item *item,
    const struct json *json)
{
	const struct json *id = json_member(json, table->id);
	if (item->host != NULL && item->server != NULL && id != NULL && id->type == JSON_NUMBER)
		(void)buf_printf(out, "%s/%s:", item->host, item->server);
	put_member(out, json, table->id);
}

static void load_item(const struct top_model *model, enum top_list list, struct top_item *item,
    const struct json *json)
{
	const struct top_table *table = &top_tables[list];
	struct buf text = BUF(TOP_ITEM_BYTES_MAX);
	*item = (struct top_item){.cpu_percent = -1, .list = list};
	top_item_read(item, json, clock_real_ms(), model->looked_ms);
	item->pid = (pid_t)json_get_int(json, "pid", 0);
	item->pane = is_pane(json) ? copy_member(json, "pane") : NULL;
	item->host = copy_member(json, "host");
	item->server = copy_member(json, "server");
	if (item->host != NULL)
		item->pid = 0; /* processes of other machines cannot be measured */
	(void)json_append(&text, json);
	item->json = xstrdup(buf_text(&text));
	buf_clear(&text);
	put_target(&text, table, item, json);
	item->id = xmemdup(buf_text(&text), text.len);
	buf_finish(&text);
	for (size_t i = 0; table->columns[i].title != NULL; i++) {
		const struct top_column *column = &table->columns[i];
		struct top_value *value = &item->values[i];
		const struct word_style *word;
		value->text = read_value(column, json);
		if (column->kind == TOP_AGE || column->kind == TOP_DUE)
			value->time_ms = clock_parse(value->text);
		word = column->kind == TOP_STATE ? str_row(word_styles, value->text) : NULL;
		item->is_over = item->is_over || (word != NULL && word->is_over);
	}
}

static void load_missing(struct top_items *items, const struct json *result)
{
	size_t len = 0;
	items->missing[0] = '\0';
	json_each (host, json_member(result, "missing")) {
		if (len >= sizeof items->missing)
			return;
		len += (size_t)snprintf(items->missing + len, sizeof items->missing - len,
		    "%s%s/%s: %s", len > 0 ? "; " : "", json_get_str(host, "host", ""),
		    json_get_str(host, "server", ""), json_get_str(host, "reason", ""));
	}
}

void top_model_load(
    struct top_model *model, enum top_list list, const struct json *result, int64_t after)
{
	const struct top_table *table = &top_tables[list];
	struct top_items *items = &model->lists[list];
	const struct json *array = json_member(result, table->member);
	size_t before;
	if (after < 0)
		free_items(items);
	items->is_known = array != NULL && array->type == JSON_ARRAY;
	if (!items->is_known)
		return;
	items->has_hosts = json_member(result, "hosts") != NULL;
	load_missing(items, result);
	before = items->count;
	items->items =
	    xrealloc(items->items, (before + array->count + 1) * sizeof(struct top_item));
	json_each (json, array) {
		if (items->count >= TOP_ITEMS_MAX)
			break;
		if (after < 0 || json_get_int(json, table->id, 0) <= after)
			load_item(model, list, &items->items[items->count++], json);
	}
	if (list == TOP_PANES)
		top_item_place(items);
	if (list == TOP_PANES || list == TOP_AGENTS)
		top_item_mark(&model->lists[TOP_PANES], &model->lists[TOP_AGENTS]);
	/* Reverse the new items, so that the newest comes first. */
	if (list == TOP_QUEUE || list == TOP_JOBS) {
		for (size_t i = before, j = items->count; i + 1 < j; i++) {
			struct top_item item = items->items[--j];
			items->items[j] = items->items[i];
			items->items[i] = item;
		}
	}
}

void top_model_forget(struct top_model *model, enum top_list list)
{
	free_items(&model->lists[list]);
	model->lists[list].is_known = false;
	model->lists[list].missing[0] = '\0';
}

void top_model_load_status(struct top_model *model, const struct json *result, int64_t now_ms)
{
	struct top_status *status = &model->status;
	const struct json *queue = json_member(result, "queue");
	const struct json *fleet = json_member(result, "fleet");
	int64_t started_ms;
	(void)snprintf(status->tmux_version, sizeof status->tmux_version, "%s",
	    json_get_str(json_member(result, "tmux"), "version", "?"));
	status->tmux_pid = json_get_int(json_member(result, "tmux"), "pid", 0);
	/* Keep the start time, so that it does not flicker, unless it moves by over a second. */
	started_ms = now_ms - (int64_t)(json_get_double(result, "uptime_sec") * 1000);
	if (status->started_ms < started_ms - 1000 || status->started_ms > started_ms + 1000)
		status->started_ms = started_ms;
	/* The status is of one host of a fleet. */
	if (*json_get_str(result, "host", ""))
		(void)snprintf(
		    model->name, sizeof model->name, "%s", json_get_str(result, "host", ""));
	status->is_fleet = fleet != NULL;
	status->hosts = json_get_int(fleet, "hosts", 0);
	status->hosts_up = json_get_int(fleet, "up", 0);
	status->hosts_connecting = json_get_int(fleet, "connecting", 0);
	status->hosts_down = json_get_int(fleet, "down", 0);
	status->sessions = json_get_int(result, "sessions", 0);
	status->windows = json_get_int(result, "windows", 0);
	status->peers = json_get_int(result, "peers", 0);
	status->waits = json_get_int(result, "waits", 0);
	status->undelivered = json_get_int(queue, "undelivered", 0);
	status->consumers = json_get_int(queue, "consumers", 0);
	status->last = json_get_int(queue, "last", 0);
}

void top_model_describe(struct top_model *model, const struct top_item *item, struct buf *out)
{
	struct json_error error;
	const struct json *json = json_read(model->reader, item->json, strlen(item->json), &error);
	if (json == NULL)
		return;
	json_each_member (member, json) {
		struct buf value = BUF(DETAIL_BYTES_MAX);
		if (member->type == JSON_STRING)
			(void)buf_append(&value, member->text, member->len);
		else if (member->type != JSON_NULL)
			(void)json_append(&value, member);
		(void)buf_printf(out, "%-16s ", member->name);
		if (value.len > 0)
			(void)str_append_visible(out, value.data, value.len);
		(void)buf_append_byte(out, '\n');
		buf_finish(&value);
	}
}
