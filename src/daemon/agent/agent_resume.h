/* SPDX-License-Identifier: ISC */
/*
 * The conversation of a kept agent: a program that is started again resumes it. If the tmux server
 * has ended, so has the agent's screen, and a new conversation would surprise its user. So in that
 * case an agent with an unknown conversation is not started again.
 */
#pragma once

#include "base/base.h"

struct agent;
struct agent_set;

/* Begins to store the conversations that agents of the set report. */
void agent_resume_listen(struct agent_set *set);

/* Drops the conversation: the agent will start a new one. */
void agent_resume_forget(struct agent *agent);

/*
 * Returns the command that resumes the agent's conversation; the caller frees. NULL if there is no
 * conversation, or the agent's own command names one.
 */
char **agent_resume_command(const struct agent *agent);

/* Returns true if the agent's pane was in another tmux server than the present one. */
bool agent_resume_is_needed(const struct agent *agent);

/* Writes that the agent's tmux server has ended, and why its conversation cannot be resumed. */
void agent_resume_describe(const struct agent *agent, char *out, size_t size);

/* Returns why the agent cannot resume, though its kind has conversations, or NULL if it can. */
const char *agent_resume_problem(const struct agent *agent);
