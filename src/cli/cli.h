/* SPDX-License-Identifier: ISC */
/*
 * Global options, exit statuses and the table of verbs. A verb lives in a file of its own, in
 * src/cli/verbs or in the room of its name, and has one row in verbs.c. Any other first word is
 * the name of a method.
 */
#pragma once

#include "base/base.h"

/* Exit statuses; main() returns the result of run(). */
enum cli_status {
	CLI_DONE = 0,
	CLI_NO = 1, /* an error of the daemon, a closed pane, a problem found */
	CLI_USAGE = 2,
	CLI_UNREACHABLE = 3, /* no daemon runs, or it ended before it answered */
	CLI_TIMEOUT = 4,
	EXIT_SIGNAL = 128, /* plus the signal's number */
};

#define REMOTE_PREFIX "ssh:" /* of cli->socket, before the host and the command for its shell */

struct cli {
	const char *tmux_name; /* -L, or NULL */
	const char *tmux_path; /* -S, or NULL */
	char tmux_socket[PATH_MAX]; /* of the chosen tmux server */
	char socket[PATH_MAX]; /* of its muxbusd; remote_address(): on another machine */
	bool is_fleet; /* --fleet: the daemon is that of many hosts, and tmux_socket is "" */
	bool has_socket; /* -s: no daemon is started there, but by muxbus start */
	bool is_start; /* muxbus start: no tmux server need run */
	bool needs_no_tmux; /* a daemon is started also where no tmux server runs */
	bool wants_json; /* --json: the bare result. Methods print it in a pipe too */
	bool wants_text; /* --text: the output for a terminal, in a pipe too */
	bool is_terminal; /* standard output is a terminal */
	bool has_color; /* use colours on standard output */
};

enum verb_group {
	VERB_LIVE, /* watching events and panes */
	VERB_WORK, /* running and waiting */
	VERB_AGENT, /* for agents and their configuration */
	VERB_CARE, /* about muxbus itself */
	VERB_GROUP_COUNT_,
};

struct verb {
	const char *name; /* NULL ends the table */
	enum verb_group group;
	const char *usage; /* the words after the name: "[--count n] [kind ...]" */
	const char *summary; /* one line, no full stop; NULL: help does not list it */
	/* Options for completion, separated by blanks; NULL: none but --help. */
	const char *options;
	/* argv[0] is the verb; argc > 0. Returns an exit status. NULL: call_run(). */
	enum cli_status (*run)(struct cli *cli, int argc, char **argv);
	const char *method; /* that the verb is a shorter name of; or NULL */
	const char *first; /* the key of the first of several words; or NULL */
	/* "enter=true": words, separated by blanks, unless another gives that key; or NULL. */
	const char *preset;
};

/* Sorted within their groups; defined in verbs.c. */
extern const struct verb verbs[];

const struct verb *verb_find(const char *name);

/*
 * The text of muxbus(1) about a verb or a topic, in lines of at most 78 columns; NULL if the
 * manual has none.
 */
const char *verb_text(const char *name);

/* Prints "muxbus: ..." and a newline on standard error; makes control characters visible. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and returns the status, for the caller to return. */
enum cli_status cli_fail(enum cli_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Appends a text in which each command "muxbus VERB" repeats the -L, -S or -s of this command line.
 */
void cli_hint(struct buf *out, const struct cli *cli, const char *text);

/*
 * Like cli_error(), and prints the usage of the verb (NULL: of muxbus). Returns CLI_USAGE, so
 * that a verb can `return cli_usage(...)`.
 */
enum cli_status cli_usage(const char *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints the usage of a verb, or of muxbus (NULL). */
void cli_print_usage(FILE *stream, const char *verb);

/* Whether arg is --help or -h; prints the usage and the summary of the verb if so. */
bool cli_help(const char *verb, const char *arg);

/*
 * Takes a global option: --json, --text, --color=WHEN. Returns false if arg is none of them, or
 * if WHEN is not known.
 */
bool cli_option(struct cli *cli, const char *arg);

/* Takes always, auto or never; returns false for anything else. */
bool cli_set_color(struct cli *cli, const char *when);

/* Prints a buffer on standard output, for cli_flush() to check, and frees its content. */
void cli_print(struct buf *out);

/* Writes on standard output at once; cli_flush() checks. */
void cli_write(const void *bytes, size_t len);

/* Keeps errno for cli_flush() if a verb could not write on standard output by itself. */
void cli_keep_error(bool is_written);

/*
 * Flushes the output of a verb. CLI_DONE becomes CLI_NO with a message if standard output cannot
 * be written (a full disk). A closed pipe ends silently.
 */
enum cli_status cli_flush(enum cli_status status);
