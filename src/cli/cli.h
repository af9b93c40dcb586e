/* SPDX-License-Identifier: ISC */
/*
 * What the command line was told before its verb, the exit statuses, and the table of verbs.
 * A verb lives in a file of its own, src/cli/NAME.c, and has one row in verbs.c. A first word
 * that is no verb is the name of a method.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit statuses; main() returns what run() did. */
enum cli_status {
	CLI_DONE = 0,
	CLI_NO = 1, /* the answer is no: an error of the daemon, gone, something is wrong */
	CLI_USAGE = 2,
	CLI_UNREACHABLE = 3, /* there is no daemon, or it went away before it answered */
	CLI_TIMEOUT = 4,
};

struct cli {
	const char *tmux_name; /* -L, or NULL */
	const char *tmux_path; /* -S, or NULL */
	char tmux_socket[PATH_MAX]; /* of the tmux server that is meant */
	char socket[PATH_MAX]; /* of its muxbusd */
	bool wants_json; /* --json: the bare result. A method gives it in a pipe too */
	bool wants_text; /* --text: what a terminal gets, in a pipe too */
	bool is_terminal; /* standard output is one */
	bool has_color; /* colours on standard output are welcome */
};

enum verb_group {
	VERB_LIVE, /* looking at what happens */
	VERB_WORK, /* having something done */
	VERB_AGENT, /* for agents and their configuration */
	VERB_CARE, /* about muxbus itself */
	VERB_GROUP_COUNT_,
};

struct verb {
	const char *name; /* NULL ends the table */
	enum verb_group group;
	const char *usage; /* what follows the name: "[--count n] [kind ...]" */
	const char *summary; /* one line, no full stop; NULL: help does not list it */
	/* Options for completion, separated by blanks; NULL: none but --help. */
	const char *options;
	/* argv[0] is the verb; argc > 0. Returns an exit status. */
	enum cli_status (*run)(struct cli *cli, int argc, char **argv);
};

/* Sorted within their groups; verbs.c. */
extern const struct verb verbs[];

const struct verb *verb_find(const char *name);

/* Prints "muxbus: ..." and a newline on standard error; what does not show is made visible. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The same, and the usage of the verb (NULL: of muxbus). Returns CLI_USAGE, so that a verb can
 * `return cli_usage(...)`.
 */
enum cli_status cli_usage(const char *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints the usage of a verb, or of muxbus (NULL). */
void cli_print_usage(FILE *stream, const char *verb);

/* Whether arg is --help or -h; prints the usage and the summary of the verb if so. */
bool cli_help(const char *verb, const char *arg);

/*
 * Takes one of the options that may stand anywhere: --json, --text, --color=WHEN. False if it is none
 * of them; a WHEN that there is not is not taken either.
 */
bool cli_option(struct cli *cli, const char *arg);

/* Takes always, auto or never; false if when is none of them. */
bool cli_set_color(struct cli *cli, const char *when);

/*
 * Ends what a verb printed: CLI_DONE becomes CLI_NO with a message if standard output could
 * not be written (a full disk); a reader that has gone ends silently.
 */
enum cli_status cli_flush(enum cli_status status);

#endif
