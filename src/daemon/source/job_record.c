/* SPDX-License-Identifier: ISC */
/* A job as JSON. */
#include "daemon/source/job_record.h"

#include <muxbus.h>

#include <inttypes.h>
#include <string.h>

#include "base/xalloc.h"
#include "daemon/queue/store.h"

static const char *const state_names[] = {
    [JOB_RUNNING] = "running",
    [JOB_EXITED] = "exited",
    [JOB_FAILED] = "failed",
    [JOB_STOPPED] = "stopped",
    [JOB_LOST] = "lost",
};

const char *job_state_name(enum job_state state)
{
	return state_names[state];
}

static const struct record_field job_fields[] = {
    {RECORD_ROW(TEXT, struct job, name, "name"), .is_optional = true},
    {RECORD_ROW(TEXT, struct job, command, "command")},
    {RECORD_ROW(TEXT, struct job, cwd, "cwd")},
    {RECORD_ROW(PANE, struct job, pane, "pane"), .is_optional = true},
    {RECORD_ROW(BOOL, struct job, is_silent, "silent")},
    {RECORD_ROW(BOOL, struct job, has_env, "env"), .is_optional = true},
    {RECORD_ROW(INT, struct job, created_ms, "created_ms")},
    {RECORD_ROW(INT, struct job, timeout_ms, "timeout_ms")},
    {RECORD_ROW(INT, struct job, pid, "pid")},
    {RECORD_ROW(NAME, struct job, state, "state"), .names = state_names,
	.values = JOB_STATE_COUNT_},
    /* Release 0.1 left out the status of a job that ran. */
    {RECORD_ROW(INT, struct job, status.start_ms, "start_ms"), .is_optional = true},
    {RECORD_ROW(INT, struct job, status.end_ms, "end_ms"), .is_optional = true},
    {RECORD_ROW(INT, struct job, status.elapsed_ms, "elapsed_ms"), .is_optional = true},
    {RECORD_ROW(INT, struct job, status.out_bytes, "out_bytes"), .is_optional = true},
    {RECORD_ROW(INT, struct job, status.err_bytes, "err_bytes"), .is_optional = true},
    {RECORD_ROW(INT, struct job, status.tail_bytes, "tail_bytes"), .is_optional = true},
    {RECORD_ROW(INT, struct job, status.max_rss_kb, "max_rss_kb"), .is_optional = true},
    {RECORD_ROW(INT, struct job, status.exit_code, "exit_code"), .is_optional = true},
    {RECORD_ROW(INT, struct job, status.signal, "signal"), .is_optional = true},
    {RECORD_ROW(INT, struct job, status.exec_errno, "exec_errno"), .is_optional = true},
    {RECORD_ROW(BOOL, struct job, status.is_timed_out, "timed_out"), .is_optional = true},
    {RECORD_ROW(BOOL, struct job, status.is_stopped, "stopped"), .is_optional = true},
    {RECORD_ROW(BOOL, struct job, status.is_held, "held"), .is_optional = true},
};

const struct record_kind job_kind = {
    .prefix = "job/",
    .noun = "a job",
    .rows = RECORD_ROWS(job_fields, NULL),
    .source = SOURCE_JOB,
    .naming = RECORD_BY_ID,
};

char *job_record_text(const struct job *job)
{
	const struct job_status *status = &job->status;
	if (job->state == JOB_LOST)
		return xstrdup("lost: its supervisor was killed, how it ended is not known");
	if (status->exec_errno != 0)
		return xasprintf("could not be started: %s", strerror(status->exec_errno));
	if (status->is_timed_out)
		return xasprintf("stopped after its %" PRId64 " s", job->timeout_ms / 1000);
	if (status->is_stopped)
		return xstrdup("stopped on request");
	if (status->signal != 0)
		return xasprintf(
		    "killed by signal %d (%s)", status->signal, strsignal(status->signal));
	return xasprintf("exit %d after %" PRId64 ".%" PRId64 " s", status->exit_code,
	    status->elapsed_ms / 1000, status->elapsed_ms % 1000 / 100);
}

/* How it ended: null where there is nothing to say. */
static void write_end(struct json_writer *writer, const struct job *job)
{
	if (job->state == JOB_RUNNING || job->status.exit_code < 0)
		json_put_null(writer, "exit_code");
	else
		json_put_int(writer, "exit_code", job->status.exit_code);
	if (job->status.signal > 0)
		json_put_int(writer, "signal", job->status.signal);
	else
		json_put_null(writer, "signal");
	if (job->status.exec_errno != 0)
		json_put_str(writer, "error", strerror(job->status.exec_errno));
	if (job->status.is_timed_out)
		json_put_bool(writer, "timed_out", true);
	if (job->status.is_held)
		json_put_bool(writer, "held", true);
}

char *job_record_data(const struct job *job, const char *log, const char *excerpt)
{
	struct json_writer writer;
	struct buf out;
	buf_init(&out, NOTIFICATION_DATA_MAX);
	json_writer_init(&writer, &out);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "command", job->command);
	if (job->name != NULL)
		json_put_str(&writer, "name", job->name);
	json_put_str(&writer, "state", state_names[job->state]);
	write_end(&writer, job);
	json_put_int(&writer, "duration_ms", job->status.elapsed_ms);
	json_put_str(&writer, "log", log);
	json_put_int(&writer, "log_bytes", job->status.out_bytes);
	json_put_str(&writer, "output", excerpt);
	json_object_end(&writer);
	return (char *)buf_steal(&out, NULL);
}

void job_write_members(
    struct json_writer *writer, const struct job *job, const char *log, int64_t log_bytes)
{
	bool has_ended = job->state != JOB_RUNNING;
	json_put_str(writer, "id", job->id);
	json_put_str(writer, "name", job->name);
	json_put_str(writer, "command", job->command);
	json_put_str(writer, "cwd", job->cwd);
	if (job->pid > 0)
		json_put_int(writer, "pid", job->pid);
	else
		json_put_null(writer, "pid");
	if (job->pane.pane != MUXBUS_NO_ID)
		json_put_id(writer, "pane", '%', job->pane.pane);
	else
		json_put_null(writer, "pane");
	json_put_str(writer, "state", state_names[job->state]);
	write_end(writer, job);
	json_put_time(writer, "started", job->created_ms);
	json_put_time(writer, "ended", has_ended ? job->status.end_ms : 0);
	if (has_ended && job->state != JOB_LOST)
		json_put_int(writer, "duration_ms", job->status.elapsed_ms);
	else
		json_put_null(writer, "duration_ms");
	json_put_str(writer, "log", log);
	json_put_int(writer, "log_bytes", log_bytes);
	if (job->timeout_ms > 0)
		json_put_double(writer, "timeout_sec", (double)job->timeout_ms / 1000);
}
