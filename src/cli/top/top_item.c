/* SPDX-License-Identifier: ISC */
#include "cli/top/top_item.h"

#define TEXT_MAX 2048 /* bytes; a longer text is cut */

static int64_t time_of(const struct json *json, const char *member)
{
	const char *text = json_get_str(json, member, NULL);
	return text != NULL ? clock_parse(text) : 0;
}

static void read_question(struct buf *out, const struct json *json)
{
	const struct json *choices = json_member(json, "choices");
	(void)buf_append_str(out, json_get_str(json, "question", "asks something"));
	json_each (choice, choices)
		(void)buf_printf(out, "  %" PRId64 " %s", json_get_int(choice, "choice", 0),
		    json_get_str(choice, "text", ""));
	(void)buf_append_str(
	    out, json_get_bool(json, "kept", true) ? "  (a answers)" : "  (Enter goes there)");
}

static void read_agent(struct top_item *item, const struct json *json, struct buf *out)
{
	const char *state = json_get_str(json, "state", "");
	item->since_ms = time_of(json, "since");
	item->is_asking = strcmp(state, "blocked") == 0;
	if (item->is_asking || strcmp(state, "crashed") == 0)
		item->section = TOP_NEEDS;
	else if (strcmp(state, "busy") == 0 || strcmp(state, "starting") == 0)
		item->section = TOP_RUNNING;
	if (item->is_asking && json_member(json, "choices") != NULL)
		item->choices = json_member(json, "choices")->count;
	if (item->is_asking)
		read_question(out, json);
	else
		(void)buf_printf(out, "%s: %s", state, json_get_str(json, "reason", ""));
}

/* Reads a job. Jobs that ended since looked_ms or within TOP_HOME_RECENT_MS are shown. */
static void read_job(struct top_item *item, const struct json *json, int64_t now_ms,
    int64_t looked_ms, struct buf *out)
{
	const char *state = json_get_str(json, "state", ""),
		   *name = json_get_str(json, "name", NULL);
	const char *command = json_get_str(json, "command", "");
	bool is_running = strcmp(state, "running") == 0;
	bool has_failed = strcmp(state, "failed") == 0 || strcmp(state, "lost") == 0;
	item->since_ms = time_of(json, is_running ? "started" : "ended");
	if (is_running)
		item->section = TOP_RUNNING;
	else if (now_ms - item->since_ms < TOP_HOME_RECENT_MS ||
	    (looked_ms > 0 && item->since_ms >= looked_ms))
		item->section = has_failed ? TOP_NEEDS : TOP_FINISHED;
	if (has_failed && json_member(json, "exit_code") != NULL)
		(void)buf_printf(out, "exit %" PRId64 "  ", json_get_int(json, "exit_code", 0));
	else if (!is_running)
		(void)buf_printf(out, "%s  ", state);
	(void)buf_printf(out, "%s%s", name != NULL ? name : "", name != NULL ? ": " : "");
	/* Without --shell, muxbus run puts "exec" before the command. */
	(void)buf_append_str(out, command + (strncmp(command, "exec ", 5) == 0 ? 5 : 0));
}

static void read_notice(
    struct top_item *item, const struct json *json, int64_t now_ms, struct buf *out)
{
	item->since_ms = time_of(json, "time");
	if (strcmp(json_get_str(json, "state", ""), "queued") == 0 &&
	    now_ms - item->since_ms > TOP_HOME_LATE_MS)
		item->section = TOP_NEEDS;
	(void)buf_printf(out, "not delivered: %s", json_get_str(json, "text", ""));
}

static void read_pane(struct top_item *item, const struct json *json, struct buf *out)
{
	const char *title = json_get_str(json, "title", "");
	item->section = TOP_QUIET;
	item->since_ms = time_of(json, "last_output");
	item->session = xstrdup(json_get_str(json, "session_name", ""));
	item->window = xasprintf("%" PRId64 " %s", json_get_int(json, "window_index", 0),
	    json_get_str(json, "window_name", ""));
	item->window_index = json_get_int(json, "window_index", 0);
	item->pane_index = json_get_int(json, "pane_index", 0);
	(void)buf_printf(
	    out, "%s%s%s", json_get_str(json, "command", ""), *title ? "  " : "", title);
}

void top_item_read(
    struct top_item *item, const struct json *json, int64_t now_ms, int64_t looked_ms)
{
	struct buf text = BUF(TOP_READ_MAX);
	item->section = TOP_ELSEWHERE;
	if (item->list == TOP_PANES)
		read_pane(item, json, &text);
	else if (item->list == TOP_AGENTS)
		read_agent(item, json, &text);
	else if (item->list == TOP_JOBS)
		read_job(item, json, now_ms, looked_ms, &text);
	else if (item->list == TOP_QUEUE)
		read_notice(item, json, now_ms, &text);
	item->what = xmemdup(buf_text(&text), text.len < TEXT_MAX ? text.len : TEXT_MAX);
	buf_finish(&text);
}

static int compare_places(const void *one, const void *other)
{
	const struct top_item *a = *(const struct top_item *const *)one;
	const struct top_item *b = *(const struct top_item *const *)other;
	int r = a->host != NULL && b->host != NULL ? strcmp(a->host, b->host) : 0;
	if (r == 0)
		r = strcmp(a->session, b->session);
	if (r != 0)
		return r;
	if (a->window_index != b->window_index)
		return a->window_index < b->window_index ? -1 : 1;
	return a->pane_index < b->pane_index ? -1 : a->pane_index > b->pane_index;
}

void top_item_place(struct top_items *panes)
{
	panes->places = xrealloc(panes->places, (panes->count + 1) * sizeof *panes->places);
	for (size_t i = 0; i < panes->count; i++)
		panes->places[i] = &panes->items[i];
	qsort(panes->places, panes->count, sizeof *panes->places, compare_places);
}

void top_item_mark(struct top_items *panes, const struct top_items *agents)
{
	for (size_t i = 0; i < agents->count; i++) {
		const struct top_item *agent = &agents->items[i];
		const char *state = agent->values[TOP_AGENT_STATE].text;
		if (agent->pane == NULL || strcmp(state, "unknown") == 0)
			continue;
		for (size_t j = 0; j < panes->count; j++) {
			struct top_item *pane = &panes->items[j];
			if (strcmp(pane->id, agent->pane) != 0)
				continue;
			mem_free(pane->values[TOP_PANE_STATE].text);
			pane->values[TOP_PANE_STATE].text = xstrdup(state);
		}
	}
}
