/* SPDX-License-Identifier: ISC */
/* yield_turn: what will wake the caller's pane. */
#include <muxbus.h>

#include <stdio.h>
#include <string.h>

#include "daemon/deliver/self_command.h"
#include "daemon/methods/tables.h"
#include "daemon/queue/queue.h"
#include "daemon/server/daemon.h"
#include "daemon/server/method.h"
#include "daemon/server/request.h"
#include "daemon/server/requester.h"
#include "daemon/source/job.h"
#include "daemon/source/timer.h"
#include "daemon/source/wait.h"
#include "daemon/source/watch.h"

enum { MESSAGE_SIZE = 200 };

static const struct field_result yield_results[] = {
    {"message", "string", "what happens now, in words"},
    {"pane", "string|null", "whose turn ends"},
    {"pending", "array", "what will wake it"},
    {"pending[].kind", "string", "timer, job, watch, wait, command or notification"},
    {"pending[].id", "string", "its id"},
    {"pending[].due", "string|null", "when it comes at the latest, if that is known"},
    {"pending[].what", "string|null", "the command, the file, or the text"},
    {NULL, NULL, NULL},
};

/* The answer, as it is written. */
struct pending {
	struct json_writer *writer;
	const struct pane_ref *pane;
	size_t count;
};

/* Adds one if it is for this pane. */
static void put_pending(struct pending *pending, const char *kind, const char *id,
    const struct pane_ref *pane, int64_t due_ms, const char *what)
{
	if (!pane_ref_equal(pane, pending->pane))
		return;
	json_object_begin(pending->writer, NULL);
	json_put_str(pending->writer, "kind", kind);
	json_put_str(pending->writer, "id", id);
	if (due_ms > 0)
		json_put_time(pending->writer, "due", due_ms);
	else
		json_put_null(pending->writer, "due");
	if (what != NULL)
		(void)json_put_text(pending->writer, "what", what, strlen(what));
	else
		json_put_null(pending->writer, "what");
	json_object_end(pending->writer);
	pending->count++;
}

static void put_all(struct pending *pending, const struct daemon *daemon)
{
	const struct timer *timer = NULL;
	const struct job *job = NULL;
	const struct watch *watch = NULL;
	const struct wait *wait = NULL;
	const struct self_command *command = NULL;
	const struct notification *note = NULL;

	while ((timer = timer_next(daemon->timers, timer)) != NULL)
		put_pending(pending, "timer", timer->id, &timer->pane, timer->real_due_ms, NULL);
	while ((job = job_next(daemon->jobs, job)) != NULL) {
		if (job->state == JOB_RUNNING && !job->is_silent)
			put_pending(pending, "job", job->id, &job->pane,
			    job->timeout_ms > 0 ? job->created_ms + job->timeout_ms : 0,
			    job->command);
	}
	while ((watch = watch_next(daemon->watches, watch)) != NULL)
		put_pending(
		    pending, "watch", watch->id, &watch->pane, watch->real_due_ms, watch->file);
	while ((wait = wait_next_background(daemon->waits, wait)) != NULL) {
		struct wait_background shown;

		wait_background_get(wait, &shown);
		put_pending(pending, "wait", shown.id, &shown.pane, shown.due_ms, shown.spec);
	}
	while ((command = self_command_next(daemon->self_commands, command)) != NULL)
		put_pending(pending, "command", command->id, &command->pane, 0, command->text);
	while ((note = queue_next(daemon->queue, note)) != NULL) {
		if (note->state == NOTE_QUEUED || note->state == NOTE_DELIVERING)
			put_pending(pending, "notification", note->id, &note->pane, 0, note->text);
	}
}

static void handle_yield(struct request *request, const void *args)
{
	struct json_writer *writer;
	struct pending pending = {0};
	char message[MESSAGE_SIZE];
	struct pane_ref pane;

	(void)args;
	if (!requester_pane(request, NULL, &pane))
		return;
	writer = request_result(request);
	if (pane.pane != MUXBUS_NO_ID)
		json_put_id(writer, "pane", '%', pane.pane);
	else
		json_put_null(writer, "pane");
	pending.writer = writer;
	pending.pane = &pane;
	json_array_begin(writer, "pending");
	if (pane.pane != MUXBUS_NO_ID)
		put_all(&pending, request_daemon(request));
	json_array_end(writer);
	if (pane.pane == MUXBUS_NO_ID)
		snprintf(message, sizeof message,
		    "Control is yielded. You are in no pane, so nothing wakes you.");
	else if (pending.count == 0)
		snprintf(message, sizeof message,
		    "Control is yielded. Nothing is pending: only a person wakes you.");
	else
		snprintf(message, sizeof message,
		    "Control is yielded: end your turn. %zu pending; each is typed into pane "
		    "%%%u.",
		    pending.count, (unsigned)pane.pane);
	json_put_str(writer, "message", message);
	request_done(request);
}

/* Keep alphabetized. */
const struct method methods_yield[] = {
    {.name = METHOD("yield_turn", METHOD_READS),
	.title = "Yield the turn",
	.summary = "Ends the caller's turn: says what is pending that will wake its pane.",
	.results = yield_results,
	.flags = METHOD_TOOL | METHOD_OPEN_WORLD,
	.handle = handle_yield,
	.example = "{}"},
    {.name = NULL},
};
