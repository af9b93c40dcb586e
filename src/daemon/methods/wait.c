/* SPDX-License-Identifier: ISC */
/* wait_for: one request instead of a polling loop. */
#include "daemon/source/wait.h"

#include <string.h>

#include "daemon/methods/tables.h"
#include "daemon/server/daemon.h"
#include "daemon/server/method.h"
#include "daemon/server/request.h"
#include "daemon/source/condition_doc.h"

struct wait_args {
	const struct json *any;
	const struct json *all;
	double timeout_sec;
	const char *wait;
};

#define ANY_ARRAY "\"type\":\"array\",\"items\":{\"type\":\"object\"}"

/* In short the conditions stand at "any". */
static void put_all_schema(struct json_writer *writer, bool in_short)
{
	if (in_short)
		json_put_raw(writer, NULL, ANY_ARRAY, strlen(ANY_ARRAY));
	else
		condition_put_list_schema(writer, false);
}

static const struct field wait_fields[] = {
    {.name = "any",
	.type = FIELD_VALUE,
	.offset = offsetof(struct wait_args, any),
	.help = "Conditions of which one is enough; describe has their members.",
	.put_schema = condition_put_list_schema},
    {.name = "all",
	.type = FIELD_VALUE,
	.offset = offsetof(struct wait_args, all),
	.help = "The same, of which all must come true.",
	.put_schema = put_all_schema},
    {.name = "timeout_sec",
	.type = FIELD_NUMBER,
	.offset = offsetof(struct wait_args, timeout_sec),
	.unit = "s",
	.min = 0.001,
	.max = 10 * 366 * 86400.0,
	.preset = "600",
	.help = "Answer after this long in any case."},
    {.name = "wait",
	.type = FIELD_STRING,
	.offset = offsetof(struct wait_args, wait),
	.help = "A name: the wait then outlives its connection, and the daemon; ask for the same "
		"name again to resume."},
    {.name = NULL},
};

static const struct field_result wait_results[] = {
    {"matched", "array", "the places, from 0, of the conditions that have come true"},
    {"conditions", "array", "what became of each"},
    {"conditions[].condition", "string", "its kind"},
    {"conditions[].state", "string", "pending, matched, gone, or limit (its pattern is too slow)"},
    {"conditions[].at_entry", "boolean", "it was true already"},
    {"conditions[].details", "object", "what came true"},
    {"elapsed_sec", "number", "how long it took"},
    {"timed_out", "boolean", "whether the time was up"},
    {"wait", "string", "its name, if it has one"},
    {NULL, NULL, NULL},
};

static void handle_wait(struct request *request, const void *data)
{
	const struct wait_args *args = data;

	if ((args->any == NULL) == (args->all == NULL) && args->wait == NULL) {
		request_fail_data(request, MESSAGE_PARAMS, "\"field\":\"any\"",
		    "any: give either any or all, an array of conditions");
		return;
	}
	wait_start(request_daemon(request)->waits, request, args->any, args->all, args->timeout_sec,
	    args->wait);
}

const struct method methods_wait[] = {
    {.name = METHOD("wait_for", METHOD_READS),
	.title = "Wait for something",
	.summary = "Waits until one, or all, of several conditions have come true.",
	.help = "What is true already matches at once. When a pane closes, its conditions end as "
		"gone. A job or notification that was waited for is not reported again.",
	.fields = wait_fields,
	.args_size = sizeof(struct wait_args),
	.results = wait_results,
	.flags = METHOD_WAITS | METHOD_OPEN_WORLD | METHOD_TOOL,
	.handle = handle_wait,
	.example = "{\"any\":[{\"job\":\"A1B2\"},{\"output\":\"error\",\"pane\":\"%3\"}],"
		   "\"timeout_sec\":600}"},
    {.name = NULL},
};
