/* SPDX-License-Identifier: ISC */
/* Marks: an agent's reports through its terminal, also from behind ssh or in a container. */
#pragma once

#include "base/base.h"

#define MARK_VARIABLE "LC_MUXBUS" /* environment variable with the token of a pane */

/* Fields of a mark. All but the token may be NULL. */
struct mark {
	const char *token, *agent, *session;
	const char *state; /* idle, ready, busy, asking or gone */
	const char *question;
	const char *wake; /* text for the agent that the mark should wake */
	const char *to; /* which agent to wake: own or parent */
};

/* Writes the mark to /dev/tty; long texts are cut. Returns false with errno. */
bool mark_write(const struct mark *mark);
