/* SPDX-License-Identifier: ISC */
/* muxbus: reads global options, then runs a verb or a method. */
#include "base/process.h"
#include "cli/call.h"
#include "cli/locate.h"
#include "cli/option.h"
#include "cli/remote.h"
#include "cli/screen_text.h"
#include "client/link.h"
#include "config.h"

static bool wants_fleet(void)
{
	const char *text = getenv("MUXBUS_FLEET");
	return text != NULL && *text != '\0' && strcmp(text, "0") != 0;
}

static int locate_hosts(struct cli *cli, const char *socket, const char *host)
{
	if (cli->tmux_name != NULL || cli->tmux_path != NULL || socket != NULL)
		return cli_usage(NULL, "--fleet excludes -L, -S and -s");
	if (locate_fleet(cli) < 0)
		return cli_usage(NULL, "the path of the socket is too long");
	link_name_host(host);
	return -1;
}

static int locate_host(struct cli *cli, const char *socket, const char *host)
{
	if (socket != NULL)
		return cli_usage(NULL, "-s and --host exclude each other");
	if (*host == '-' || !remote_address(cli, host))
		return cli_usage(NULL, "--host: \"%s\" is not a host name", host);
	return -1;
}

static bool is_empty(const char *name)
{
	return name != NULL && *name == '\0';
}

/* Returns -1 on success, else the exit status after a message. */
static int choose_daemon(
    struct cli *cli, const char *socket, const char *host, bool is_fleet, bool is_local)
{
	cli->has_socket = socket != NULL;
	if (cli->tmux_name != NULL && cli->tmux_path != NULL)
		return cli_usage(NULL, "-L and -S exclude each other");
	if (is_empty(cli->tmux_name) || is_empty(cli->tmux_path) || is_empty(socket) ||
	    is_empty(host))
		return cli_usage(NULL, "-L, -S, -s and --host need a name that is not empty");
	if (host == NULL && !is_local && socket == NULL)
		host = getenv("MUXBUS_HOST");
	if (is_empty(host))
		host = NULL;
	if (is_fleet ||
	    (!is_local && socket == NULL && host == NULL && cli->tmux_name == NULL &&
		cli->tmux_path == NULL && wants_fleet()))
		return locate_hosts(cli, socket, host);
	if (host != NULL)
		return locate_host(cli, socket, host);
	if (locate_daemon(cli, socket) < 0)
		return cli_usage(NULL, "the path of the socket is too long");
	return -1;
}

struct main_options {
	struct cli cli;
	const char *socket, *host;
	bool is_fleet, wants_version;
};

static bool take_color(void *data, const struct option_row *row UNUSED, const char *value)
{
	struct main_options *options = data;
	if (cli_set_color(&options->cli, value))
		return true;
	(void)cli_usage(NULL, "--color: must be always, auto or never");
	return false;
}

static const struct option_row rows[] = {
    {"color", 0, OPTION_TAKE, 0, take_color},
    {"fleet", 0, OPTION_FLAG, offsetof(struct main_options, is_fleet), NULL},
    {"host", 0, OPTION_TEXT, offsetof(struct main_options, host), NULL},
    {"version", 'V', OPTION_FLAG, offsetof(struct main_options, wants_version), NULL},
    {"", 'L', OPTION_TEXT, offsetof(struct main_options, cli.tmux_name), NULL},
    {"", 's', OPTION_TEXT, offsetof(struct main_options, socket), NULL},
    {"", 'S', OPTION_TEXT, offsetof(struct main_options, cli.tmux_path), NULL},
    {0},
};

/* Reads the options before the verb. Returns -1 to run the verb, else the exit status. */
static int read_options(struct main_options *options, int argc, char **argv, int *ret_verb)
{
	static const char *const local[] = {"follow", "hook", "mcp", "relay", NULL};
	enum cli_status status;
	const char *verb;
	int refusal;
	if (!option_read(&options->cli, argc, argv, rows, options, ret_verb, &status))
		return status;
	if (options->wants_version) {
		(void)puts("muxbus " PACKAGE_VERSION);
		return CLI_DONE;
	}
	/*
	 * The verbs in `local` ignore $MUXBUS_HOST and $MUXBUS_FLEET. A relay could connect to
	 * itself in a circle; the other verbs are for our own pane.
	 */
	verb = *ret_verb < argc ? argv[*ret_verb] : "";
	refusal = choose_daemon(&options->cli, options->socket, options->host, options->is_fleet,
	    str_is_in(verb, local));
	/* Status 2 of a hook would block the agent's turn. */
	return refusal >= 0 && strcmp(verb, "hook") == 0 ? (int)CLI_DONE : refusal;
}

int main(int argc, char **argv)
{
	static struct main_options options;
	struct cli *cli = &options.cli;
	const struct verb *verb;
	int status, at;
	process_begin(O_RDONLY);
	cli->is_terminal = isatty(STDOUT_FILENO);
	cli->has_color = screen_has_color(STDOUT_FILENO);
	status = read_options(&options, argc, argv, &at);
	if (status >= 0)
		return (int)cli_flush((enum cli_status)status);
	argc -= at;
	argv += at;
	if (argc == 0 && cli->is_terminal)
		return (int)verb_find("home")->run(cli, 1, (char *[]){(char *)"home", NULL});
	if (argc == 0)
		return cli_usage(NULL, "a verb or method is missing");
	verb = verb_find(argv[0]);
	return (int)(verb != NULL && verb->run != NULL ? verb->run : call_run)(cli, argc, argv);
}
