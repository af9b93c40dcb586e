/* SPDX-License-Identifier: ISC */
/* Log messages for MCP clients. */
#include "daemon/mcp/mcp_log.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "daemon/event/event_log.h"
#include "daemon/mcp/mcp_listen.h"
#include "daemon/server/peer.h"
#include "daemon/server/request.h"

#define DATA_MAX ((size_t)16384) /* of one message; a larger one is not sent */

/* From the lowest level to the highest. */
static const char *const level_names[] = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency", NULL};

/* data is JSON text. */
static void say(struct peer *peer, enum mcp_level level, const void *data, size_t len)
{
	struct json_writer writer;
	struct buf line;
	json_start_object(&writer, &line, DATA_MAX + 1024);
	json_put_str(&writer, "jsonrpc", "2.0");
	json_put_str(&writer, "method", "notifications/message");
	json_object_begin(&writer, "params");
	json_put_str(&writer, "level", level_names[level]);
	json_put_str(&writer, "logger", "muxbus");
	json_put_raw(&writer, "data", data, len);
	json_object_end(&writer);
	message_end(&writer);
	if (!writer.is_cut)
		(void)peer_send_line(
		    peer, (const char *)line.data, line.len); /* a slow peer misses it */
	buf_finish(&line);
}

static void say_text(struct peer *peer, enum mcp_level level, const char *text)
{
	struct json_writer writer;
	struct buf data;
	buf_init(&data, DATA_MAX);
	json_writer_init(&writer, &data);
	(void)json_put_text(&writer, NULL, text, strlen(text));
	say(peer, level, data.data, data.len);
	buf_finish(&data);
}

void mcp_log_begin(struct mcp_log *log, const struct mcp_exchange *exchange)
{
	const struct json *wanted =
	    exchange->meta ? json_member(exchange->meta, MCP_META "logLevel") : NULL;
	*log = (struct mcp_log){.request = exchange->request,
	    .level = exchange->is_modern ? -1 : exchange->session->log_level,
	    .began_ms = clock_mono_ms()};
	if (!exchange->is_modern || wanted == NULL || wanted->type != JSON_STRING)
		return;
	for (int i = 0; level_names[i]; i++)
		if (strcmp(level_names[i], wanted->text) == 0)
			log->level = i;
}

void mcp_log_call(const struct mcp_log *log, const struct method *tool, const char *error)
{
	enum mcp_level level = error != NULL ? MCP_WARNING : MCP_DEBUG;
	struct peer *peer = request_peer(log->request);
	char text[512];
	if (peer == NULL || log->level < 0 || (int)level < log->level)
		return;
	(void)snprintf(text, sizeof text, "%s: %s%.300s, after %lld ms", tool->name,
	    error != NULL ? "failed: " : "done", error != NULL ? error : "",
	    (long long)(clock_mono_ms() - log->began_ms));
	say_text(peer, level, text);
}

/* The log level of events; other events are not logged. */
static const struct {
	enum event_kind kind;
	enum mcp_level level;
} weights[] = {
    {EVENT_GAP, MCP_WARNING},
    {EVENT_NOTIFICATION, MCP_INFO},
    {EVENT_PANE_CLOSED, MCP_DEBUG},
    {EVENT_PANE_CREATED, MCP_DEBUG},
    {EVENT_SERVER_FOUND, MCP_NOTICE},
    {EVENT_SERVER_LOST, MCP_ERROR},
};

#define WEIGHTS_COUNT (sizeof weights / sizeof *weights)

/* Logs an event if the session wants its level. */
static void log_event(const struct mcp_session *session, const struct event_entry *event)
{
	struct buf data;
	if (event->json_len + 2 > DATA_MAX)
		return;
	buf_init(&data, DATA_MAX);
	(void)buf_append_byte(&data, '{');
	(void)buf_append(&data, event->json, event->json_len);
	(void)buf_append_byte(&data, '}');
	for (size_t i = 0; i < WEIGHTS_COUNT; i++)
		if (weights[i].kind == event->kind && (int)weights[i].level >= session->log_level)
			say(session->peer, weights[i].level, data.data, data.len);
	buf_finish(&data);
}

struct level_args {
	int level;
};

static const struct field level_fields[] = {
    {FIELD_ROW(CHOICE, struct level_args, level, "level"), .flags = FIELD_REQUIRED,
	.choices = level_names},
    {.name = NULL},
};

static void handle_level(struct mcp_exchange *exchange, const void *data)
{
	const struct level_args *args = data;
	uint64_t kinds = 0;
	for (size_t i = 0; i < WEIGHTS_COUNT; i++)
		if ((int)weights[i].level >= args->level)
			kinds |= (uint64_t)1 << weights[i].kind;
	exchange->session->log_level = args->level;
	mcp_listen_log(exchange->session, kinds, log_event);
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
