/* SPDX-License-Identifier: ISC */
/*
 * The question of an agent: its text, and the screen at its place (the rows at and above the
 * cursor) before an answer was begun. An answer is typed only to the question that it was given
 * for, and only if no other answer was begun there.
 */
#pragma once

#include "daemon/agent/agent_state.h"

/*
 * Stores the question that a screen shows. The same question keeps its number, and is not changed
 * while an answer is begun. If screen is NULL, only is_secret of the verdict is stored.
 */
void agent_question_keep(
    struct agent *agent, const struct agent_verdict *verdict, const struct pane_screen *screen);

/* Remembers the cursor's row when a first look sees a question other than a menu or dialog. */
void agent_question_expect(struct agent *agent, const struct agent_facts *facts);

/* Remembers the cursor's row at each look, except while a person types an answer there. */
void agent_question_look(struct agent *agent, const struct pane_screen *screen);

#define AGENT_QUESTION_ID_SIZE 40

/* Writes the id of the present question. It is unique among the questions of this agent. */
void agent_question_id(const struct agent *agent, char ret_id[AGENT_QUESTION_ID_SIZE]);

void agent_question_write(struct json_writer *writer, const struct agent *agent);

/* Gives the question a new id, if it was asked again or an answer may have been typed. */
void agent_question_renew(struct agent *agent);

/* Copies the agent's question to the task, which frees the copy at its end. */
void agent_question_copy(struct agent_task *task);

/*
 * Compares the screen with the task's question. Returns whether the choice with this number (0: any
 * choice) is marked, or what the screen shows instead of the question.
 */
enum submit_choice agent_question_choice(
    const struct agent_task *task, const struct pane_screen *screen, unsigned number);

/* Returns true if the screen shows neither the task's question nor the beginning of an answer. */
bool agent_question_has_left(const struct agent_task *task, const struct pane_screen *screen);

/*
 * Returns true if the screen shows the beginning of an answer to the stored question. For a secret,
 * a key that a person has pressed since then counts too. Always writes ret_reason.
 */
bool agent_question_is_begun(const struct agent *agent, const struct muxbus_pane *pane,
    const struct pane_screen *screen, char *ret_reason);
