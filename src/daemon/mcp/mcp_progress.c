/* SPDX-License-Identifier: ISC */
/* Progress notifications of MCP calls. */
#include "daemon/mcp/mcp_progress.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/server/daemon_parts.h"
#include "daemon/server/peer.h"
#include "daemon/server/request.h"
#include "io/loop_timer.h"

#define MCP_PROGRESS_BYTES ((size_t)4096) /* of the members of one notification */

struct mcp_progress {
	struct request *request;
	struct loop_timer *timer;
	const char *what; /* the name of a tool */
	int64_t began_ms;
	char *token; /* as JSON */
};

/* Sends a notification; params has the members behind the token. */
static void notify(const struct mcp_progress *progress, const struct buf *params)
{
	struct peer *peer = request_peer(progress->request);
	struct json_writer writer;
	struct buf line;
	if (peer == NULL)
		return;
	json_start_object(&writer, &line, MESSAGE_ID_BYTES + MCP_PROGRESS_BYTES + 1024);
	json_put_str(&writer, "jsonrpc", "2.0");
	json_put_str(&writer, "method", "notifications/progress");
	json_object_begin(&writer, "params");
	json_put_raw(&writer, "progressToken", progress->token, strlen(progress->token));
	json_put_raw(&writer, NULL, params->data, params->len);
	json_object_end(&writer);
	message_end(&writer);
	(void)peer_send_line(peer, (const char *)line.data, line.len); /* a late one is useless */
	buf_finish(&line);
}

static void on_tick(void *data)
{
	struct mcp_progress *progress = data;
	int64_t passed = (clock_mono_ms() - progress->began_ms + 500) / 1000;
	struct json_writer writer;
	struct buf params;
	char text[128];
	loop_timer_arm(progress->timer, MCP_PROGRESS_MS);
	(void)snprintf(
	    text, sizeof text, "%s: waiting for %lld s", progress->what, (long long)passed);
	buf_init(&params, MCP_PROGRESS_BYTES);
	json_writer_init(&writer, &params);
	json_put_int(&writer, "progress", passed);
	json_put_str(&writer, "message", text);
	notify(progress, &params);
	buf_finish(&params);
}

void mcp_progress_pass(struct mcp_progress *progress, const struct json *params)
{
	static const char *const names[] = {"progress", "total", "message"};
	struct json_writer writer;
	struct buf out;
	const struct json *value = json_member(params, names[0]);
	if (value == NULL || value->type != JSON_NUMBER)
		return;
	loop_timer_disarm(progress->timer); /* its numbers are of another kind */
	buf_init(&out, MCP_PROGRESS_BYTES);
	json_writer_init(&writer, &out);
	for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
		value = json_member(params, names[at]);
		if (value != NULL)
			json_put_value(&writer, names[at], value);
	}
	notify(progress, &out);
	buf_finish(&out);
}

struct mcp_progress *mcp_progress_new(
    struct mcp *mcp, struct request *request, const struct json *meta, const char *what)
{
	const struct json *token = meta != NULL ? json_member(meta, "progressToken") : NULL;
	struct json_writer writer;
	struct buf text;
	struct mcp_progress *progress;
	if (token == NULL || token->len > MESSAGE_ID_MAX ||
	    (token->type != JSON_STRING && token->type != JSON_NUMBER))
		return NULL;
	buf_init(&text, MESSAGE_ID_BYTES);
	json_writer_init(&writer, &text);
	json_put_value(&writer, NULL, token);
	progress = xcalloc(1, sizeof *progress);
	*progress = (struct mcp_progress){.request = request,
	    .what = what,
	    .began_ms = clock_mono_ms(),
	    .token = (char *)buf_steal(&text, NULL),
	    .timer = loop_timer_new(mcp->daemon->base, on_tick, progress)};
	loop_timer_arm(progress->timer, MCP_PROGRESS_MS);
	return progress;
}

void mcp_progress_free(struct mcp_progress *progress)
{
	if (progress == NULL)
		return;
	loop_timer_free(progress->timer);
	mem_free(progress->token);
	mem_free(progress);
}
