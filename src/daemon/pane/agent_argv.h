/* SPDX-License-Identifier: ISC */
/*
 * The agent that a command line starts, found by its words: the program's own name, the script
 * of an interpreter, a package that is run, or the command behind a wrapper such as docker exec.
 * The name of a process alone says little: it may be node, or .claude-unwrapped. Pure.
 */
#pragma once

#include "base/base.h"

enum {
	AGENT_ARGV_WORDS_MAX = 64, /* further ones are not looked at */
	AGENT_ARGV_NAME_SIZE = 33,
	AGENT_ARGV_IDENTITY_SIZE = 201,
};

/* Further names that are agents, such as those of the user's file. */
typedef bool agent_argv_fn(void *data, const char *name);

/* Whether a command line is an agent's, and of which. False if that is not certain. */
bool agent_argv_find(const char *const *words, size_t count, agent_argv_fn *is_other, void *data,
    char ret_name[AGENT_ARGV_NAME_SIZE]);

/*
 * The words that make a program another one than others of its name: of an interpreter the
 * script, of a wrapper the command; of all others the name alone. name is that of the process. The
 * result is UTF-8.
 */
void agent_argv_identity(const char *name, const char *const *words, size_t count,
    char ret_identity[AGENT_ARGV_IDENTITY_SIZE]);
