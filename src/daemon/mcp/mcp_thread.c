/* SPDX-License-Identifier: ISC */
/* The threads of MCP calls. */
#include "daemon/mcp/mcp_thread.h"

#include <muxbus.h>

#include "base/process.h"
#include "daemon/deliver/queue_command.h"
#include "daemon/mcp/mcp_client.h"
#include "daemon/mcp/mcp_exchange.h"
#include "daemon/pane/presence.h"
#include "daemon/pane/thread_seat.h"
#include "daemon/queue/queue.h"
#include "daemon/server/daemon_parts.h"
#include "daemon/server/peer.h"
#include "daemon/server/request.h"
#include "daemon/server/requester.h"

/* The process that runs the threads of an agent, above that of a peer; 0: none is known. */
static pid_t find_server(const char *agent, pid_t peer)
{
	pid_t server = queue_command_process(agent, peer);
	return server == 0 && process_parent(peer) > 1 ? process_parent(peer) : server;
}

/* Reports the thread in its pane, or in none if another session is at work there. */
static void report(const struct daemon *daemon, const struct presence_report *report, pid_t peer)
{
	if (report->pane->pane == MUXBUS_NO_ID || !presence_report(daemon->presences, report))
		(void)thread_seat_report(
		    daemon->presences, report, find_server(report->agent, peer));
}

/* Without effect for an agent without a queue command, and for a name that is none. */
static void bind_thread(
    const struct daemon *daemon, struct request *request, const char *agent, const char *session)
{
	const struct presence *known;
	struct presence_report said = {.agent = agent, .session = session};
	char thread[PANE_REF_THREAD_SIZE];
	struct pane_ref address;
	pid_t peer;
	if (!queue_command_is_of(agent) || presence_check(agent, session) != NULL)
		return;
	presence_thread(agent, session, thread);
	request_set_thread(request, thread);
	if (thread[0] == '\0' || request_peer(request) == NULL ||
	    !requester_pane(request, NULL, &address))
		return;
	peer = peer_pid(request_peer(request));
	known = presence_of_session(daemon->presences, agent, session);
	/* Most calls say nothing new; but what waits for the thread may come now. */
	if (known != NULL && known->pid > 0 && !known->is_by_mark &&
	    (address.pane == MUXBUS_NO_ID || pane_ref_same_pane(&known->pane, &address)) &&
	    queue_next_for(daemon->queue, &address, NULL) == NULL) {
		if (known->pane.pane == MUXBUS_NO_ID)
			(void)thread_seat_take(daemon->presences, &said, find_server(agent, peer));
		return;
	}
	said.pane = &address;
	report(daemon, &said, peer);
}

void mcp_thread_bind(const struct mcp_exchange *exchange)
{
	const struct json *thread =
	    exchange->meta != NULL ? json_member(exchange->meta, "threadId") : NULL;
	const char *agent = exchange->session->client->agent;
	if (request_role(exchange->request) != ROLE_READ_ONLY && agent != NULL && thread != NULL &&
	    thread->type == JSON_STRING)
		bind_thread(exchange->mcp->daemon, exchange->request, agent, thread->text);
}
