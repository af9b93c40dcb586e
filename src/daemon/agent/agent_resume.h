/* SPDX-License-Identifier: ISC */
/*
 * The conversation of a kept agent. A program that is started again goes on with it. With its
 * tmux server an agent has lost its screen, so that it would surprise to meet a new one there:
 * where the conversation is not known, it is not started again by itself.
 */
#pragma once

#include "base/base.h"

struct agent;
struct agent_set;

/* Notes the conversations that agents of the set report, from now on. */
void agent_resume_listen(struct agent_set *set);
void agent_resume_unlisten(struct agent_set *set);

/* The agent starts a new conversation: the old one is forgotten. */
void agent_resume_forget(struct agent *agent);

/*
 * The command that goes on with its conversation, of the heap. NULL: the agent has no conversation, or
 * its own command names one.
 */
char **agent_resume_command(const struct agent *agent);

/* Whether its pane was of another tmux server than the one that is followed now. */
bool agent_resume_is_needed(const struct agent *agent);

/* Writes that its server has ended, and why it cannot go on. */
void agent_resume_describe(const struct agent *agent, char *out, size_t size);

/* Why it cannot go on, though it is of a kind that has conversations; NULL: it can. */
const char *agent_resume_problem(const struct agent *agent);
