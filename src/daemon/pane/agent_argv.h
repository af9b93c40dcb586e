/* SPDX-License-Identifier: ISC */
/*
 * Finds the agent that a command line starts: by the program's name, the script of an interpreter,
 * the package that is run, or the command of a shell or a wrapper such as docker exec. The process
 * name alone is not enough, because it may be "node" or ".claude-unwrapped". Also writes the
 * identity of a program. The functions have no side effects.
 */
#pragma once

#include "base/base.h"

enum {
	AGENT_ARGV_WORDS_MAX = 64, /* further words are ignored */
	AGENT_ARGV_NAME_SIZE = 33,
	AGENT_ARGV_IDENTITY_SIZE = 201,
};

/* Returns true if the user's file names this agent; built-in agents are not asked for. */
typedef bool agent_argv_fn(void *data, const char *name);

/* Finds the agent of a command line. Returns false if none is certain. is_other may be NULL. */
bool agent_argv_find(const char *const *words, size_t count, agent_argv_fn *is_other, void *data,
    char ret_name[AGENT_ARGV_NAME_SIZE]);

/*
 * Writes the identity of a program as valid UTF-8, cut to size: its process name, with the script
 * of an interpreter (if none is found, all arguments), or the arguments of a shell or a wrapper.
 */
void agent_argv_identity(const char *name, const char *const *words, size_t count,
    char ret_identity[AGENT_ARGV_IDENTITY_SIZE]);
