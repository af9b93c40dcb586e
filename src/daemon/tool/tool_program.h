/* SPDX-License-Identifier: ISC */
/* Finds the programs of declared tools. Also the failures of calls. */
#pragma once

#include "wire/message.h"

/*
 * A needed program may also be a file. "data:NAME" is in the folder muxbus of $XDG_DATA_HOME or
 * ~/.local/share, where the option --install of the program beside the declaration puts it.
 * "file:PATTERN" is any match of glob(7).
 */
#define TOOL_PROGRAM_DATA "data:"
#define TOOL_PROGRAM_FILE "file:"
bool tool_program_is_data(const char *word);
/* Returns the word for people: without "data:" or "file:". */
const char *tool_program_shown(const char *word);

/*
 * Finds a program, or a file. word is an absolute path; "data:NAME", which must be a program;
 * "file:PATTERN", the first file that matches; "./NAME" in dir, beside the declaration; or a name
 * to look up in path (directories as in PATH; NULL: none). Returns false if there is none.
 */
bool tool_program_find(const char *word, const char *dir, const char *path, char *out, size_t size);

/* Returns a variable's value in env ("NAME=value" strings, NULL-terminated), or NULL. */
const char *tool_program_variable(const char *const *env, const char *name);

#define TOOL_ERROR_MAX 4096 /* maximum bytes of a program's or provider's text in an error */

struct tool_failure {
	enum message_error error;
	char text[TOOL_ERROR_MAX + 512];
};

/* Sets a failure. Returns false. */
bool tool_fail(struct tool_failure *ret_failure, enum message_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
