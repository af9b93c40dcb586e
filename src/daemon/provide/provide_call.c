/* SPDX-License-Identifier: ISC */
/* Calls of provided methods: their limits, and the lines that are sent to providers. */
#include "daemon/provide/provider.h"

#include <sys/random.h>

#include "base/process.h"
#include "daemon/server/peer.h"
#include "io/loop_timer.h"

#define PARENTS_MAX 32 /* maximum number of ancestors of a caller that are looked at */

void provide_calls_init(struct provide_calls *calls)
{
	uint32_t begin = 0;
	list_init(&calls->list);
	if (getrandom(&begin, sizeof begin, GRND_NONBLOCK) < 0)
		begin = (uint32_t)clock_real_ms();
	calls->last_id = begin;
}

size_t provide_calls_open(const struct provide_calls *calls, const struct provider *provider)
{
	size_t count = 0;
	list_each (const struct provide_call, call, &calls->list, link)
		count += call->provider == provider;
	return count;
}

/* Returns the depth of the deepest open call that the process has to answer; 0: it has none. */
static unsigned depth_of(const struct provide_calls *calls, pid_t pid)
{
	unsigned depth = 0;
	list_each (const struct provide_call, call, &calls->list, link)
		if (call->provider_pid == pid && call->depth > depth)
			depth = call->depth;
	return depth;
}

static bool has_id(const struct provide_call *call, const char *id)
{
	char own[PROVIDE_ID_SIZE];
	(void)snprintf(own, sizeof own, "c%" PRIu64, call->id);
	return strcmp(own, id) == 0;
}

static unsigned depth_within(const struct provide_calls *calls, const char *id)
{
	list_each (const struct provide_call, call, &calls->list, link)
		if (has_id(call, id))
			return call->depth;
	return 0;
}

static unsigned find_depth(const struct provide_calls *calls, const struct provide_order *order)
{
	pid_t caller = order->caller_pid;
	unsigned depth = 0;
	if (list_is_empty(&calls->list))
		return 1;
	if (order->within != NULL && order->within[0] == '\0')
		return 1;
	if (order->within != NULL)
		depth = depth_within(calls, order->within);
	if (depth > 0)
		return depth + 1;
	for (int at = 0; at < PARENTS_MAX && caller > 1; at++) {
		unsigned own = depth_of(calls, caller);
		depth = own > depth ? own : depth;
		caller = process_parent(caller);
	}
	return depth + 1;
}

bool provide_calls_admit(const struct provide_calls *calls, const struct provider *provider,
    const struct provide_order *order, unsigned *ret_depth, struct tool_failure *ret_failure)
{
	pid_t caller = order->caller_pid;
	size_t own = 0;
	list_each (const struct provide_call, call, &calls->list, link)
		own += call->server == NULL && call->caller_pid == caller;
	*ret_depth = find_depth(calls, order);
	if (order->server != NULL && provide_calls_open(calls, provider) >= PROVIDE_SERVER_OPEN_MAX)
		return tool_fail(ret_failure, MESSAGE_BUSY,
		    "%s has %d calls already, the most there may be", order->server,
		    PROVIDE_SERVER_OPEN_MAX);
	if (order->server == NULL && provide_calls_open(calls, provider) >= PROVIDE_OPEN_MAX)
		return tool_fail(ret_failure, MESSAGE_LIMIT,
		    "its provider has %d open calls, the most there may be: try again later",
		    PROVIDE_OPEN_MAX);
	if (order->server == NULL && own >= PROVIDE_CALLER_MAX)
		return tool_fail(ret_failure, MESSAGE_LIMIT,
		    "process %ld has %d open calls of provided methods, the most there may be: "
		    "let some end first",
		    (long)caller, PROVIDE_CALLER_MAX);
	if (*ret_depth > PROVIDE_DEPTH_MAX)
		return tool_fail(ret_failure, MESSAGE_LIMIT,
		    "providers call each other %d deep, the most there may be: they may go in a "
		    "circle",
		    PROVIDE_DEPTH_MAX);
	return true;
}

struct provide_call *provide_calls_find(
    const struct provide_calls *calls, const struct provider *provider, const char *id)
{
	list_each (struct provide_call, call, &calls->list, link)
		if (call->provider == provider && call->provider_pid > 0 && has_id(call, id))
			return call;
	return NULL;
}

static void write_line(struct provide_call *call, const struct provide_order *order)
{
	struct json_writer writer;
	struct buf line;
	char id[PROVIDE_ID_SIZE];
	(void)snprintf(id, sizeof id, "c%" PRIu64, call->id);
	json_start_object(&writer, &line, SIZE_MAX / 4);
	json_put_str(&writer, "jsonrpc", "2.0");
	json_put_str(&writer, "id", id);
	json_put_str(&writer, "method", call->method);
	json_put_raw(&writer, "params", order->arguments, order->arguments_len);
	if (order->caller != NULL)
		json_put_raw(&writer, "caller", order->caller, strlen(order->caller));
	if (order->server != NULL && call->kept[0] != '\0')
		json_put_str(&writer, "kept", call->kept);
	json_object_end(&writer);
	json_end_line(&writer);
	call->line = (char *)buf_steal(&line, &call->line_len);
}

static struct provide_call *add(
    struct provide_calls *calls, const struct provide_order *order, const char *kept)
{
	struct provide_call *call = xcalloc(1, sizeof *call);
	*call = (struct provide_call){
	    .provider = order->provider,
	    .timeout_ms = order->timeout_ms,
	    .server = order->server,
	    .method = xstrdup(order->method != NULL ? order->method : order->name),
	    .gives = order->gives != NULL ? job_env_join(order->gives, NULL, SIZE_MAX) : NULL,
	    .caller_pid = order->caller_pid,
	    .name = xstrdup(order->name),
	    .begun_ms = clock_mono_ms(),
	};
	(void)snprintf(call->kept, sizeof call->kept, "%s", kept);
	list_append(&calls->list, &call->link);
	return call;
}

struct provide_call *provide_call_new(
    struct provide_calls *calls, const struct provide_order *order, const char *kept)
{
	struct provide_call *call = add(calls, order, kept);
	call->id = ++calls->last_id;
	write_line(call, order);
	return call;
}

struct provide_call *provide_call_take_up(struct provide_calls *calls,
    const struct provide_order *order, const char *kept, const char *id, pid_t provider_pid)
{
	struct provide_call *call;
	int64_t number;
	if (id[0] != 'c' || !str_parse_i64(id + 1, strlen(id + 1), &number) ||
	    depth_within(calls, id) > 0)
		return NULL;
	call = add(calls, order, kept);
	call->id = (uint64_t)number;
	call->depth = 1;
	call->provider_pid = provider_pid;
	return call;
}

void provide_call_free(struct provide_call *call)
{
	list_remove(&call->link);
	loop_timer_free(call->timer);
	mem_free(call->line);
	mem_free(call->name);
	mem_free(call->method);
	mem_free(call->gives);
	mem_free(call);
}

bool provide_call_send(struct provide_call *call, struct peer *peer)
{
	if (!peer_send_line(peer, call->line, call->line_len))
		return false;
	call->provider_pid = peer_pid(peer);
	mem_free(call->line);
	call->line = NULL;
	return true;
}

void provide_call_send_cancel(
    const struct provide_call *call, struct peer *peer, const char *reason)
{
	char line[192], why[64] = "";
	int len;
	if (peer == NULL || call->provider_pid == 0)
		return;
	if (call->server != NULL)
		(void)snprintf(why, sizeof why, ",\"reason\":\"%s\"", reason);
	len = snprintf(line, sizeof line,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"cancel\",\"params\":{\"id\":\"c%" PRIu64 "\"%s}}\n",
	    call->id, why);
	(void)peer_send_line(peer, line, (size_t)len); /* is lost if the provider does not read */
}

void provide_call_send_stored(const struct provider *provider, const char *id)
{
	char line[96 + PROVIDE_ID_SIZE];
	int len = snprintf(line, sizeof line,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"stored\",\"params\":{\"id\":\"%s\"}}\n", id);
	if (provider->server != NULL && provider->peer != NULL &&
	    id[strspn(id, "c0123456789")] == '\0')
		/* may be lost, which does no harm */
		(void)peer_send_line(provider->peer, line, (size_t)len);
}

/* Takes the error of a provider; that of a tool server also has a kind. */
static bool fail_by(
    const struct provide_call *call, const struct json *error, struct tool_failure *ret_failure)
{
	const struct json *message = json_member(error, "message");
	enum message_error kind = call->server != NULL
	    ? message_error_of(json_member(error, "code"))
	    : MESSAGE_TOOL_FAILED;
	if (message == NULL || message->type != JSON_STRING || message->len == 0)
		return tool_fail(ret_failure, MESSAGE_TOOL_FAILED, "its provider gives no reason");
	return tool_fail(ret_failure, kind, "%.*s",
	    (int)(message->len < TOOL_ERROR_MAX ? message->len : TOOL_ERROR_MAX), message->text);
}

bool provide_call_check(const struct provide_call *call, const struct json *response,
    const char *reason, const struct json **ret_result, struct tool_failure *ret_failure)
{
	const struct json *error = json_member(response, "error");
	const struct json *result = json_member(response, "result");
	if (response == NULL)
		return tool_fail(ret_failure, MESSAGE_TOOL_FAILED,
		    "its provider answered with a line that cannot be read: %s", reason);
	if (error != NULL && error->type != JSON_NULL)
		return fail_by(call, error, ret_failure);
	if (result == NULL || result->type != JSON_OBJECT)
		return tool_fail(ret_failure, MESSAGE_TOOL_FAILED,
		    "its provider answered with a result that is not an object");
	if (call->server == NULL && !json_fits(result, PROVIDE_RESULT_MAX))
		return tool_fail(ret_failure, MESSAGE_LIMIT,
		    "its provider answered with more than %zu bytes", PROVIDE_RESULT_MAX);
	*ret_result = result;
	return true;
}

bool provide_call_takes_progress(struct provide_call *call)
{
	int64_t now_ms = clock_mono_ms();
	unsigned most = call->server != NULL ? PROVIDE_PROGRESS_SERVER : 1;
	if (call->progress_ms == 0 || now_ms - call->progress_ms >= most * PROVIDE_PROGRESS_MS) {
		call->progress_ms = now_ms;
		call->progress_count = 0;
	}
	return call->request != NULL && call->progress_count++ < most;
}
