/* SPDX-License-Identifier: ISC */
/* muxbus go: shows a pane on the user's terminal, even a pane of another session. */
#include "cli/tmux_client.h"
#include "cli/verb.h"

#define PARAMS_MAX 65536

static enum cli_status go(struct cli *cli, struct link *link, const char *target)
{
	char pane[32], own[32] = "", client[PATH_MAX], way[1024];
	const struct json *result;
	struct buf params = BUF(PARAMS_MAX);
	enum cli_status status =
	    ask_method(link, "get_pane", ASK_PARAMS({"pane", .text = target}), &result);
	if (status != CLI_DONE)
		return status;
	if (cli->is_fleet) {
		tmux_client_way(way, sizeof way, json_get_str(result, "pane", ""),
		    json_get_str(result, "host", ""), json_get_str(result, "server", ""));
		return cli_fail(CLI_NO, "%s", way);
	}
	(void)snprintf(pane, sizeof pane, "%s", json_get_str(result, "pane", ""));
	(void)locate_own_pane(cli, own, sizeof own);
	status = ask_result(link, "run_tmux", tmux_client_list, ASK_TIMEOUT_MS, &result);
	if (status != CLI_DONE)
		return status;
	if (!tmux_client_choose(json_get_str(result, "output", ""), own, client, sizeof client)) {
		cli_error("no terminal is attached to tmux; %s is active at the next attach", pane);
		return ask_method(link, "focus_pane", ASK_PARAMS({"pane", .text = pane}), &result);
	}
	tmux_client_put_go(&params, client, pane);
	status = ask_result(link, "run_tmux", buf_text(&params), ASK_TIMEOUT_MS, &result);
	buf_finish(&params);
	return status;
}

enum cli_status go_run(struct cli *cli, int argc, char **argv)
{
	static const struct option_row options[] = {{"", 0, OPTION_TEXT, 0, NULL}, {0}};
	const char *target = NULL;
	enum cli_status status;
	struct link *link;
	if (!option_read(cli, argc, argv, options, &target, NULL, &status))
		return status;
	if (target == NULL)
		return cli_usage("go", "a pane is missing, such as %%3 or work:1.0");
	link = ask_connect(cli);
	status = link != NULL ? go(cli, link, target) : CLI_UNREACHABLE;
	link_close(link);
	return cli_flush(status);
}
