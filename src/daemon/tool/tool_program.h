/* SPDX-License-Identifier: ISC */
/* The programs of declared tools: where they are, and whether others could replace them. */
#pragma once

#include "wire/message.h"

/*
 * A needed "program" may be a file: "data:NAME" is a program in $XDG_DATA_HOME/muxbus, where the
 * --install of the program beside the declaration puts it; "file:PATTERN" is any file that matches
 * a pattern of glob(7).
 */
#define TOOL_PROGRAM_DATA "data:"
#define TOOL_PROGRAM_FILE "file:"
bool tool_program_is_data(const char *word);
/* Returns a word for people: without "data:" or "file:". */
const char *tool_program_shown(const char *word);

/*
 * Finds the program of a command's first word and writes its path to out. The word is absolute;
 * "data:NAME" or "file:PATTERN"; "./NAME" beside the declaration, in dir; or a name in path
 * (directories as in PATH; NULL: empty). Returns false if there is no such program that can be
 * executed, or no such file that can be read.
 */
bool tool_program_find(const char *word, const char *dir, const char *path, char *out, size_t size);

/* Returns the value of a variable in "NAME=value" strings (NULL-terminated), or NULL. */
const char *tool_program_variable(const char *const *env, const char *name);

#define TOOL_ERROR_MAX 4096 /* bytes of a program's or server's text that an error quotes */

struct tool_failure {
	enum message_error error;
	char text[TOOL_ERROR_MAX + 512];
};

/* Sets the failure. Returns false. */
bool tool_fail(struct tool_failure *ret_failure, enum message_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
