/* SPDX-License-Identifier: ISC */
#include "cli/mcp/mcp_replay.h"

#include "cli/mcp/mcp_advice.h"
#include "wire/message.h"

/* Begins the ids of the bridge's own requests. An agent must not use such ids. */
#define OUR_PREFIX "muxbus-bridge:"

#define RESENT_MAX ((size_t)16 * 1024) /* longest line, in bytes, that is stored until its answer */
#define TOOL_MAX 64
#define LISTS_COUNT 3

/* How a request that was sent is handled when the connection is lost. */
enum fate {
	FATE_RESEND, /* repeatable: sent again on the next connection */
	FATE_CALL, /* a tool call that is repeatable or unknown; the loss decides */
	FATE_TEACH, /* a tool call that gets a result with advice */
	FATE_FAIL, /* gets an error */
};

/* A request that is not answered yet. `pendings` lists these requests in order of arrival. */
struct pending_request {
	struct list link;
	char *id; /* JSON text */
	char *line; /* without its newline; NULL if it must not be sent again */
	size_t len;
	uint64_t end; /* offset of the line's end in the bytes of this connection; 0: not queued */
	enum fate fate;
	bool is_initialize;
	bool is_stream; /* subscriptions/listen, which has no answer until the agent cancels it */
	bool is_modern;
	bool has_wait; /* names a wait, which survives the daemon */
	char tool[TOOL_MAX]; /* name of the tool of a tool call, or "" */
};

/* A request to repeat after each repeated initialize: a log level or a subscription. */
struct kept_request {
	struct list link;
	char *method;
	char *key; /* URI of the subscription, or "" for the log level */
	char *params; /* JSON text */
};

struct mcp_replay {
	struct mcp_replay_config config;
	struct json_reader *reader;
	struct mcp_advice *advice;
	struct line_input agent_input, daemon_input;
	struct buf to_agent, to_daemon;
	struct json_writer agent_writer, daemon_writer;
	uint64_t written; /* bytes sent on this connection */
	struct list pendings;
	size_t pending_count;
	size_t held_bytes; /* bytes of lines that wait for a connection */
	struct list kepts;
	size_t kept_count;
	char *initialize; /* parameters of the agent's last initialize, as JSON text, or NULL */
	bool is_initialized; /* the agent has sent notifications/initialized after `initialize` */
	bool is_connected;
	bool is_described; /* a daemon has answered describe; before, requests are held */
	unsigned our_last;
	unsigned our_initialize; /* number of the pending repeated initialize; 0 if none */
	bool list_changes[LISTS_COUNT]; /* the daemon said that it announces changes of this list */
};

struct mcp_replay *mcp_replay_new(const struct mcp_replay_config *config)
{
	struct mcp_replay *replay = xcalloc(1, sizeof *replay);
	replay->config = *config;
	replay->reader = json_reader_new(MCP_REPLAY_ANSWER_MAX);
	replay->advice = mcp_advice_new();
	line_input_init(&replay->agent_input, MCP_REPLAY_LINE_MAX);
	replay->agent_input.wants_id = true;
	line_input_init(&replay->daemon_input, MCP_REPLAY_ANSWER_MAX);
	/* The limits of both inputs stop reading long before these buffers are full. */
	buf_init(&replay->to_agent, 2 * MCP_REPLAY_ANSWER_MAX);
	buf_init(&replay->to_daemon, 2 * MCP_REPLAY_ANSWER_MAX);
	json_writer_init(&replay->agent_writer, &replay->to_agent);
	json_writer_init(&replay->daemon_writer, &replay->to_daemon);
	list_init(&replay->pendings);
	list_init(&replay->kepts);
	return replay;
}

static bool is_held(const struct pending_request *pending)
{
	return pending->line != NULL && pending->end == 0;
}

/* Frees the line, so that it cannot be sent again. */
static void drop_line(struct mcp_replay *replay, struct pending_request *pending)
{
	if (is_held(pending))
		replay->held_bytes -= pending->len;
	mem_free(pending->line);
	pending->line = NULL;
}

static void forget(struct mcp_replay *replay, struct pending_request *pending)
{
	drop_line(replay, pending);
	list_remove(&pending->link);
	replay->pending_count--;
	mem_free(pending->id);
	mem_free(pending);
}

static void drop_kept(struct mcp_replay *replay, struct kept_request *kept)
{
	list_remove(&kept->link);
	replay->kept_count--;
	mem_free(kept->method);
	mem_free(kept->key);
	mem_free(kept->params);
	mem_free(kept);
}

void mcp_replay_free(struct mcp_replay *replay)
{
	if (replay == NULL)
		return;
	list_each_safe (struct pending_request, pending, &replay->pendings, link)
		forget(replay, pending);
	list_each_safe (struct kept_request, kept, &replay->kepts, link)
		drop_kept(replay, kept);
	json_reader_free(replay->reader);
	mcp_advice_free(replay->advice);
	line_input_finish(&replay->agent_input);
	line_input_finish(&replay->daemon_input);
	buf_finish(&replay->to_agent);
	buf_finish(&replay->to_daemon);
	mem_free(replay->initialize);
	mem_free(replay);
}

static void put_line(struct json_writer *writer, const char *line, size_t len)
{
	json_put_raw(writer, NULL, line, len);
	json_end_line(writer);
}

static char *id_text(const struct json *id)
{
	return json_text(id, JSON_GROWTH * MCP_REPLAY_ANSWER_MAX); /* cuts nothing that was read */
}

static void ask_as(
    struct mcp_replay *replay, const char *id, const char *method, const char *params)
{
	struct json_writer *writer = &replay->daemon_writer;
	json_object_begin(writer, NULL);
	json_put_str(writer, "jsonrpc", "2.0");
	json_put_str(writer, "id", id);
	json_put_str(writer, "method", method);
	if (params != NULL)
		json_put_raw(writer, "params", params, strlen(params));
	json_object_end(writer);
	json_end_line(writer);
}

static unsigned ask(struct mcp_replay *replay, const char *method, const char *params)
{
	char id[sizeof OUR_PREFIX + 16];
	(void)snprintf(id, sizeof id, OUR_PREFIX "%u", ++replay->our_last);
	ask_as(replay, id, method, params);
	return replay->our_last;
}

static void notify(struct json_writer *writer, const char *method)
{
	json_object_begin(writer, NULL);
	json_put_str(writer, "jsonrpc", "2.0");
	json_put_str(writer, "method", method);
	json_object_end(writer);
	json_end_line(writer);
}

static void send_pending(struct mcp_replay *replay, struct pending_request *pending)
{
	if (!replay->is_described)
		return;
	if (is_held(pending))
		replay->held_bytes -= pending->len;
	put_line(&replay->daemon_writer, pending->line, pending->len);
	pending->end = replay->written + replay->to_daemon.len;
}

/* Writes a tool result with isError, which models read, unlike a JSON-RPC error. */
static void teach(
    struct mcp_replay *replay, const struct pending_request *pending, const char *text)
{
	struct json_writer *writer = &replay->agent_writer;
	message_begin_result(writer, pending->id);
	json_array_begin(writer, "content");
	json_object_begin(writer, NULL);
	json_put_str(writer, "type", "text");
	json_put_str(writer, "text", text);
	json_object_end(writer);
	json_array_end(writer);
	json_put_bool(writer, "isError", true);
	if (pending->is_modern)
		json_put_str(writer, "resultType", "complete");
	message_end_result(writer);
}

static void answer(struct mcp_replay *replay, struct pending_request *pending,
    enum message_error error, const char *text)
{
	if (pending->tool[0])
		teach(replay, pending, text);
	else
		message_write_error(&replay->agent_writer, pending->id, error, text, NULL);
	forget(replay, pending);
}

static void answer_lost(struct mcp_replay *replay, struct pending_request *pending)
{
	char text[512], advice[256];
	mcp_advice_describe(replay->advice, pending->tool, advice, sizeof advice);
	if (pending->tool[0])
		(void)snprintf(text, sizeof text,
		    "muxbusd, the daemon behind these tools, restarted while this call ran. "
		    "Whether it had an effect is unknown. %s",
		    advice);
	else
		(void)snprintf(text, sizeof text,
		    "muxbusd restarted while this request ran; whether it had an effect is "
		    "unknown");
	answer(replay, pending, MESSAGE_INTERNAL, text);
}

/* Methods that may be sent again, because repeating them is harmless. */
static const char *const asking[] = {"completion/complete", "initialize", "logging/setLevel",
    "ping", "prompts/get", "prompts/list", "resources/list", "resources/read",
    "resources/subscribe", "resources/templates/list", "resources/unsubscribe", "server/discover",
    "subscriptions/listen", "tasks/get", "tasks/list", "tasks/result", "tools/list", NULL};

static void judge(
    struct mcp_replay *replay, struct pending_request *pending, const struct message *message)
{
	const char *tool = json_get_str(message->params, "name", NULL);
	const struct json *meta = json_member(message->params, "_meta");
	pending->is_initialize = strcmp(message->method, "initialize") == 0;
	pending->is_stream = strcmp(message->method, "subscriptions/listen") == 0;
	pending->is_modern =
	    json_get_str(meta, "io.modelcontextprotocol/protocolVersion", NULL) != NULL;
	pending->has_wait =
	    json_get_str(json_member(message->params, "arguments"), "wait", NULL) != NULL;
	pending->fate = FATE_FAIL;
	if (strcmp(message->method, "tools/call") == 0) {
		(void)snprintf(
		    pending->tool, sizeof pending->tool, "%s", tool != NULL ? tool : "no tool");
		pending->fate = mcp_advice_is_known(replay->advice, pending->tool) &&
			!mcp_advice_is_repeatable(replay->advice, pending->tool, pending->has_wait)
		    ? FATE_TEACH
		    : FATE_CALL;
	} else if (str_is_in(message->method, asking)) {
		pending->fate = FATE_RESEND;
	}
	if (pending->fate <= FATE_CALL && pending->len > RESENT_MAX)
		pending->fate = pending->tool[0] ? FATE_TEACH : FATE_FAIL;
}

static void keep(struct mcp_replay *replay, const struct message *message)
{
	bool is_level = strcmp(message->method, "logging/setLevel") == 0;
	bool is_end = strcmp(message->method, "resources/unsubscribe") == 0;
	struct kept_request *kept;
	const char *uri;
	if (!is_level && !is_end && strcmp(message->method, "resources/subscribe") != 0)
		return;
	uri = is_level ? "" : json_get_str(message->params, "uri", NULL);
	if (uri == NULL)
		return;
	list_each_safe (struct kept_request, old, &replay->kepts, link)
		if (strcmp(old->key, uri) == 0)
			drop_kept(replay, old);
	if (is_end || replay->kept_count == MCP_REPLAY_KEPT_MAX || message->params == NULL)
		return;
	kept = xcalloc(1, sizeof *kept);
	kept->method = xstrdup(message->method);
	kept->key = xstrdup(uri);
	kept->params = json_text(message->params, JSON_GROWTH * MCP_REPLAY_ANSWER_MAX);
	list_append(&replay->kepts, &kept->link);
	replay->kept_count++;
}

static bool is_ours(const struct json *id)
{
	return id != NULL && id->type == JSON_STRING &&
	    strncmp(id->text, OUR_PREFIX, strlen(OUR_PREFIX)) == 0;
}

static void refuse_id(
    struct mcp_replay *replay, const struct json *id, enum message_error error, const char *reason)
{
	char *text = id_text(id);
	message_write_error(&replay->agent_writer, text, error, reason, NULL);
	mem_free(text);
}

static bool refuse(struct mcp_replay *replay, const struct message *message)
{
	const char *text = NULL;
	enum message_error error = MESSAGE_REQUEST;
	if (is_ours(message->id)) {
		text = "ids that begin with \"" OUR_PREFIX "\" are reserved for the bridge";
	} else if (replay->config.is_legacy && strcmp(message->method, "server/discover") == 0) {
		error = MESSAGE_METHOD;
		text = "this bridge speaks the protocol's older revisions (--legacy): initialize";
	}
	if (text != NULL)
		refuse_id(replay, message->id, error, text);
	return text != NULL;
}

static void take_request(
    struct mcp_replay *replay, const struct message *message, const char *line, size_t len)
{
	struct pending_request *pending;
	if (refuse(replay, message))
		return;
	pending = xcalloc(1, sizeof *pending);
	pending->id = id_text(message->id);
	pending->line = xmemdup(line, len);
	pending->len = len;
	judge(replay, pending, message);
	list_append(&replay->pendings, &pending->link);
	replay->pending_count++;
	replay->held_bytes += pending->len;
	if (replay->pending_count > MCP_REPLAY_PENDING_MAX) {
		answer(replay, pending, MESSAGE_LIMIT,
		    "1000 requests wait for their answers: let some end first");
		return;
	}
	keep(replay, message);
	if (pending->is_initialize) {
		mem_free(replay->initialize);
		replay->initialize = message->params != NULL
		    ? json_text(message->params, JSON_GROWTH * MCP_REPLAY_ANSWER_MAX)
		    : xstrdup("{}");
		replay->is_initialized = false;
	}
	if (replay->is_connected)
		send_pending(replay, pending);
}

_Static_assert(MCP_REPLAY_PENDING_MAX == 1000, "as the text has it");

static struct pending_request *find_pending(struct mcp_replay *replay, const struct json *id)
{
	struct pending_request *found = NULL;
	char *text = id_text(id);
	list_each (struct pending_request, pending, &replay->pendings, link)
		if (found == NULL && strcmp(pending->id, text) == 0)
			found = pending;
	mem_free(text);
	return found;
}

static void take_notification(
    struct mcp_replay *replay, const struct message *message, const char *line, size_t len)
{
	if (strcmp(message->method, "notifications/initialized") == 0)
		replay->is_initialized = true;
	if (strcmp(message->method, "notifications/cancelled") == 0) {
		const struct json *id = json_member(message->params, "requestId");
		struct pending_request *pending = id != NULL ? find_pending(replay, id) : NULL;
		/* A cancelled request gets no answer. */
		if (pending != NULL)
			forget(replay, pending);
	}
	if (replay->is_connected)
		put_line(&replay->daemon_writer, line, len);
}

static void take_agent_line(struct mcp_replay *replay, const char *line, size_t len)
{
	struct json_error error;
	struct lost_id lost = {0};
	struct message message;
	char reason[256];
	const struct json *value;
	if (line_is_blank(line, len))
		return;
	value = json_read(replay->reader, line, len, &error);
	if (value == NULL) {
		lost_id_add(&lost, line, len);
		refuse_id(
		    replay, message_lost_id(replay->reader, &lost), MESSAGE_PARSE, error.text);
	} else if (message_read(value, &message, reason, sizeof reason) < 0) {
		refuse_id(replay, message.id, MESSAGE_REQUEST, reason);
	} else if (message.is_response) {
		if (replay->is_connected)
			put_line(&replay->daemon_writer, line, len);
	} else if (message.is_notification) {
		take_notification(replay, &message, line, len);
	} else {
		take_request(replay, &message, line, len);
	}
	json_reader_trim(replay->reader);
}

static void take_agent_lines(struct mcp_replay *replay, bool is_end)
{
	const char *line;
	size_t len;
	enum line_result result;
	for (;;) {
		result = is_end ? line_input_end(&replay->agent_input, &line, &len)
				: line_input_next(&replay->agent_input, &line, &len);
		if (result == LINE_NONE)
			return;
		if (result == LINE_TOO_LONG)
			refuse_id(replay, message_lost_id(replay->reader, replay->agent_input.lost),
			    MESSAGE_REQUEST, "the line is longer than 4 MiB and was skipped");
		else
			take_agent_line(replay, line, len);
	}
}

_Static_assert(MCP_REPLAY_LINE_MAX == (size_t)4 * 1024 * 1024, "as the text has it");

void mcp_replay_from_agent(struct mcp_replay *replay, const void *bytes, size_t len)
{
	line_input_add(&replay->agent_input, bytes, len);
	take_agent_lines(replay, false);
}

void mcp_replay_agent_ended(struct mcp_replay *replay)
{
	take_agent_lines(replay, true);
}

/* Lists whose changes a server may announce. */
static const char *const lists[] = {"tools", "resources", "prompts"};

static void note_capabilities(struct mcp_replay *replay, const struct json *value)
{
	const struct json *capabilities = json_member(json_member(value, "result"), "capabilities");
	for (size_t i = 0; i < LISTS_COUNT; i++)
		replay->list_changes[i] =
		    json_get_bool(json_member(capabilities, lists[i]), "listChanged", false);
}

/* Announces changes of the lists with list_changes, since another daemon may have other tools. */
static void tell_changed(struct mcp_replay *replay)
{
	char method[64];
	for (size_t i = 0; i < LISTS_COUNT; i++) {
		(void)snprintf(method, sizeof method, "notifications/%s/list_changed", lists[i]);
		if (replay->list_changes[i])
			notify(&replay->agent_writer, method);
	}
}

static void take_our_answer(struct mcp_replay *replay, const struct json *value, const char *id)
{
	const struct json *error = json_member(value, "error");
	char ours[sizeof OUR_PREFIX + 16];
	if (error != NULL)
		log_debug("muxbusd answered %s with an error: %s", id,
		    json_get_str(error, "message", "?"));
	if (strcmp(id, OUR_PREFIX "tools") == 0) {
		mcp_advice_learn(
		    replay->advice, json_member(json_member(value, "result"), "methods"));
		replay->is_described = true;
		list_each (struct pending_request, pending, &replay->pendings, link)
			if (is_held(pending))
				send_pending(replay, pending);
		return;
	}
	(void)snprintf(ours, sizeof ours, OUR_PREFIX "%u", replay->our_initialize);
	if (replay->our_initialize == 0 || strcmp(id, ours) != 0)
		return;
	replay->our_initialize = 0;
	if (error == NULL && replay->is_initialized)
		tell_changed(replay);
}

static bool take_daemon_line(struct mcp_replay *replay, const char *line, size_t len)
{
	struct json_error error;
	const struct json *value = json_read(replay->reader, line, len, &error);
	struct pending_request *pending;
	const struct json *id;
	bool is_answer;
	if (value == NULL || value->type != JSON_OBJECT) {
		log_warning("muxbusd sent a line that is not JSON-RPC: %s",
		    value != NULL ? "not an object" : error.text);
		return false;
	}
	if (message_is_ending(value))
		return true; /* the daemon ends: wait for the loss of the connection */
	id = json_member(value, "id");
	is_answer = id != NULL && json_member(value, "method") == NULL;
	if (is_answer && is_ours(id)) {
		take_our_answer(replay, value, id->text);
		return true;
	}
	pending = is_answer ? find_pending(replay, id) : NULL;
	if (pending != NULL) {
		if (pending->is_initialize)
			note_capabilities(replay, value);
		forget(replay, pending);
	}
	put_line(&replay->agent_writer, line, len);
	return true;
}

bool mcp_replay_from_daemon(struct mcp_replay *replay, const void *bytes, size_t len)
{
	const char *line;
	size_t line_len;
	enum line_result result;
	line_input_add(&replay->daemon_input, bytes, len);
	while ((result = line_input_next(&replay->daemon_input, &line, &line_len)) != LINE_NONE) {
		if (result == LINE_TOO_LONG) {
			log_warning("muxbusd sent a line of more than 64 MiB");
			return false;
		}
		if (!take_daemon_line(replay, line, line_len))
			return false;
	}
	json_reader_trim(replay->reader);
	return true;
}

_Static_assert(MCP_REPLAY_ANSWER_MAX == (size_t)64 * 1024 * 1024, "as the text has it");

static bool is_initializing(const struct mcp_replay *replay)
{
	list_each (struct pending_request, pending, &replay->pendings, link)
		if (pending->is_initialize)
			return true;
	return false;
}

void mcp_replay_connected(struct mcp_replay *replay)
{
	replay->is_connected = true;
	if (replay->config.greeting != NULL) {
		json_put_raw(&replay->daemon_writer, NULL, replay->config.greeting,
		    strlen(replay->config.greeting));
		replay->daemon_writer.needs_comma = false;
	}
	/* Request the facts for advice; without them, all tools get the same advice. */
	ask_as(replay, OUR_PREFIX "tools", "describe", NULL);
	if (replay->initialize != NULL && !is_initializing(replay)) {
		replay->our_initialize = ask(replay, "initialize", replay->initialize);
		if (replay->is_initialized)
			notify(&replay->daemon_writer, "notifications/initialized");
		list_each (struct kept_request, kept, &replay->kepts, link)
			(void)ask(replay, kept->method, kept->params);
	}
	list_each_safe (struct pending_request, pending, &replay->pendings, link)
		send_pending(replay, pending);
}

void mcp_replay_lost(struct mcp_replay *replay)
{
	replay->is_connected = false;
	replay->our_initialize = 0;
	list_each_safe (struct pending_request, pending, &replay->pendings, link) {
		/* A request without its last byte, the newline, counts as sent too. */
		bool has_left = pending->end <= replay->written + 1;
		if (is_held(pending))
			continue;
		if (pending->fate == FATE_CALL &&
		    mcp_advice_is_repeatable(replay->advice, pending->tool, pending->has_wait))
			pending->fate = FATE_RESEND;
		if (has_left && pending->fate != FATE_RESEND) {
			answer_lost(replay, pending);
			continue;
		}
		pending->end = 0;
		replay->held_bytes += pending->len;
	}
	replay->written = 0;
	buf_clear(&replay->to_daemon);
	line_input_finish(&replay->daemon_input);
	line_input_init(&replay->daemon_input, MCP_REPLAY_ANSWER_MAX);
}

void mcp_replay_refused(struct mcp_replay *replay, const char *reason)
{
	list_each_safe (struct pending_request, pending, &replay->pendings, link) {
		if (pending->is_stream)
			continue; /* this request has no timeout, and waits for a later daemon */
		if (pending->is_initialize) {
			mem_free(replay->initialize);
			replay->initialize = NULL;
		}
		answer(replay, pending, MESSAGE_INTERNAL, reason);
	}
}

const struct buf *mcp_replay_to_agent(const struct mcp_replay *replay)
{
	return &replay->to_agent;
}

void mcp_replay_wrote_agent(struct mcp_replay *replay, size_t len)
{
	buf_consume(&replay->to_agent, len);
	if (replay->to_agent.len == 0)
		buf_shrink(&replay->to_agent, RESENT_MAX);
}

const struct buf *mcp_replay_to_daemon(const struct mcp_replay *replay)
{
	return &replay->to_daemon;
}

void mcp_replay_wrote_daemon(struct mcp_replay *replay, size_t len)
{
	replay->written += len;
	buf_consume(&replay->to_daemon, len);
	if (replay->to_daemon.len == 0)
		buf_shrink(&replay->to_daemon, RESENT_MAX);
	list_each (struct pending_request, pending, &replay->pendings, link)
		if (pending->end != 0 && pending->fate > FATE_CALL &&
		    pending->end <= replay->written)
			drop_line(replay, pending);
}

bool mcp_replay_wants_agent(const struct mcp_replay *replay)
{
	return replay->held_bytes + replay->to_daemon.len < MCP_REPLAY_HELD_MAX &&
	    replay->to_agent.len < MCP_REPLAY_HELD_MAX;
}

bool mcp_replay_wants_daemon(const struct mcp_replay *replay)
{
	return replay->to_agent.len < MCP_REPLAY_UNREAD_MAX;
}

bool mcp_replay_is_waiting(const struct mcp_replay *replay)
{
	list_each (const struct pending_request, pending, &replay->pendings, link)
		if (is_held(pending) && !pending->is_stream)
			return true;
	return false;
}

bool mcp_replay_is_done(const struct mcp_replay *replay)
{
	list_each (struct pending_request, pending, &replay->pendings, link)
		if (!pending->is_stream)
			return false;
	return true;
}
