/* SPDX-License-Identifier: ISC */
/* One file of an agent that muxbus setup prints, writes, or cleans. */
#ifndef CLI_SETUP_FILE_H
#define CLI_SETUP_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/setup/setup_agent.h"

enum setup_action {
	SETUP_PRINT,
	SETUP_WRITE,
	SETUP_REMOVE,
};

enum setup_state {
	SETUP_ABSENT, /* no file contains anything of muxbus */
	SETUP_PARTIAL, /* settings are missing, or come from another version */
	SETUP_COMPLETE,
};

struct setup {
	const struct setup_agent *agent;
	enum setup_action action;
	enum setup_scope scope;
	char command[PATH_MAX]; /* "muxbus", or its path if PATH does not lead to it */
};

/*
 * No agent, for the user, and the command that agents can run: the name if PATH leads to this
 * program, else its path. Returns false with errno.
 */
bool setup_init(struct setup *setup);

/* Whether the agent is in PATH, or else its folder exists; the path of the one or the other. */
bool setup_is_installed(const struct setup *setup, char ret_path[PATH_MAX]);

/* Prints a line that may contain an untrusted path. */
void setup_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The directory of the installed integrations. */
const char *setup_integrations(void);

/* The path of a file. Returns false if it is too long, or without a home directory. */
bool setup_place(const struct setup *setup, const char *path, char *out, size_t size);

/*
 * How far the agent is set up in this scope. The path is of the first file that lacks settings,
 * else of the file that has them; "" if no path can be built.
 */
enum setup_state setup_look(const struct setup *setup, char ret_path[PATH_MAX]);

/* Prints the settings that a file needs. */
void setup_print_file(const struct setup *setup, const struct setup_file *file, const char *path);

/* Reads, edits and writes one file, and reports the result. */
bool setup_change_file(const struct setup *setup, const struct setup_file *file, const char *path);

#endif
