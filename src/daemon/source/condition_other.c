/* SPDX-License-Identifier: ISC */
/* Conditions that are on no pane's output: cpu_below, job, notification, sec. */
#include <muxbus.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/core/loop_timer.h"
#include "daemon/queue/consumer_filter.h"
#include "daemon/queue/queue.h"
#include "daemon/server/request.h"
#include "daemon/server/target.h"
#include "daemon/source/condition.h"
#include "daemon/source/cpu.h"
#include "daemon/source/job.h"
#include "daemon/source/job_record.h"
#include "daemon/tmux/tmux.h"

enum { CPU_STEP_MS = 1000 };

struct job_watch {
	struct job_listener listener;
	struct condition *condition;
	char id[NOTIFICATION_ID_SIZE];
};

struct job_args {
	const char *job;
};

static const struct field job_fields[] = {
    {.name = "job",
	.type = FIELD_STRING,
	.flags = FIELD_REQUIRED,
	.offset = offsetof(struct job_args, job),
	.help = "The id of a background job."},
    {.name = NULL},
};

/* Writes how the job ended. The wait reports the end, so no notification is needed. */
static void settle_job(struct condition *condition, const struct job *job)
{
	struct queue *queue = condition->parts->queue;
	const struct notification *note = NULL;
	struct json_writer writer;
	char path[4096];
	job_path(condition->parts->jobs, job, JOB_FILE_OUT, path, sizeof path);
	json_writer_init(&writer, &condition->details);
	json_object_begin(&writer, NULL);
	job_write_members(&writer, job, path, job->status.out_bytes);
	json_object_end(&writer);
	while ((note = queue_next(queue, note)) != NULL) {
		if (note->source == SOURCE_JOB && strcmp(note->id, job->id) == 0 &&
		    note->state == NOTE_QUEUED)
			queue_settle_waited(queue, note->seq);
	}
	condition_settle(condition, CONDITION_MATCHED);
}

static void job_has_ended(struct job_listener *listener, const struct job *job)
{
	struct job_watch *watch = list_entry(listener, struct job_watch, listener);
	if (strcmp(watch->id, job->id) == 0)
		settle_job(watch->condition, job);
}

static bool job_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct job_args *args = data;
	const struct job *job = job_find(condition->parts->jobs, args->job);
	struct job_watch *watch;
	if (job == NULL) {
		request_fail(request, MESSAGE_NO_SUCH_JOB,
		    "there is no job \"%.40s\": see list_jobs", args->job);
		return false;
	}
	watch = xcalloc(1, sizeof *watch);
	watch->condition = condition;
	watch->listener.ended = job_has_ended;
	strcpy(watch->id, job->id);
	job_listen(condition->parts->jobs, &watch->listener);
	condition->watch = watch;
	if (job->state != JOB_RUNNING)
		settle_job(condition, job);
	return true;
}

static void job_disarm(struct condition *condition)
{
	struct job_watch *watch = condition->watch;
	job_unlisten(&watch->listener);
	mem_free(watch);
}

struct sec_args {
	double sec;
};

static const struct field sec_fields[] = {
    {.name = "sec",
	.type = FIELD_NUMBER,
	.flags = FIELD_REQUIRED,
	.offset = offsetof(struct sec_args, sec),
	.unit = "s",
	.max = 10 * 366 * 86400.0,
	.help = "So much time has passed."},
    {.name = NULL},
};

static void sec_due(void *data)
{
	condition_settle(data, CONDITION_MATCHED);
}

static bool sec_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct sec_args *args = data;
	int64_t ms = clock_seconds_to_ms(args->sec);
	(void)request;
	condition->watch = loop_timer_new(condition->parts->base, sec_due, condition);
	loop_timer_arm(condition->watch, ms);
	return true;
}

static void sec_disarm(struct condition *condition)
{
	loop_timer_free(condition->watch);
}

struct note_watch {
	struct queue_listener listener;
	struct condition *condition;
	struct consumer_filter filter;
	char id[NOTIFICATION_ID_SIZE];
};

struct note_args {
	const struct json *notification;
};

static const struct field note_fields[] = {
    {.name = "notification",
	.type = FIELD_VALUE,
	.flags = FIELD_REQUIRED,
	.offset = offsetof(struct note_args, notification),
	.help = "A filter: an object of pane, source, id, urgent; {} is any.",
	.members = consumer_filter_fields},
    {.name = NULL},
};

static void settle_note(struct note_watch *watch, const struct notification *note)
{
	struct json_writer writer;
	json_writer_init(&writer, &watch->condition->details);
	json_object_begin(&writer, NULL);
	notification_write_members(&writer, note, false);
	json_object_end(&writer);
	condition_settle(watch->condition, CONDITION_MATCHED);
}

/* Takes a notification if the condition waits for it. */
static void note_take(struct note_watch *watch, const struct notification *note)
{
	uint64_t seq = note->seq;
	if (watch->condition->state != CONDITION_PENDING ||
	    !consumer_filter_matches(&watch->filter, note))
		return;
	/* The wait reports it now, so that it is not reported twice. */
	queue_settle_waited(watch->condition->parts->queue, seq);
	settle_note(watch, note);
}

static void note_posted(struct queue_listener *listener, const struct notification *note)
{
	struct note_watch *watch = list_entry(listener, struct note_watch, listener);
	note_take(watch, note);
}

static void note_look_back(struct note_watch *watch)
{
	const struct queue *queue = watch->condition->parts->queue;
	const struct notification *note = NULL;
	while (watch->condition->state == CONDITION_PENDING &&
	    (note = queue_next(queue, note)) != NULL) {
		if (note->state != NOTE_CANCELLED)
			note_take(watch, note);
	}
}

static bool note_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct note_args *args = data;
	struct consumer_filter filter;
	struct note_watch *watch;
	if (!target_filter(request, args->notification, &filter))
		return false;
	watch = xcalloc(1, sizeof *watch);
	watch->condition = condition;
	watch->filter = filter;
	if (filter.id != NULL) {
		snprintf(watch->id, sizeof watch->id, "%s", filter.id);
		watch->filter.id = watch->id;
	}
	watch->listener.posted = note_posted;
	queue_listen(condition->parts->queue, &watch->listener);
	condition->watch = watch;
	/* A notification named by its id may be there already. */
	if (filter.id != NULL)
		note_look_back(watch);
	return true;
}

static void note_disarm(struct condition *condition)
{
	struct note_watch *watch = condition->watch;
	queue_unlisten(condition->parts->queue, &watch->listener);
	mem_free(watch);
}

struct cpu_watch {
	struct condition *condition;
	struct loop_timer *timer;
	pid_t pid; /* of the pane's first process; 0: the machine */
	double percent;
	int64_t for_ms;
	int64_t since_ms; /* CLOCK_MONOTONIC: below since then; 0: not */
	double latest;
	struct cpu_sample sample;
};

struct cpu_args {
	double cpu_below;
	double for_sec;
	const char *pane;
};

static const struct field cpu_fields[] = {
    {.name = "cpu_below",
	.type = FIELD_NUMBER,
	.flags = FIELD_REQUIRED,
	.offset = offsetof(struct cpu_args, cpu_below),
	.unit = "%",
	.max = 100000,
	.help = "Percent of the machine; with pane: of one processor, by the pane's processes."},
    {.name = "for_sec",
	.type = FIELD_NUMBER,
	.offset = offsetof(struct cpu_args, for_sec),
	.unit = "s",
	.max = 86400,
	.preset = "1",
	.help = "How long it must stay below that."},
    {.name = "pane",
	.type = FIELD_STRING,
	.offset = offsetof(struct cpu_args, pane),
	.help = "Only the processes of this pane."},
    {.name = NULL},
};

static void cpu_arm_timer(struct cpu_watch *watch)
{
	loop_timer_arm(watch->timer, CPU_STEP_MS);
}

static void cpu_look(void *data)
{
	struct cpu_watch *watch = data;
	int64_t now_ms = clock_mono_ms();
	struct cpu_sample now;
	struct json_writer writer;
	if (cpu_sample_take(watch->pid, &now) < 0) {
		condition_settle(watch->condition, CONDITION_GONE);
		return;
	}
	watch->latest = cpu_percent(&watch->sample, &now, watch->pid);
	watch->sample = now;
	if (watch->latest >= watch->percent)
		watch->since_ms = 0;
	else if (watch->since_ms == 0)
		watch->since_ms = now_ms - CPU_STEP_MS; /* the sample covers the step before */
	if (watch->since_ms == 0 || now_ms - watch->since_ms < watch->for_ms) {
		cpu_arm_timer(watch);
		return;
	}
	json_writer_init(&writer, &watch->condition->details);
	json_object_begin(&writer, NULL);
	json_put_double(&writer, "cpu_percent", watch->latest);
	json_put_double(&writer, "for_sec", (double)(now_ms - watch->since_ms) / 1000);
	json_object_end(&writer);
	condition_settle(watch->condition, CONDITION_MATCHED);
}

static bool cpu_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct cpu_args *args = data;
	const struct muxbus_pane *pane = NULL;
	struct cpu_watch *watch;
	if (args->pane != NULL && !target_pane(request, args->pane, &pane))
		return false;
	watch = xcalloc(1, sizeof *watch);
	watch->condition = condition;
	watch->pid = pane != NULL ? pane->pid : 0;
	condition->pane = pane != NULL ? pane->id : MUXBUS_NO_ID;
	watch->percent = args->cpu_below;
	watch->for_ms = clock_seconds_to_ms(args->for_sec);
	watch->timer = loop_timer_new(condition->parts->base, cpu_look, watch);
	condition->watch = watch;
	if (cpu_sample_take(watch->pid, &watch->sample) < 0)
		condition_settle(condition, CONDITION_GONE);
	else
		cpu_arm_timer(watch);
	return true;
}

static void cpu_disarm(struct condition *condition)
{
	struct cpu_watch *watch = condition->watch;
	loop_timer_free(watch->timer);
	mem_free(watch);
}

/* Keep alphabetized. */
const struct condition_kind condition_kinds_other[] = {
    {.name = "cpu_below",
	.help = "The machine, or a pane's processes, use less than so much.",
	.example = "{\"cpu_below\":10,\"for_sec\":30}",
	.fields = cpu_fields,
	.pane_member = "pane",
	.args_size = sizeof(struct cpu_args),
	.arm = cpu_arm,
	.disarm = cpu_disarm},
    {.name = "job",
	.help = "A background job has ended.",
	.example = "{\"job\":\"A1B2\"}",
	.fields = job_fields,
	.args_size = sizeof(struct job_args),
	.arm = job_arm,
	.disarm = job_disarm},
    {.name = "notification",
	.help = "A notification that matches comes.",
	.example = "{\"notification\":{\"source\":\"timer\"}}",
	.fields = note_fields,
	.args_size = sizeof(struct note_args),
	.arm = note_arm,
	.disarm = note_disarm},
    {.name = "sec",
	.help = "So much time has passed.",
	.example = "{\"sec\":30}",
	.fields = sec_fields,
	.args_size = sizeof(struct sec_args),
	.arm = sec_arm,
	.disarm = sec_disarm},
    {.name = NULL},
};
