/* SPDX-License-Identifier: ISC */
/* How agents go on with a conversation. */
#pragma once

#include "base/std.h"

/*
 * The words behind the name of an agent's program that go on with a conversation, ended by NULL: "@"
 * stands for its id. NULL: no such words are known.
 */
const char *const *conversation_words(const char *agent);

/* Whether a word of an agent's command names a conversation, or the last one, already. */
bool conversation_is_named(const char *agent, const char *word);
