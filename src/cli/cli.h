/* SPDX-License-Identifier: ISC */
/* Global options, exit statuses and the table of verbs. Any other first word is a method. */
#pragma once

#include "base/base.h"

enum cli_status {
	CLI_DONE = 0,
	CLI_NO = 1, /* another failure, such as an error of the daemon or a finding of doctor */
	CLI_USAGE = 2,
	CLI_UNREACHABLE = 3, /* no daemon or host was reached, or the daemon ended too soon */
	CLI_TIMEOUT = 4,
	CLI_SIGNAL = 128, /* plus the number of the signal that ended the program */
};

#define CLI_ID_SIZE 256 /* bytes of the id of a pane or job, in a fleet with host and server */

#define REMOTE_PREFIX "ssh:" /* begins cli->socket if remote_address() has set it */

struct cli {
	const char *tmux_name; /* -L, or NULL */
	const char *tmux_path; /* -S, or NULL */
	char tmux_socket[PATH_MAX]; /* of the tmux server in use; "" if remote or a fleet */
	char socket[PATH_MAX]; /* of muxbusd, or an address of remote_address() */
	bool is_fleet; /* --fleet: the daemon serves many hosts */
	bool has_socket; /* -s: start no daemon there, except for the verbs start and mcp */
	bool needs_no_tmux; /* a daemon may start although no tmux server runs */
	bool wants_json; /* --json: print the result as JSON; methods do so in a pipe too */
	bool wants_text; /* --text: print as on a terminal, also in a pipe */
	bool is_terminal; /* standard output is a terminal */
	bool has_color;
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
	const char *usage; /* the words after the verb, such as "[--count n] [kind ...]" */
	const char *summary; /* one line without a full stop; NULL: not listed by help */
	/* Words for completion, separated by blanks, besides the options of all verbs; or NULL. */
	const char *options;
	/* Runs the verb; argv[0] is its name. Returns an exit status. NULL: call_run() runs it. */
	enum cli_status (*run)(struct cli *cli, int argc, char **argv);
	const char *method; /* the method that the verb is short for, or NULL */
	const char *first; /* the key for the first of several words, or NULL */
	/* Words that are added unless their key is given, such as "enter=true"; or NULL. */
	const char *preset;
};

/* Sorted within their groups; defined in verbs.c. */
extern const struct verb verbs[];

const struct verb *verb_find(const char *name); /* NULL: no such verb */

/* Returns the text of muxbus(1) about a verb or topic, in lines of at most 78 columns, or NULL. */
const char *verb_text(const char *name);

/* Prints "muxbus: ..." and a newline to standard error; makes control characters visible. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As cli_error(). Returns status, for the caller to return. */
enum cli_status cli_fail(enum cli_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a reason, cut to size. Returns false, for the caller to return. */
#define cli_refuse(...) (str_refuse(__VA_ARGS__) == 0)

/*
 * Appends a text. The commands "muxbus VERB" in the text get the options of this command line that
 * choose the daemon: --fleet, --host, -L, -S or -s.
 */
void cli_hint(struct buf *out, const struct cli *cli, const char *text);

/* As cli_error(), and prints the usage of the verb; verb NULL: of muxbus. Returns CLI_USAGE. */
enum cli_status cli_usage(const char *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* If arg is --help or -h, prints the usage of the verb and what it does; returns true. */
bool cli_help(const char *verb, const char *arg);

/* Handles --json, --text and --color=WHEN. Returns false for another arg or an unknown WHEN. */
bool cli_option(struct cli *cli, const char *arg);

/* Sets the use of colours to always, auto or never. Returns false for another value. */
bool cli_set_color(struct cli *cli, const char *when);

/* Prints the buffer to standard output, and finishes it. cli_flush() reports errors. */
void cli_print(struct buf *out);

/* Writes to standard output without buffering. cli_flush() reports errors. */
void cli_write(const void *bytes, size_t len);

/*
 * Call this after a verb's own write to standard output. If it failed, keeps errno; cli_flush()
 * reports the first such errno.
 */
void cli_keep_error(bool is_written);

/*
 * Flushes the output. If it could not be written, as on a full disk, prints a message (not for a
 * closed pipe) and returns CLI_NO in place of CLI_DONE. Any other status stays.
 */
enum cli_status cli_flush(enum cli_status status);
