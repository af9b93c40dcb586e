/* SPDX-License-Identifier: ISC */
/* What an agent is told unasked. */
#include "daemon/mcp_listen.h"

#include <string.h>

#include "daemon/peer.h"

void mcp_listening_free(struct mcp_listening *listening)
{
	(void)listening;
}

void mcp_listen_lists(struct mcp_session *session)
{
	(void)session;
}

void mcp_listen_tools_changed(struct mcp_session *session)
{
	static const char line[] =
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";
	if (session->is_initialized)
		(void)peer_send_line(session->peer, line, strlen(line));
}
