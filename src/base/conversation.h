/* SPDX-License-Identifier: ISC */
/* The options with which agents resume a conversation. */
#pragma once

#include "base/std.h"

/*
 * Returns the arguments with which an agent's program resumes a conversation, NULL-terminated; "@"
 * stands for the id of the conversation. Returns NULL if the agent is unknown.
 */
const char *const *conversation_words(const char *agent);

/* Returns true if an agent's command-line word names a conversation, or the last conversation. */
bool conversation_is_named(const char *agent, const char *word);
