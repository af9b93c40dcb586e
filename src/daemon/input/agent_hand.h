/* SPDX-License-Identifier: ISC */
/*
 * A hand types one text at the prompt of an agent and presses Enter, in steps each of which
 * has its evidence: the text is typed by the command that makes sure of the pane; it is seen
 * where the cursor is; Enter is a step of its own, pressed again only while the text still
 * stands there, read by the program; and it is seen to go. Whether the program is ready is
 * for the caller to know. Text of several lines is a bracketed paste, where the program asked
 * for such, and else is not typed. Never is any other key pressed.
 */
#ifndef DAEMON_INPUT_AGENT_HAND_H
#define DAEMON_INPUT_AGENT_HAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/core/pane_ref.h"

#define AGENT_TEXT_MAX (64 * 1024) /* bytes of a text */

struct agent_hand;
struct daemon;
struct json_writer;

enum agent_hand_result {
	HAND_SUBMITTED,
	HAND_HELD, /* nothing was typed: it may be tried again */
	HAND_STUCK, /* it is typed, but was not seen to be submitted: somebody has to look */
};

struct agent_hand_order {
	const char *text; /* lent until it ends; "" presses Enter alone */
	size_t len;
	bool brackets; /* the program takes bracketed pastes */
	pid_t front; /* the program that it is for; 0: whichever is in front */
	bool is_unseen; /* the program does not show what is typed: a secret */
};

/* Ends it; the hand is free then. before_enter: the offset that Enter's effects begin at. */
typedef void agent_hand_fn(
    void *data, enum agent_hand_result result, const char *reason, uint64_t before_enter);

struct agent_hand *agent_hand_new(struct daemon *daemon, agent_hand_fn *ended, void *data);
void agent_hand_free(struct agent_hand *hand);

/* Begins, unless it is at work. */
void agent_hand_type(
    struct agent_hand *hand, const struct pane_ref *pane, const struct agent_hand_order *order);
/* Lets go of what it is doing; ended is not called. */
void agent_hand_drop(struct agent_hand *hand);
/* Whether a text goes as a paste. */
bool agent_hand_pastes(const struct agent_hand_order *order);
bool agent_hand_is_busy(const struct agent_hand *hand);

/* Members that say what was seen. */
void agent_hand_write(const struct agent_hand *hand, struct json_writer *writer);

#endif
