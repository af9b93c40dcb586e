/* SPDX-License-Identifier: ISC */
/* The arguments with which agents resume a conversation. */
#pragma once

#include "base/std.h"

/*
 * Returns the arguments with which `agent` resumes a conversation, ended by NULL. "@" stands for
 * the id of the conversation. Returns NULL for an unknown agent.
 */
const char *const *conversation_words(const char *agent);

/*
 * Returns true if the arguments of conversation_words() must not be added to a command line that
 * has this word, such as --resume or --continue.
 */
bool conversation_is_named(const char *agent, const char *word);
