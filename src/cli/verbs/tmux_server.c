/* SPDX-License-Identifier: ISC */
/* The tmux server behind the daemon. */
#include "cli/verbs/tmux_server.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "cli/ask.h"
#include "cli/locate.h"
#include "cli/program.h"

enum {
	LIVE_MS = 10000, /* until the daemon follows a server that was just started */
	SERVER_MS = 10000, /* until that runs */
};

/* Starts a tmux server, with a session that keeps it and is closed in the end. */
static bool start(const struct cli *cli)
{
	char *const argv[] = {(char *)"tmux", (char *)"-S", (char *)cli->tmux_socket,
	    (char *)"new-session", (char *)"-d", (char *)"-s", (char *)TMUX_SERVER_SESSION,
	    (char *)"cat", NULL};
	char path[PATH_MAX];
	const char *text;
	struct buf said;
	int r;
	if (!program_find_in_path("tmux", path, sizeof path)) {
		cli_error("tmux is not in PATH");
		return false;
	}
	buf_init(&said, 1024);
	r = program_run(path, argv, PROGRAM_STDERR, SERVER_MS, &said);
	text = said.len > 0 ? buf_text(&said) : strerror(errno);
	if (r != 0)
		cli_error("tmux: %.*s", (int)strcspn(text, "\n"), text);
	buf_finish(&said);
	return r == 0;
}

bool tmux_server_find(const struct cli *cli, struct link *link, bool *ret_is_new)
{
	int64_t deadline = clock_deadline_ms(LIVE_MS);
	const struct json *status;
	while (ask_method(link, "status", ASK_PARAMS({0}), &status) == CLI_DONE) {
		if (strcmp(json_get_str(json_member(status, "tmux"), "state", ""), "live") == 0)
			return true;
		/* A killed server may take a connection yet. */
		if (!*ret_is_new && !locate_tmux_runs(cli)) {
			if (!start(cli))
				return false;
			*ret_is_new = true;
		}
		if (clock_left_ms(deadline) == 0) {
			cli_error("muxbusd does not follow the tmux server; see: muxbus doctor");
			return false;
		}
		(void)poll(NULL, 0, 20);
	}
	return false;
}
