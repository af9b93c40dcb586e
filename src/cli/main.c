/* SPDX-License-Identifier: ISC */
/* muxbus: reads global options, then runs a verb or a method. */
#include <getopt.h>

#include "base/process.h"
#include "cli/call.h"
#include "cli/locate.h"
#include "cli/remote.h"
#include "cli/screen_text.h"
#include "client/link.h"
#include "config.h"

static bool wants_fleet(void)
{
	const char *text = getenv("MUXBUS_FLEET");
	return text != NULL && *text != '\0' && strcmp(text, "0") != 0;
}

/* Chooses the daemon of the fleet, or one of its hosts. Returns as read_options(). */
static int locate_hosts(struct cli *cli, const char *socket, const char *host)
{
	if (cli->tmux_name != NULL || cli->tmux_path != NULL || socket != NULL)
		return cli_usage(NULL, "--fleet excludes -L, -S and -s");
	if (locate_fleet(cli) < 0)
		return cli_usage(NULL, "the path of the socket is too long");
	link_name_host(host);
	return -1;
}

/* Chooses the daemon on another machine. Returns as read_options(). */
static int locate_host(struct cli *cli, const char *socket, const char *host)
{
	if (socket != NULL)
		return cli_usage(NULL, "-s and --host exclude each other");
	if (*host == '-' || !remote_address(cli, host))
		return cli_usage(NULL, "--host: \"%s\" is no name of a host", host);
	return -1;
}

static bool is_empty(const char *name)
{
	return name != NULL && *name == '\0';
}

/* Chooses the daemon by the options. Returns as read_options(). */
static int choose_daemon(
    struct cli *cli, const char *socket, const char *host, bool is_fleet, bool is_relay)
{
	cli->has_socket = socket != NULL;
	if (cli->tmux_name != NULL && cli->tmux_path != NULL)
		return cli_usage(NULL, "-L and -S exclude each other");
	if (is_empty(cli->tmux_name) || is_empty(cli->tmux_path) || is_empty(socket) ||
	    is_empty(host))
		return cli_usage(NULL, "-L, -S, -s and --host need a name that is not empty");
	if (host == NULL && !is_relay)
		host = getenv("MUXBUS_HOST");
	if (is_empty(host))
		host = NULL;
	if (is_fleet ||
	    (!is_relay && socket == NULL && host == NULL && cli->tmux_name == NULL &&
		cli->tmux_path == NULL && wants_fleet()))
		return locate_hosts(cli, socket, host);
	if (host != NULL)
		return locate_host(cli, socket, host);
	if (locate_daemon(cli, socket) < 0)
		return cli_usage(NULL, "the path of the socket is too long");
	return -1;
}

/* Reads the options before the verb. Returns -1 to continue, or an exit status. */
static int read_options(struct cli *cli, int argc, char **argv)
{
	enum { OPTION_COLOR = 256, OPTION_FLEET, OPTION_HOST, OPTION_JSON, OPTION_TEXT };
	static const struct option options[] = {
	    {"color", required_argument, NULL, OPTION_COLOR},
	    {"fleet", no_argument, NULL, OPTION_FLEET},
	    {"help", no_argument, NULL, 'h'},
	    {"host", required_argument, NULL, OPTION_HOST},
	    {"json", no_argument, NULL, OPTION_JSON},
	    {"text", no_argument, NULL, OPTION_TEXT},
	    {"version", no_argument, NULL, 'V'},
	    {NULL, 0, NULL, 0},
	};
	const char *socket = NULL, *host = NULL;
	bool is_fleet = false, is_relay;
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
		case OPTION_FLEET:
			is_fleet = true;
			break;
		case OPTION_HOST:
			host = optarg;
			break;
		case OPTION_JSON:
		case OPTION_TEXT:
			cli->wants_json = code == OPTION_JSON;
			cli->wants_text = code == OPTION_TEXT;
			break;
		case OPTION_COLOR:
			if (!cli_set_color(cli, optarg))
				return cli_usage(NULL, "--color: must be always, auto or never");
			break;
		default: /* getopt_long() has printed the error */
			cli_print_usage(stderr, NULL);
			return CLI_USAGE;
		}
	}
	/* The relay ignores $MUXBUS_HOST. If both machines set it, they would relay without end. */
	is_relay = optind < argc && strcmp(argv[optind], "relay") == 0;
	return choose_daemon(cli, socket, host, is_fleet, is_relay);
}

int main(int argc, char **argv)
{
	static struct cli cli;
	const struct verb *verb;
	int status;
	process_begin(O_RDONLY);
	cli.is_terminal = isatty(STDOUT_FILENO);
	cli.has_color = screen_has_color(STDOUT_FILENO);
	status = read_options(&cli, argc, argv);
	if (status >= 0)
		return (int)cli_flush((enum cli_status)status);
	argc -= optind;
	argv += optind;
	if (argc == 0 && cli.is_terminal)
		return (int)verb_find("home")->run(&cli, 1, (char *[]){(char *)"home", NULL});
	if (argc == 0)
		return cli_usage(NULL, "a verb or method is missing");
	verb = verb_find(argv[0]);
	return (int)(verb != NULL && verb->run != NULL ? verb->run : call_run)(&cli, argc, argv);
}
