/* SPDX-License-Identifier: ISC */
/*
 * Queue commands: some agents have a command that queues a message to one of their sessions and
 * wakes it, as "codex queue --thread ID --message TEXT". Exit status 0 means that the agent has the
 * message, unless the output says that the thread is not loaded. If the daemon is killed meanwhile,
 * the command goes on, and the next daemon reads its result.
 */
#pragma once

#include "base/base.h"

struct mail;
struct queue;

/* Removes unreadable commands from the store. Call this before the first mail is made. */
void queue_command_load(struct queue *queue);
/* Waits for a command that an earlier daemon started for this mail. */
void queue_command_open(struct mail *mail);

/* Returns true if the agent of this name has a queue command. */
bool queue_command_is_of(const char *agent);
/* Returns the nearest ancestor of pid that runs the agent's program; 0: none of the next eight. */
pid_t queue_command_process(const char *agent, pid_t pid);
