/* SPDX-License-Identifier: ISC */
/* get_action_history: the last requests to the daemon. */
#include "daemon/server/history.h"
#include "daemon/methods/tables.h"
#include "daemon/server/peer.h"
#include "daemon/server/request.h"

struct history_args {
	int64_t limit;
	bool is_mine;
};

static const struct field history_fields[] = {
    {FIELD_ROW(INT, struct history_args, limit, "limit"), .min = 1, .max = HISTORY_KEEP,
	.preset = "20", .help = "How many at most."},
    {FIELD_ROW(BOOL, struct history_args, is_mine, "mine"), .preset = "false",
	.help = "Only those of the program that asks, by its process."},
    {.name = NULL},
};

static const struct field_result history_results[] = {
    {"actions", "array", "the last requests, newest first"},
    {"actions[].time", "string", "when it was accepted"},
    {"actions[].method", "string", "what was asked"},
    {"actions[].peer_pid", "integer", "who asked"},
    {"actions[].params", "string",
	"with what, as JSON, cut after 300 bytes; of text, keys, commands, standard input, "
	"environments and parameters of declared tools that are not plain the size only"},
    {"actions[].outcome", "string|null", "done, or the kind of the error; null: not answered yet"},
    {"actions[].message", "string", "what the error said"},
    {"actions[].result", "string",
	"the first 80 bytes of the result as JSON; the size only, if it shows what programs print"},
    {"actions[].duration_ms", "integer", "how long the answer took"},
    {NULL, NULL, NULL},
};

static void handle_history(struct request *request, const void *data)
{
	const struct history_args *args = data;
	const struct peer *peer = request_peer(request);
	history_write(request_daemon(request)->history, request_result(request),
	    (size_t)args->limit, args->is_mine && peer != NULL ? peer_pid(peer) : 0,
	    args->is_mine || request_role(request) != ROLE_READ_ONLY);
	request_done(request);
}

const struct method methods_history[] = {
    {.name = METHOD("get_action_history", METHOD_READS | METHOD_SEES),
	.title = "Look back",
	.summary = "Lists the last requests to the daemon, who made them, and their outcomes.",
	.help =
	    "Calls of describe and ping are not kept. The role read_only gets no params, message "
	    "and result of others.",
	METHOD_CALL(handle_history, history_args, history_fields, history_results),
	.flags = METHOD_LOOKS_ITSELF | METHOD_OPEN_WORLD,
	.example = "{\"limit\":5}"},
    {.name = NULL},
};
