/* SPDX-License-Identifier: ISC */
/*
 * Some agents have a command that queues a message to one of their sessions and wakes it:
 * "codex queue --thread ID --message TEXT". It is run as it is, without a shell, for a
 * bounded time; exit status 0 says that the agent has the message, unless its output says that
 * the thread is not loaded.
 */
#ifndef DAEMON_DELIVER_QUEUE_COMMAND_H
#define DAEMON_DELIVER_QUEUE_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "daemon/pane/presence.h"

#define QUEUE_COMMAND_MS 10000 /* then it is killed, and counts as failed */

#define QUEUE_COMMAND_OUT_MAX (256 * 1024) /* bytes of output: writing more fails */
#define QUEUE_REASON_SIZE 200

struct event_base;
struct queue_command;

/* A session, and the process whose program and environment its command needs. */
struct queue_target {
	char agent[PRESENCE_NAME_MAX + 1];
	char session[PRESENCE_SESSION_MAX + 1];
	pid_t pid; /* 0: not known */
};

/* Whether an agent has such a command. */
bool queue_command_is_of(const char *agent);
/*
 * The session at an address: its thread, else what the agent in its pane has reported. False if
 * there is none, or its agent has no such command, or its process has ended: for a thread with
 * the reason, else "".
 */
bool queue_command_find(struct presence_set *presences, const struct pane_ref *address,
    struct queue_target *ret_target, char ret_reason[QUEUE_REASON_SIZE]);
/* The process of an agent above one that it has started, by the name of its program; 0: none. */
pid_t queue_command_process(const char *agent, pid_t pid);

/*
 * is_taken false: reason says why, as long as the command is not freed. It is over then, and
 * is freed by the caller.
 */
typedef void queue_command_fn(void *data, bool is_taken, const char *reason);

/*
 * Runs it, with a line of text. The program is the agent's own where that can be found, else
 * that of its PATH or ours. Always returns one; done is called from the loop.
 */
struct queue_command *queue_command_start(struct event_base *base,
    const struct queue_target *target, const char *text, queue_command_fn *done, void *data);
/* Kills it if it still runs. */
void queue_command_free(struct queue_command *command);

#endif
