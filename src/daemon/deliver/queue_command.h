/* SPDX-License-Identifier: ISC */
/*
 * Some agents have a command that queues a message to one of their sessions and wakes it:
 * "codex queue --thread ID --message TEXT". It is run as it is, without a shell, for a
 * bounded time; exit status 0 says that the agent has the message, unless its output says that
 * the thread is not loaded.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Whether an agent has such a command. */
bool queue_command_is_of(const char *agent);
/* The process of an agent above one that it has started, by the name of its program; 0: none. */
pid_t queue_command_process(const char *agent, pid_t pid);
