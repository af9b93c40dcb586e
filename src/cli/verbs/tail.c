/* SPDX-License-Identifier: ISC */
/* muxbus tail: prints the lines of a pane as its program writes them. */
#include "cli/verb.h"
#include "cli/verbs/interrupt.h"

struct tail_verb {
	struct cli *cli;
	const char *target;
	char pane[CLI_ID_SIZE];
	uint32_t count; /* 0: no limit */
	uint32_t seen;
	int64_t timeout_ms; /* -1: no timeout */
	bool has_ended; /* the pane or the tmux server has gone */
	struct interrupt interrupt;
	struct buf line;
};

static const struct option_row options[] = {
    {"", 0, OPTION_TEXT, offsetof(struct tail_verb, target), NULL},
    {"count", 'n', OPTION_COUNT, offsetof(struct tail_verb, count), NULL},
    {"timeout", 't', OPTION_DURATION, offsetof(struct tail_verb, timeout_ms), NULL},
    {0},
};

static bool is_done(const void *data)
{
	const struct tail_verb *tail = data;
	return tail->has_ended || (tail->count > 0 && tail->seen >= tail->count) || ferror(stdout);
}

static void print_line(struct tail_verb *tail, const struct json *event)
{
	const char *text = json_get_str(event, "text", "");
	buf_clear(&tail->line);
	if (tail->cli->wants_json)
		(void)json_append(&tail->line, event);
	else if (tail->cli->is_terminal)
		(void)screen_text_block(&tail->line, text, strlen(text));
	else
		(void)buf_append_str(&tail->line, text);
	if (tail->cli->wants_json || !json_get_bool(event, "part", false))
		(void)buf_append_byte(&tail->line, '\n');
	cli_write(tail->line.data, tail->line.len);
	tail->seen++;
}

static void on_message(
    void *data, const struct json *message, const char *line UNUSED, size_t len UNUSED)
{
	struct tail_verb *tail = data;
	const struct json *event = json_member(message, "params");
	const char *kind = json_get_str(event, "kind", "");
	if (strcmp(json_get_str(message, "method", ""), "event") != 0 || is_done(tail))
		return;
	if (strcmp(kind, "line") == 0)
		print_line(tail, event);
	else if (strcmp(kind, "gap") == 0)
		cli_error("lines are missing: %s", json_get_str(event, "reason", "?"));
	else if (strcmp(kind, "pane_closed") == 0 || strcmp(kind, "server_lost") == 0)
		tail->has_ended = true;
}

static enum cli_status subscribe(struct tail_verb *tail, struct link *link)
{
	char own[32] = "";
	char params[CLI_ID_SIZE + 128];
	const struct json *result;
	enum cli_status status =
	    ask_method(link, "get_pane", ASK_PARAMS({"pane", .text = tail->target}), &result);
	if (status != CLI_DONE)
		return status;
	(void)snprintf(tail->pane, sizeof tail->pane, "%s", json_get_str(result, "pane", ""));
	if (tail->cli->is_terminal && locate_own_pane(tail->cli, own, sizeof own) &&
	    strcmp(own, tail->pane) == 0)
		return cli_usage("tail", "pane %s is this one: its lines would come again", own);
	(void)snprintf(params, sizeof params,
	    "{\"kinds\":[\"gap\",\"line\",\"pane_closed\",\"server_lost\"],\"panes\":[\"%s\"]}",
	    tail->pane);
	link_set_other(link, on_message, tail);
	return ask_result(link, "subscribe", params, ASK_TIMEOUT_MS, &result);
}

enum cli_status tail_run(struct cli *cli, int argc, char **argv)
{
	struct tail_verb tail = {.cli = cli, .timeout_ms = -1};
	enum cli_status status;
	struct link *link;
	if (!option_read(cli, argc, argv, options, &tail, NULL, &status))
		return status;
	if (tail.target == NULL)
		return cli_usage("tail", "a pane is missing");
	if (interrupt_open(&tail.interrupt) < 0)
		return CLI_NO;
	link = ask_connect(cli);
	buf_init(&tail.line, LINK_LINE_MAX);
	status = link != NULL ? subscribe(&tail, link) : CLI_UNREACHABLE;
	if (status == CLI_DONE) {
		status = interrupt_follow(&tail.interrupt, link, clock_deadline_ms(tail.timeout_ms),
		    on_message, is_done, &tail);
		if (status == CLI_UNREACHABLE)
			cli_error("muxbusd is gone");
	}
	buf_finish(&tail.line);
	link_close(link);
	return interrupt_close(&tail.interrupt, status);
}
