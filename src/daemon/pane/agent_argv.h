/* SPDX-License-Identifier: ISC */
/*
 * Finds the agent that a command line starts: by the program's name, the script of an interpreter,
 * the package that is run, or the command behind a wrapper such as docker exec. The name of the
 * process alone would not tell, as it may be "node" or ".claude-unwrapped". The functions have no
 * side effects.
 */
#pragma once

#include "base/base.h"

enum {
	AGENT_ARGV_WORDS_MAX = 64, /* further words are ignored */
	AGENT_ARGV_NAME_SIZE = 33,
	AGENT_ARGV_IDENTITY_SIZE = 201,
};

/* Returns true if a name is that of an agent which is not built in, but in the user's file. */
typedef bool agent_argv_fn(void *data, const char *name);

/* Returns true if the command line certainly is an agent's. */
bool agent_argv_find(const char *const *words, size_t count, agent_argv_fn *is_other, void *data,
    char ret_name[AGENT_ARGV_NAME_SIZE]);

/*
 * Writes the identity of a program: its process name, with its script or the arguments of a
 * wrapper. Valid UTF-8.
 */
void agent_argv_identity(const char *name, const char *const *words, size_t count,
    char ret_identity[AGENT_ARGV_IDENTITY_SIZE]);
