/* SPDX-License-Identifier: ISC */
/* Methods that wait on somebody's behalf: wait_for_idle, watch_pane. */
#include <muxbus.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "daemon/core/pattern.h"
#include "daemon/methods/tables.h"
#include "daemon/server/daemon.h"
#include "daemon/server/method.h"
#include "daemon/server/request.h"
#include "daemon/server/requester.h"
#include "daemon/server/target.h"
#include "daemon/source/background_wait.h"
#include "daemon/tmux/pane_fate.h"

enum {
	MESSAGE_SIZE = 400,
	SPEC_SIZE = 6 * PATTERN_BYTES_MAX + 256,
};

static const struct field_result started_results[] = {
    {"id", "string", "the wait, and its notification"},
    {"message", "string", "what was done, in words"},
    {"timeout_sec", "number|null", "when it ends in any case"},
    {NULL, NULL, NULL},
};

/* Answers that an errand was accepted. */
static void answer_started(
    struct request *request, const struct errand *errand, const char *what, double timeout_sec)
{
	struct json_writer *writer = request_result(request);
	char message[MESSAGE_SIZE];

	requester_write_told(message, sizeof message, what, errand->id, &errand->teller);
	json_put_str(writer, "id", errand->id);
	json_put_str(writer, "message", message);
	if (timeout_sec > 0)
		json_put_double(writer, "timeout_sec", timeout_sec);
	else
		json_put_null(writer, "timeout_sec");
	request_done(request);
}

struct idle_args {
	double cpu_threshold;
	double duration_seconds;
	const char *pane;
	double timeout_sec;
};

static const struct field idle_fields[] = {
    {.name = "cpu_threshold",
	.type = FIELD_NUMBER,
	.flags = FIELD_REQUIRED,
	.offset = offsetof(struct idle_args, cpu_threshold),
	.unit = "%",
	.max = 100000,
	.help = "Percent of the machine; with pane: of one processor, by the pane's processes."},
    {.name = "duration_seconds",
	.type = FIELD_NUMBER,
	.flags = FIELD_REQUIRED,
	.offset = offsetof(struct idle_args, duration_seconds),
	.unit = "s",
	.max = 86400,
	.help = "How long it must stay below that."},
    {.name = "pane",
	.type = FIELD_STRING,
	.offset = offsetof(struct idle_args, pane),
	.help = "Only the processes of this pane; left out: the machine."},
    {.name = "timeout_sec",
	.type = FIELD_NUMBER,
	.offset = offsetof(struct idle_args, timeout_sec),
	.unit = "s",
	.max = 10 * 366 * 86400.0,
	.preset = "3600",
	.help = "Notify after this long in any case; 0: never."},
    {.name = NULL},
};

static void handle_idle(struct request *request, const void *data)
{
	const struct idle_args *args = data;
	struct errand_order order = {
	    .kind = ERRAND_IDLE,
	    .is_once = true,
	    .timeout_ms = clock_seconds_to_ms(args->timeout_sec),
	};
	const struct muxbus_pane *pane = NULL;
	struct pane_ref teller, subject;
	const struct errand *errand;
	struct json_writer writer;
	struct buf spec;

	if (!requester_pane(request, NULL, &teller))
		return;
	if (args->pane != NULL && !target_pane(request, args->pane, &pane))
		return;
	buf_init(&spec, SPEC_SIZE);
	json_writer_init(&writer, &spec);
	json_object_begin(&writer, NULL);
	json_put_double(&writer, "cpu_below", args->cpu_threshold);
	json_put_double(&writer, "for_sec", args->duration_seconds);
	if (pane != NULL) {
		json_put_id(&writer, "pane", '%', pane->id);
		pane_ref_of(request_daemon(request)->tmux, pane->id, &subject);
		order.subject = &subject;
	}
	json_object_end(&writer);
	order.teller = &teller;
	order.spec = (const char *)spec.data;
	errand = errand_start(request_daemon(request)->errands, request, &order);
	buf_finish(&spec);
	if (errand != NULL)
		answer_started(request, errand, "Waiting for idleness.", args->timeout_sec);
}

struct watch_args {
	const char *pane;
	const char *regex;
	bool once;
	double timeout_sec;
};

static const struct field watch_fields[] = {
    {.name = "pane",
	.type = FIELD_STRING,
	.flags = FIELD_REQUIRED,
	.offset = offsetof(struct watch_args, pane),
	.help = "The pane to watch."},
    {.name = "regex",
	.type = FIELD_STRING,
	.flags = FIELD_REQUIRED,
	.offset = offsetof(struct watch_args, regex),
	.min = 1,
	.max = PATTERN_BYTES_MAX,
	.help =
	    "A regular expression that a line of its output, without escape sequences, matches."},
    {.name = "once",
	.type = FIELD_BOOL,
	.offset = offsetof(struct watch_args, once),
	.preset = "true",
	.help = "End with the first match; false: notify of each."},
    {.name = "timeout_sec",
	.type = FIELD_NUMBER,
	.offset = offsetof(struct watch_args, timeout_sec),
	.unit = "s",
	.max = 10 * 366 * 86400.0,
	.preset = "3600",
	.help = "Notify after this long in any case; 0: never."},
    {.name = NULL},
};

static void handle_watch(struct request *request, const void *data)
{
	const struct watch_args *args = data;
	const struct muxbus_pane *pane;
	struct pane_ref teller, subject;
	struct errand_order order = {
	    .kind = ERRAND_PANE,
	    .teller = &teller,
	    .subject = &subject,
	    .is_once = args->once,
	    .timeout_ms = clock_seconds_to_ms(args->timeout_sec),
	};
	const struct errand *errand;
	struct json_writer writer;
	struct buf spec;

	if (!requester_pane(request, NULL, &teller) || !target_pane(request, args->pane, &pane))
		return;
	pane_ref_of(request_daemon(request)->tmux, pane->id, &subject);
	buf_init(&spec, SPEC_SIZE);
	json_writer_init(&writer, &spec);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "output", args->regex);
	json_put_id(&writer, "pane", '%', pane->id);
	json_object_end(&writer);
	order.spec = (const char *)spec.data;
	errand = errand_start(request_daemon(request)->errands, request, &order);
	buf_finish(&spec);
	if (errand != NULL)
		answer_started(request, errand, "Watching the pane.", args->timeout_sec);
}

/* Keep alphabetized. */
const struct method methods_errand[] = {
    {.name = METHOD("wait_for_idle", METHOD_TYPES),
	.title = "Wait for idleness",
	.summary =
	    "Notifies when little processor time has been used for a while; returns at once.",
	.fields = idle_fields,
	.args_size = sizeof(struct idle_args),
	.results = started_results,
	.flags = METHOD_TOOL,
	.recheck = "list_watches",
	.handle = handle_idle,
	.example = "{\"cpu_threshold\":10,\"duration_seconds\":30}"},
    {.name = METHOD("watch_pane", METHOD_TYPES),
	.title = "Watch a pane",
	.summary = "Notifies when a pane prints a line that matches; returns at once.",
	.fields = watch_fields,
	.args_size = sizeof(struct watch_args),
	.results = started_results,
	.flags = METHOD_NEEDS_TMUX,
	.recheck = "list_watches",
	.handle = handle_watch,
	.example = "{\"pane\":\"%3\",\"regex\":\"error|failed\"}"},
    {.name = NULL},
};
