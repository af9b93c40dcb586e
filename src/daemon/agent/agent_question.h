/* SPDX-License-Identifier: ISC */
/*
 * The question of an agent: its text, and how its place looked before a person began an answer
 * there. An answer is only typed to the question that it was given for, and to an empty place.
 */
#ifndef DAEMON_AGENT_AGENT_QUESTION_H
#define DAEMON_AGENT_AGENT_QUESTION_H

#include <stdbool.h>

#include "daemon/agent/agent_state.h"

struct muxbus_pane;
struct pane_screen;

/* Keeps the question that a screen shows, or goes on with the one that is kept. */
void agent_question_keep(
    struct agent *agent, const struct agent_verdict *verdict, const struct pane_screen *screen);

/* Remembers how the screen looked, whatever was judged. */
void agent_question_look(struct agent *agent, const struct pane_screen *screen);

/*
 * Whether a person has begun to answer what is kept, as far as a screen tells; of a secret,
 * whether a person has pressed a key there since. ret_reason has AGENT_REASON_SIZE bytes.
 */
bool agent_question_is_begun(const struct agent *agent, const struct muxbus_pane *pane,
    const struct pane_screen *screen, char *ret_reason);

#endif
