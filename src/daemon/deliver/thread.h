/* SPDX-License-Identifier: ISC */
/*
 * Threads: sessions of agents that take messages by name (queue_command.h). A request of a
 * thread is answered by that name, whatever pane its process seems to be in: one process may
 * serve the windows of many panes.
 */
#ifndef DAEMON_DELIVER_THREAD_H
#define DAEMON_DELIVER_THREAD_H

struct presence_set;
struct queue;
struct request;

/*
 * Binds a request to the session of an agent, and takes the request as a report that the agent is
 * there. Without effect for an agent without a queue command, and for a name that is none.
 */
void thread_bind(struct presence_set *presences, struct queue *queue, struct request *request,
    const char *agent, const char *session);

#endif
