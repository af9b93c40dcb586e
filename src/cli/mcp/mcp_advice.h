/* SPDX-License-Identifier: ISC */
/*
 * Advice of the bridge for a tool call whose answer was lost with the daemon. The facts come
 * from the rows of describe, kept since the daemon answered last.
 */
#pragma once

#include "wire/json.h"

/* Knows no tool yet. Ends the process if out of memory. */
struct mcp_advice *mcp_advice_new(void);
void mcp_advice_free(struct mcp_advice *advice);

/* Takes the member methods of what describe answers; NULL changes nothing. */
void mcp_advice_learn(struct mcp_advice *advice, const struct json *methods);
bool mcp_advice_is_known(const struct mcp_advice *advice, const char *tool);

/*
 * Whether a call can be sent again unnoticed: its tool only reads, and does not wait, or the wait
 * has a name, by which the next daemon resumes it.
 */
bool mcp_advice_is_repeatable(const struct mcp_advice *advice, const char *tool, bool has_wait);

/*
 * Writes what to do before the call is repeated: one sentence. Every tool has one, also a
 * tool that is not known.
 */
void mcp_advice_write(const struct mcp_advice *advice, const char *tool, char *out, size_t size);
