/* SPDX-License-Identifier: ISC */
/*
 * Some agents have a command that queues a message to one of their sessions and wakes it:
 * "codex queue --thread ID --message TEXT". It is run as it is, without a shell, for a
 * bounded time; exit status 0 says that the agent has the message.
 */
#ifndef DAEMON_DELIVER_QUEUE_COMMAND_H
#define DAEMON_DELIVER_QUEUE_COMMAND_H

#include <stdbool.h>

#define QUEUE_COMMAND_MS 10000 /* then it is killed, and counts as failed */

struct event_base;
struct presence;
struct queue_command;

/* Whether the agent has such a command, and has reported its session. */
bool queue_command_serves(const struct presence *presence);

/*
 * is_taken false: reason says why, as long as the command is not freed. It is over then, and
 * is freed by the caller.
 */
typedef void queue_command_fn(void *data, bool is_taken, const char *reason);

/*
 * Runs it, with a line of text. The program is the agent's own where that can be found, else
 * that of its PATH or ours. Always returns one; done is called from the loop.
 */
struct queue_command *queue_command_start(struct event_base *base, const struct presence *presence,
    const char *text, queue_command_fn *done, void *data);
/* Kills it if it still runs. */
void queue_command_free(struct queue_command *command);

#endif
