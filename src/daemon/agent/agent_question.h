/* SPDX-License-Identifier: ISC */
/*
 * The question of an agent: its text, and how its place looked before a person began an answer
 * there. An answer is only typed to the question that it was given for, and to an empty place.
 */
#pragma once

#include "daemon/agent/agent_state.h"

/* Keeps the question that a screen shows, unless it is the one that is kept already. */
void agent_question_keep(
    struct agent *agent, const struct agent_verdict *verdict, const struct pane_screen *screen);

/* Remembers how a question of the agent in data looked when it was seen for the first time. */
void agent_question_expect(void *data, const struct agent_facts *facts);

/* Remembers how the screen looked, whatever was judged. */
void agent_question_look(struct agent *agent, const struct pane_screen *screen);

#define AGENT_QUESTION_ID_SIZE 40

/* The id of the question that is asked now: no other one of this agent ever has it. */
void agent_question_id(const struct agent *agent, char ret_id[AGENT_QUESTION_ID_SIZE]);

/* The members question, question_id, choices and secret; none, if nothing is asked. */
void agent_question_write(struct json_writer *writer, const struct agent *agent);

/* An answer was typed, or may have been: the id is no longer good, whatever is asked next. */
void agent_question_renew(struct agent *agent);

/* Copies the text and the choices into a task that answers them; its end frees them. */
void agent_question_copy(struct agent_task *task);

/*
 * Whether a screen still shows the question that a task answers, with the same choices, and
 * whether the choice of this number (0 to 9) is marked there; of 0, any. Else it is gone.
 */
enum submit_choice agent_question_choice(
    const struct agent_task *task, const struct pane_screen *screen, unsigned number);

/* Whether a screen shows neither that question nor an answer that is begun in its place. */
bool agent_question_has_left(const struct agent_task *task, const struct pane_screen *screen);

/*
 * Whether a person has begun to answer what is kept, as far as a screen tells; of a secret,
 * whether a person has pressed a key there since. ret_reason has AGENT_REASON_SIZE bytes.
 */
bool agent_question_is_begun(const struct agent *agent, const struct muxbus_pane *pane,
    const struct pane_screen *screen, char *ret_reason);
