/* SPDX-License-Identifier: ISC */
/* muxbus: global options, then a verb or a method. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/call.h"
#include "cli/cli.h"
#include "cli/screen_text.h"
#include "config.h"
#include "wire/address.h"

/* An absolute path of what the user wrote: the daemon goes to another directory. */
static int absolute(char *out, size_t size, const char *path)
{
	char dir[PATH_MAX];
	int len;
	if (path[0] == '/')
		len = snprintf(out, size, "%s", path);
	else if (getcwd(dir, sizeof(dir)))
		len = snprintf(out, size, "%s/%s", dir, path);
	else
		return -1;
	return len >= 0 && (size_t)len < size ? 0 : -1;
}

static bool ends_in(const char *text, const char *end)
{
	size_t len = strlen(text);
	return len >= strlen(end) && strcmp(text + len - strlen(end), end) == 0;
}

static bool is_socket(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

/*
 * $MUXBUS, if it counts. A tmux server that was started in a pane of another inherits that
 * one's: in its panes $TMUX says better which server is meant, if a daemon follows it.
 */
static const char *environment_socket(const struct cli *cli, const char *own)
{
	const char *socket = getenv("MUXBUS");
	const char *tmux = getenv("TMUX");
	if (!socket || *socket != '/' || cli->tmux_name || cli->tmux_path)
		return NULL;
	bool is_inherited = tmux && *tmux == '/' && ends_in(socket, ".muxbus") &&
	    strcmp(socket, own) != 0 && is_socket(own);
	return is_inherited ? NULL : socket;
}

/* Works out which daemon is meant: -s, else -L or -S, else $MUXBUS, else as tmux would. */
static int locate(struct cli *cli, const char *socket)
{
	char path[PATH_MAX];
	char own[PATH_MAX];
	if (address_tmux(path, sizeof(path), cli->tmux_name, cli->tmux_path) < 0 ||
	    absolute(cli->tmux_socket, sizeof(cli->tmux_socket), path) < 0 ||
	    address_socket(own, sizeof(own), cli->tmux_socket) < 0)
		return -1;
	if (socket)
		return absolute(cli->socket, sizeof(cli->socket), socket);
	socket = environment_socket(cli, own);
	int len = snprintf(cli->socket, sizeof(cli->socket), "%s", socket ? socket : own);
	if (len < 0 || (size_t)len >= sizeof(cli->socket))
		return -1;
	/* The daemon that $MUXBUS names is that of the tmux server beside it. */
	if (socket && ends_in(socket, ".muxbus"))
		(void)snprintf(cli->tmux_socket, sizeof(cli->tmux_socket), "%.*s",
		    len - (int)strlen(".muxbus"), socket); /* it fitted with more */
	return 0;
}

/* Reads the options before the verb. Returns -1 to go on, or the exit status. */
static int read_options(struct cli *cli, int argc, char **argv)
{
	enum { OPTION_COLOR = 256, OPTION_JSON, OPTION_TEXT };
	static const struct option options[] = {
	    {"color", required_argument, NULL, OPTION_COLOR},
	    {"help", no_argument, NULL, 'h'},
	    {"json", no_argument, NULL, OPTION_JSON},
	    {"text", no_argument, NULL, OPTION_TEXT},
	    {"version", no_argument, NULL, 'V'},
	    {NULL, 0, NULL, 0},
	};
	const char *socket = NULL;
	int code;
	while ((code = getopt_long(argc, argv, "+hL:s:S:V", options, NULL)) != -1) {
		switch (code) {
		case 'h':
			cli_print_usage(stdout, NULL);
			return CLI_DONE;
		case 'L':
			cli->tmux_name = optarg;
			break;
		case 's':
			socket = optarg;
			break;
		case 'S':
			cli->tmux_path = optarg;
			break;
		case 'V':
			(void)puts("muxbus " PACKAGE_VERSION);
			return CLI_DONE;
		case OPTION_JSON:
		case OPTION_TEXT:
			cli->wants_json = code == OPTION_JSON;
			cli->wants_text = code == OPTION_TEXT;
			break;
		case OPTION_COLOR:
			if (!cli_set_color(cli, optarg))
				return cli_usage(NULL, "--color: must be always, auto or never");
			break;
		default: /* getopt_long() has said what is wrong */
			cli_print_usage(stderr, NULL);
			return CLI_USAGE;
		}
	}
	if (cli->tmux_name && cli->tmux_path)
		return cli_usage(NULL, "-L and -S exclude each other");
	if (locate(cli, socket) < 0)
		return cli_usage(NULL, "the path of the socket is too long");
	return -1;
}

int main(int argc, char **argv)
{
	static struct cli cli;
	/* What is written to a reader that is gone is an error, not the end. */
	(void)signal(SIGPIPE, SIG_IGN);
	cli.is_terminal = isatty(STDOUT_FILENO);
	cli.has_color = screen_has_color(STDOUT_FILENO);
	int status = read_options(&cli, argc, argv);
	if (status >= 0)
		return (int)cli_flush((enum cli_status)status);
	argc -= optind;
	argv += optind;
	if (argc == 0)
		return cli_usage(NULL, "which verb or method?");
	const struct verb *verb = verb_find(argv[0]);
	return (int)(verb ? verb->run(&cli, argc, argv) : call_run(&cli, argc, argv));
}
