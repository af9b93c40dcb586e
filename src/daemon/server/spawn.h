/* SPDX-License-Identifier: ISC */
/*
 * Makes panes with programs, for create_pane, create_window and create_session.
 *
 * A program may end before tmux can be asked to keep its exit status or to send its output. So, if
 * a command is given, the pane is made with a program that only waits. Another list of commands
 * then sets the tmux option remain-on-exit and starts the real program. Earlier events of the pane
 * are not published (tmux_expect()).
 */
#pragma once

#include <muxbus.h>

#include "wire/field.h"

struct request;

struct spawn_args {
	struct field_strings command;
	const char *cwd;
	const struct json *env;
	bool keep_on_exit;
	int reports;
};

/* Rows of parameters, for a struct of arguments with the member struct spawn_args spawn. */
#define SPAWN_FIELDS(args_struct)                                                                 \
	{FIELD_ROW(KEYS, struct args_struct, spawn.command, "command"),                           \
	    .flags = FIELD_CONFIDENTIAL_REST, .max = 256,                                         \
	    .help = "The new program: a string goes to the shell, an array of two or more words " \
		    "is executed as it is; left out, the user's shell."},                         \
	    {FIELD_ROW(STRING, struct args_struct, spawn.cwd, "cwd"), .flags = FIELD_PATH,        \
		.min = 1, .max = 4096,                                                            \
		.help =                                                                           \
		    "The absolute path it starts in; left out, its session's, or the caller's."}, \
	    {FIELD_ROW(STRING_MAP, struct args_struct, spawn.env, "env"),                         \
		.flags = FIELD_RARE | FIELD_CONFIDENTIAL,                                         \
		.help = "Environment variables for it."},                                         \
	    {FIELD_ROW(BOOL, struct args_struct, spawn.keep_on_exit, "keep_on_exit"),             \
		.flags = FIELD_RARE, .preset = "false",                                           \
		.help = "Keep the pane, dead, when its program has ended."},                      \
	{                                                                                         \
		FIELD_ROW(CHOICE, struct args_struct, spawn.reports, "reports"),                  \
		    .flags = FIELD_RARE, .choices = spawn_reports, .preset = "\"none\"",          \
		    .help = "Follow its reports by escape sequences: those with its token (see "  \
			    "muxbus mark); notices: also what it tells its terminal, as "         \
			    "notifications for you."                                              \
	}

/* Which reports of the program are followed (pane/reporter.h). */
enum spawn_report {
	SPAWN_REPORT_NONE,
	SPAWN_REPORT_NOTICES, /* reports with the token, and notices (OSC 9 and others) */
	SPAWN_REPORT_TOKEN,
};
extern const char *const spawn_reports[];

extern const struct field_result spawn_results[];

/* Checks values that tmux or Linux changes or refuses. Returns false after failing the request. */
bool spawn_check(struct request *request, const struct spawn_args *args);

enum spawn_kind { SPAWN_PANE, SPAWN_WINDOW, SPAWN_SESSION };

/*
 * Completes and runs a command that makes a pane, such as "split-window" with its own flags, and
 * answers the request. Takes the command over. name is the name of a new window (not for
 * SPAWN_PANE); NULL: the name of its program.
 */
void spawn_run(struct request *request, struct muxbus_command *command, enum spawn_kind kind,
    const char *name, const struct spawn_args *args);

/* Adds text to a command as an argument that tmux expands as a format. Escapes the text. */
void spawn_literal_arg(struct muxbus_command *command, const char *text);

/*
 * Checks a name for a session or window; field is the name of the parameter. Returns false after
 * failing the request.
 */
bool spawn_check_name(
    struct request *request, const char *field, const char *name, bool is_session);
