/* SPDX-License-Identifier: ISC */
/* The condition job: a background job has ended. */
#include "daemon/job/job.h"
#include "daemon/server/request.h"
#include "daemon/wait/condition.h"

struct job_watch {
	struct job_listener listener;
	struct condition *condition;
};

struct job_args {
	const char *job;
};

static const struct field job_fields[] = {
    {FIELD_ROW(STRING, struct job_args, job, "job"), .flags = FIELD_REQUIRED,
	.help = "The id or name of a background job."},
    {.name = NULL},
};

/* Matches. If it takes the job's notifications, settles these, since the wait reports the end. */
static void settle_job(struct condition *condition, const struct job *job)
{
	struct json_writer writer;
	char path[4096];
	job_path(condition->parts->jobs, job, JOB_FILE_OUT, path, sizeof path);
	condition_begin_details(condition, &writer);
	job_write_members(&writer, job, path, job_log_bytes(condition->parts->jobs, job), SIZE_MAX);
	if (condition_takes(condition, &job->pane))
		job_settle_waited(condition->parts->jobs, job);
	condition_end_details(condition, &writer, CONDITION_MATCHED);
}

static void job_has_ended(struct job_listener *listener, const struct job *job)
{
	settle_job(list_entry(listener, struct job_watch, listener)->condition, job);
}

static bool job_arm(struct condition *condition, struct request *request, const void *data)
{
	const struct job_args *args = data;
	const struct job *job = job_name_get(request, args->job);
	struct job_watch *watch;
	if (job == NULL)
		return false;
	watch = xcalloc(1, sizeof *watch);
	watch->condition = condition;
	watch->listener.ended = job_has_ended;
	job_listen(condition->parts->jobs, &watch->listener, job->id);
	condition->watch = watch;
	if (job->state != JOB_RUNNING)
		settle_job(condition, job);
	return true;
}

static void job_disarm(struct condition *condition)
{
	struct job_watch *watch = condition->watch;
	list_remove(&watch->listener.link);
	mem_free(watch);
}

const struct condition_kind condition_kinds_job[] = {
    {.name = "job",
	.help = "A background job has ended.",
	.example = "{\"job\":\"A1B2\"}",
	FIELDS_OF(job_args, job_fields),
	.arm = job_arm,
	.disarm = job_disarm},
    {.name = NULL},
};
