/* SPDX-License-Identifier: ISC */
/* The bridge's advice for a tool call whose answer was lost, by the last daemon's method rows. */
#pragma once

#include "wire/json.h"

/* Starts without any tool. */
struct mcp_advice *mcp_advice_new(void);
void mcp_advice_free(struct mcp_advice *advice);

/* Takes the member "methods" of an answer to describe; if it is no object, keeps the old rows. */
void mcp_advice_learn(struct mcp_advice *advice, const struct json *methods);
bool mcp_advice_is_known(const struct mcp_advice *advice, const char *tool);

/*
 * Returns true if a call can be sent again without harm: the tool only reads and, if it waits, its
 * wait has a name (has_wait), by which the next daemon resumes it. Returns false for an unknown
 * tool.
 */
bool mcp_advice_is_repeatable(const struct mcp_advice *advice, const char *tool, bool has_wait);

/* Writes a sentence that says what to do before a call of the tool is repeated. */
void mcp_advice_describe(const struct mcp_advice *advice, const char *tool, char *out, size_t size);
