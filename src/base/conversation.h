/* SPDX-License-Identifier: ISC */
/* The options with which agents resume a conversation. */
#pragma once

#include "base/std.h"

/*
 * Returns the arguments with which the program `agent` resumes a conversation, NULL-terminated; "@"
 * stands for the conversation's id. Returns NULL for an unknown agent.
 */
const char *const *conversation_words(const char *agent);

/*
 * Returns true if a word of an agent's command line already chooses a conversation, such as
 * --resume or --continue, so that the arguments of conversation_words() must not be added.
 */
bool conversation_is_named(const char *agent, const char *word);
