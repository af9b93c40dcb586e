/* SPDX-License-Identifier: ISC */
/* muxbus audit: lists the requests that did more than read. */
#include "cli/verb.h"

enum {
	FOLLOW_SEC = 3600,
	LINE_BYTES = 16384, /* more than a line of the audit */
};

struct audit_choice {
	const char *since, *pane, *method;
	bool follows, verifies, wants_json;
};

static const struct option_row option_rows[] = {
    {"follow", 'f', OPTION_FLAG, offsetof(struct audit_choice, follows), NULL},
    {"method", 0, OPTION_TEXT, offsetof(struct audit_choice, method), NULL},
    {"pane", 'p', OPTION_TEXT, offsetof(struct audit_choice, pane), NULL},
    {"since", 0, OPTION_TEXT, offsetof(struct audit_choice, since), NULL},
    {"verify", 0, OPTION_FLAG, offsetof(struct audit_choice, verifies), NULL},
    {0},
};

static void print_action(const struct json *action)
{
	struct buf line = BUF(LINE_BYTES), clean = BUF(4 * LINE_BYTES);
	int64_t unwritten = json_get_int(action, "unwritten", 0);
	(void)buf_printf(&line, "%lld  %s  %s (%lld) %s  %s  %s %s  %s  %s",
	    (long long)json_get_int(action, "n", 0), json_get_str(action, "time", ""),
	    json_get_str(action, "program", "-"), (long long)json_get_int(action, "pid", 0),
	    json_get_str(action, "pane", "-"), json_get_str(action, "role", ""),
	    json_get_str(action, "method", ""), json_get_str(action, "target", "-"),
	    json_get_str(action, "outcome", "-"), json_get_str(action, "params", ""));
	if (unwritten > 0)
		(void)buf_printf(&line, "%lld more", (long long)unwritten);
	(void)screen_text_line(&clean, buf_text(&line), line.len);
	(void)printf("%s\n", buf_text(&clean));
	buf_finish(&line);
	buf_finish(&clean);
}

static void print_json(const struct json *action)
{
	struct buf line = BUF(LINK_LINE_MAX);
	(void)json_append(&line, action);
	(void)buf_append_byte(&line, '\n');
	cli_print(&line);
}

/* Prints actions behind *after (0: the last ones), and updates that. waits: a while for one. */
static enum cli_status print_once(
    struct link *link, const struct audit_choice *options, bool waits, int64_t *after)
{
	const struct json *result, *actions;
	char *params = ask_params(ASK_PARAMS({"since", .text = options->since},
	    {"pane", .text = options->pane}, {"method", .text = options->method},
	    {"after", .number = *after}, {"verify", .is_true = options->verifies},
	    {"timeout_sec", .number = waits ? FOLLOW_SEC : 0}));
	enum cli_status status = ask_result(link, "read_audit", params, -1, &result);
	mem_free(params);
	if (status != CLI_DONE)
		return status;
	actions = json_member(result, "actions");
	json_each (at, actions)
		(options->wants_json ? print_json : print_action)(at);
	if (options->verifies && strcmp(json_get_str(result, "chain", ""), "whole") != 0)
		return cli_fail(CLI_NO, "the chain is broken at line %lld: the audit was changed",
		    (long long)json_get_int(result, "broken_line", 0));
	*after = json_get_int(result, "last", 0);
	return cli_flush(CLI_DONE);
}

/* Replaces a target such as "work:1.0" by the id of its pane, since the audit has ids of panes. */
static enum cli_status find_pane(struct link *link, const char **pane, char id[CLI_ID_SIZE])
{
	const char *percent = *pane != NULL ? strrchr(*pane, '%') : NULL;
	const struct json *result;
	enum cli_status status;
	uint32_t number;
	if (*pane == NULL ||
	    (percent != NULL && str_parse_id(percent, strlen(percent), '%', &number)))
		return CLI_DONE; /* no pane, or an id, whose pane may be gone */
	status = ask_method(link, "get_pane", ASK_PARAMS({"pane", .text = *pane}), &result);
	(void)snprintf(id, CLI_ID_SIZE, "%s", json_get_str(result, "pane", ""));
	*pane = id;
	return status;
}

enum cli_status audit_run(struct cli *cli, int argc, char **argv)
{
	struct audit_choice options = {0};
	enum cli_status status;
	struct link *link;
	char pane[CLI_ID_SIZE];
	int64_t after = 0;
	if (!option_read(cli, argc, argv, option_rows, &options, NULL, &status))
		return status;
	options.wants_json = cli->wants_json;
	link = ask_connect(cli);
	if (link == NULL)
		return CLI_UNREACHABLE;
	status = find_pane(link, &options.pane, pane);
	if (status == CLI_DONE)
		status = print_once(link, &options, false, &after);
	while (status == CLI_DONE && options.follows)
		status = print_once(link, &options, true, &after);
	link_close(link);
	return status;
}
