/* SPDX-License-Identifier: ISC */
/* The options with which agents resume a conversation. */
#pragma once

#include "base/std.h"

/* The NULL-terminated arguments of a resume; "@" is the conversation. NULL if agent is unknown. */
const char *const *conversation_words(const char *agent);

/* Returns true if an agent's command-line word names a conversation, or the last conversation. */
bool conversation_is_named(const char *agent, const char *word);
