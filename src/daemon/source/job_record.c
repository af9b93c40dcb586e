/* SPDX-License-Identifier: ISC */
/* A job as JSON. */
#include "daemon/source/job_record.h"

#include <muxbus.h>

#include <inttypes.h>
#include <stdio.h>
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

/* Members of a status, by name: what is kept is what is read. */
static const struct {
	const char *name;
	size_t offset;
} status_numbers[] = {
    {"start_ms", offsetof(struct job_status, start_ms)},
    {"end_ms", offsetof(struct job_status, end_ms)},
    {"elapsed_ms", offsetof(struct job_status, elapsed_ms)},
    {"out_bytes", offsetof(struct job_status, out_bytes)},
    {"err_bytes", offsetof(struct job_status, err_bytes)},
    {"tail_bytes", offsetof(struct job_status, tail_bytes)},
    {"max_rss_kb", offsetof(struct job_status, max_rss_kb)},
};
static const struct {
	const char *name;
	size_t offset;
} status_codes[] = {
    {"exit_code", offsetof(struct job_status, exit_code)},
    {"signal", offsetof(struct job_status, signal)},
    {"exec_errno", offsetof(struct job_status, exec_errno)},
};
static const struct {
	const char *name;
	size_t offset;
} status_flags[] = {
    {"timed_out", offsetof(struct job_status, is_timed_out)},
    {"stopped", offsetof(struct job_status, is_stopped)},
    {"held", offsetof(struct job_status, is_held)},
};

#define COUNT(array) (sizeof array / sizeof *(array))

const char *job_record_key(const struct job *job)
{
	static char key[sizeof JOB_RECORD_PREFIX + NOTIFICATION_ID_SIZE];

	snprintf(key, sizeof key, JOB_RECORD_PREFIX "%s", job->id);
	return key;
}

static void write_status(struct json_writer *writer, const struct job_status *status)
{
	for (size_t at = 0; at < COUNT(status_numbers); at++)
		json_put_int(writer, status_numbers[at].name,
		    *(const int64_t *)((const char *)status + status_numbers[at].offset));
	for (size_t at = 0; at < COUNT(status_codes); at++)
		json_put_int(writer, status_codes[at].name,
		    *(const int *)((const char *)status + status_codes[at].offset));
	for (size_t at = 0; at < COUNT(status_flags); at++)
		json_put_bool(writer, status_flags[at].name,
		    *(const bool *)((const char *)status + status_flags[at].offset));
}

void job_record_write(struct buf *out, const struct job *job)
{
	char pane[PANE_REF_TEXT_SIZE];
	struct json_writer writer;

	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	json_put_str(&writer, "name", job->name);
	json_put_str(&writer, "command", job->command);
	json_put_str(&writer, "cwd", job->cwd);
	if (job->pane.pane != MUXBUS_NO_ID) {
		pane_ref_format(&job->pane, pane);
		json_put_str(&writer, "pane", pane);
	}
	json_put_bool(&writer, "silent", job->is_silent);
	json_put_int(&writer, "created_ms", job->created_ms);
	json_put_int(&writer, "timeout_ms", job->timeout_ms);
	json_put_int(&writer, "pid", job->pid);
	json_put_str(&writer, "state", state_names[job->state]);
	if (job->state != JOB_RUNNING)
		write_status(&writer, &job->status);
	json_object_end(&writer);
}

static char *read_text(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);

	return member != NULL && member->type == JSON_STRING ? xstrdup(member->text) : NULL;
}

static int64_t read_int(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);
	int64_t number = 0;

	if (member != NULL)
		(void)json_int(member, &number); /* none: 0 */
	return number;
}

static bool read_bool(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);

	return member != NULL && member->type == JSON_BOOL && member->boolean;
}

static void read_status(const struct json *value, struct job_status *status)
{
	for (size_t at = 0; at < COUNT(status_numbers); at++)
		*(int64_t *)((char *)status + status_numbers[at].offset) =
		    read_int(value, status_numbers[at].name);
	for (size_t at = 0; at < COUNT(status_codes); at++)
		*(int *)((char *)status + status_codes[at].offset) =
		    (int)read_int(value, status_codes[at].name);
	for (size_t at = 0; at < COUNT(status_flags); at++)
		*(bool *)((char *)status + status_flags[at].offset) =
		    read_bool(value, status_flags[at].name);
}

bool job_record_read(struct json_reader *reader, const char *text, size_t len, struct job *job)
{
	struct json_error error;
	const struct json *value = json_read(reader, text, len, &error);
	char *pane, *state;

	if (value == NULL || (job->command = read_text(value, "command")) == NULL ||
	    (job->cwd = read_text(value, "cwd")) == NULL)
		return false;
	job->name = read_text(value, "name");
	job->is_silent = read_bool(value, "silent");
	job->created_ms = read_int(value, "created_ms");
	job->timeout_ms = read_int(value, "timeout_ms");
	job->pid = (pid_t)read_int(value, "pid");
	pane = read_text(value, "pane");
	pane_ref_clear(&job->pane);
	if (pane != NULL)
		(void)pane_ref_parse(pane, &job->pane); /* else it is nobody's */
	mem_free(pane);
	state = read_text(value, "state");
	for (int at = 0; state != NULL && at < JOB_STATE_COUNT_; at++) {
		if (strcmp(state, state_names[at]) == 0)
			job->state = (enum job_state)at;
	}
	mem_free(state);
	read_status(value, &job->status);
	return true;
}

void job_record_finish(struct job *job)
{
	mem_free(job->name);
	mem_free(job->command);
	mem_free(job->cwd);
}

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

	buf_init(&out, STORE_VALUE_MAX);
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
