/* SPDX-License-Identifier: ISC */
/* Log messages to an agent that wants them. */
#include "daemon/mcp_log.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "daemon/peer.h"
#include "daemon/request.h"

/* In the order of their weight. */
static const char *const level_names[] = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency", NULL};

static void say(struct peer *peer, enum mcp_level level, const char *text)
{
	struct json_writer writer;
	struct buf line;
	buf_init(&line, 16384);
	json_writer_init(&writer, &line);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "jsonrpc", "2.0");
	json_put_str(&writer, "method", "notifications/message");
	json_object_begin(&writer, "params");
	json_put_str(&writer, "level", level_names[level]);
	json_put_str(&writer, "logger", "muxbus");
	(void)json_put_text(&writer, "data", text, strnlen(text, 2000));
	json_object_end(&writer);
	message_end(&writer);
	(void)peer_send_line(peer, (const char *)line.data, line.len); /* who is behind misses it */
	buf_finish(&line);
}

void mcp_log_begin(struct mcp_log *log, const struct mcp_exchange *exchange)
{
	const struct json *wanted =
	    exchange->meta ? json_member(exchange->meta, MCP_META "logLevel") : NULL;
	*log = (struct mcp_log){.request = exchange->request,
	    .level = exchange->is_modern ? -1 : exchange->session->log_level,
	    .began_ms = clock_mono_ms()};
	if (!exchange->is_modern || !wanted || wanted->type != JSON_STRING)
		return;
	for (int i = 0; level_names[i]; i++)
		if (strcmp(level_names[i], wanted->text) == 0)
			log->level = i;
}

void mcp_log_call(const struct mcp_log *log, const struct method *tool, const char *error)
{
	enum mcp_level level = error ? MCP_WARNING : MCP_DEBUG;
	struct peer *peer = request_peer(log->request);
	char text[512];
	if (!peer || log->level < 0 || (int)level < log->level)
		return;
	(void)snprintf(text, sizeof(text), "%s: %s%.300s, after %lld ms", tool->name,
	    error ? "failed: " : "done", error ? error : "",
	    (long long)(clock_mono_ms() - log->began_ms));
	say(peer, level, text);
}

void mcp_log_say(const struct mcp_session *session, enum mcp_level level, const char *text)
{
	if (session->log_level >= 0 && (int)level >= session->log_level)
		say(session->peer, level, text);
}

/* ---- logging/setLevel --------------------------------------------------------------------- */

struct level_args {
	int level;
};

static const struct field level_fields[] = {
    {.name = "level",
	.type = FIELD_CHOICE,
	.flags = FIELD_REQUIRED,
	.offset = offsetof(struct level_args, level),
	.choices = level_names},
    {.name = NULL},
};

static void handle_level(struct mcp_exchange *exchange, const void *data)
{
	const struct level_args *args = data;
	exchange->session->log_level = args->level;
	(void)mcp_result(exchange);
	request_done(exchange->request);
}

/* Keep alphabetized. */
const struct mcp_method mcp_methods_log[] = {
    {.name = "logging/setLevel",
	.flags = MCP_LEGACY_ONLY,
	.fields = level_fields,
	.handle = handle_level},
    {.name = NULL},
};
