/* SPDX-License-Identifier: ISC */
/* The threads of MCP calls. */
#include "daemon/mcp/mcp_thread.h"

#include <muxbus.h>

#include "base/process.h"
#include "daemon/deliver/queue_command.h"
#include "daemon/mcp/mcp_client.h"
#include "daemon/mcp/mcp_exchange.h"
#include "daemon/pane/presence.h"
#include "daemon/queue/queue.h"
#include "daemon/server/daemon_parts.h"
#include "daemon/server/peer.h"
#include "daemon/server/request.h"
#include "daemon/server/requester.h"

/* Reports the thread in its pane, or in none if another session is at work there. */
static void report(struct presence_set *presences, const struct presence_report *report, pid_t peer)
{
	struct presence_report unseated = *report;
	struct pane_ref none;
	if (report->pane->pane != MUXBUS_NO_ID && presence_report(presences, report))
		return;
	pane_ref_clear(&none);
	unseated.pane = &none;
	unseated.pid = queue_command_process(report->agent, peer);
	if (unseated.pid == 0 && process_parent(peer) > 1)
		unseated.pid = process_parent(peer);
	(void)presence_report(presences, &unseated);
}

/* Without effect for an agent without a queue command, and for a name that is none. */
static void bind_thread(struct presence_set *presences, struct queue *queue,
    struct request *request, const char *agent, const char *session)
{
	const struct presence *known;
	struct presence_report said = {.agent = agent, .session = session};
	char thread[PANE_REF_THREAD_SIZE];
	struct pane_ref address;
	if (!queue_command_is_of(agent) || presence_check(agent, session) != NULL)
		return;
	presence_thread(agent, session, thread);
	request_set_thread(request, thread);
	if (thread[0] == '\0' || request_peer(request) == NULL ||
	    !requester_pane(request, NULL, &address))
		return;
	known = presence_of_session(presences, agent, session);
	/* Most calls say nothing new; but what waits for the thread may come now. */
	if (known != NULL && known->pid > 0 && !known->is_by_mark &&
	    (address.pane == MUXBUS_NO_ID || pane_ref_same_pane(&known->pane, &address)) &&
	    queue_next_for(queue, &address, NULL) == NULL)
		return;
	said.pane = &address;
	report(presences, &said, peer_pid(request_peer(request)));
}

void mcp_thread_bind(const struct mcp_exchange *exchange)
{
	const struct json *thread =
	    exchange->meta != NULL ? json_member(exchange->meta, "threadId") : NULL;
	const char *agent = exchange->session->client->agent;
	if (request_role(exchange->request) != ROLE_READ_ONLY && agent != NULL && thread != NULL &&
	    thread->type == JSON_STRING)
		bind_thread(exchange->mcp->daemon->presences, exchange->mcp->daemon->queue,
		    exchange->request, agent, thread->text);
}
