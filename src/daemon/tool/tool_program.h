/* SPDX-License-Identifier: ISC */
/* The programs of declared tools: where they are, and whether others could replace them. */
#pragma once

#include "wire/message.h"

/*
 * A tool needs more than programs: "data:NAME", a program in $XDG_DATA_HOME/muxbus, which --install
 * of the program beside the declaration puts there; "file:PATTERN", any file, by a pattern of glob(7).
 */
#define TOOL_PROGRAM_DATA "data:"
#define TOOL_PROGRAM_FILE "file:"
bool tool_program_is_data(const char *word);
/* A word as people read it: without that beginning. */
const char *tool_program_shown(const char *word);

/*
 * Finds the program of a first word: absolute; "data:NAME" or "file:PATTERN"; "./NAME" beside the
 * declaration, in dir; else a name in path (a list of directories as in PATH; NULL: empty). Leaves
 * its path in out. False if there is none that this user may execute, or read as a file.
 */
bool tool_program_find(const char *word, const char *dir, const char *path, char *out, size_t size);

/* The value of a variable in "NAME=value" strings (NULL-terminated), or NULL. */
const char *tool_program_variable(const char *const *env, const char *name);

#define TOOL_ERROR_MAX 4096 /* bytes of a program's or server's own text that an error quotes */

struct tool_failure {
	enum message_error error;
	char text[TOOL_ERROR_MAX + 512];
};

/* Fills it in. Returns false. */
bool tool_fail(struct tool_failure *ret_failure, enum message_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
