/* SPDX-License-Identifier: ISC */
/* The threads of MCP calls. */
#include "daemon/mcp/mcp_thread.h"

#include "daemon/deliver/thread.h"
#include "daemon/mcp/mcp_client.h"
#include "daemon/mcp/mcp_exchange.h"
#include "daemon/methods/daemon_parts.h"

void mcp_thread_bind(const struct mcp_exchange *exchange)
{
	const struct json *thread =
	    exchange->meta != NULL ? json_member(exchange->meta, "threadId") : NULL;
	const char *agent = exchange->session->client->agent;
	if (agent != NULL && thread != NULL && thread->type == JSON_STRING)
		thread_bind(exchange->mcp->daemon->presences, exchange->mcp->daemon->queue,
		    exchange->request, agent, thread->text);
}
