/* SPDX-License-Identifier: ISC */
/*
 * Marks: reports of an agent to muxbusd by an escape sequence (OSC 3008) to its terminal, which
 * pass through ssh and out of containers. They need the token in LC_MUXBUS.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

#define MARK_VARIABLE "LC_MUXBUS"

/* Everything but the token may be NULL. */
struct mark {
	const char *token;
	const char *agent;
	const char *session;
	const char *state; /* idle, ready, busy, asking, gone */
	const char *question;
	const char *wake; /* a text for the agent to wake */
	const char *to; /* own or parent: which agent */
};

/* Writes it to the terminal of this process in one piece. False with errno. */
bool mark_write(const struct mark *mark);
