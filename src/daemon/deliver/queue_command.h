/* SPDX-License-Identifier: ISC */
/*
 * Some agents have a command that queues a message to one of their sessions and wakes it:
 * "codex queue --thread ID --message TEXT". It is run as it is, word by word, for a bounded time; exit
 * status 0 says that the agent has the message, unless its output says that the thread is not
 * loaded. A command that runs while the daemon is killed is not run again: the next daemon learns
 * how it ended (queue_trace.h).
 */
#pragma once

#include "base/base.h"

struct mail;
struct queue;

/* Looks through what is kept, before the first mail. */
void queue_command_load(struct queue *queue);
/* Waits for a command of a new mail that an earlier daemon has started. */
void queue_command_open(struct mail *mail);

/* Whether an agent has such a command. */
bool queue_command_is_of(const char *agent);
/* The nearest ancestor of pid that runs the agent, by the name of its program; 0: none. */
pid_t queue_command_process(const char *agent, pid_t pid);
