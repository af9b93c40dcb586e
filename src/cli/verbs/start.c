/* SPDX-License-Identifier: ISC */
/* muxbus start: starts the daemon, and returns when the daemon is ready. */
#include "cli/verb.h"

enum cli_status start_run(struct cli *cli, int argc, char **argv)
{
	enum cli_status end;
	char reason[PATH_MAX + 512];
	struct link *link;
	struct buf out = BUF(PATH_MAX * 4);
	bool was_running;
	if (!option_read(cli, argc, argv, NULL, NULL, NULL, &end))
		return end;
	was_running = ask_open(&link, cli->socket, reason, sizeof reason) == LINK_OK;
	link_close(link);
	cli->needs_no_tmux = cli->tmux_name == NULL && cli->tmux_path == NULL;
	cli->has_socket = false; /* start a daemon also at the socket of -s */
	link = ask_connect(cli);
	if (link == NULL)
		return CLI_UNREACHABLE;
	link_close(link);
	(void)screen_text_line(&out, cli->socket, strlen(cli->socket));
	(void)printf(
	    "muxbusd %s at %s\n", was_running ? "is running already," : "is ready", buf_text(&out));
	buf_finish(&out);
	return cli_flush(CLI_DONE);
}
