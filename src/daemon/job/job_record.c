/* SPDX-License-Identifier: ISC */
/* Jobs as JSON and text: in the store, in answers and in notifications. */
#include "daemon/job/job.h"

#include "base/stripper.h"

enum {
	EXACT_MS = 10000, /* ms; longer durations are written in whole seconds */
	OUTCOME_SIZE = 128,
};

const char *const job_state_names[] = {
    [JOB_RUNNING] = "running",
    [JOB_EXITED] = "exited",
    [JOB_FAILED] = "failed",
    [JOB_STOPPED] = "stopped",
    [JOB_LOST] = "lost",
};

static const struct record_field job_fields[] = {
    {RECORD_ROW(TEXT, struct job, name, "name"), .is_optional = true},
    {RECORD_ROW(TEXT, struct job, command, "command")},
    {RECORD_ROW(TEXT, struct job, tool, "tool"), .is_optional = true},
    {RECORD_ROW(TEXT, struct job, answer, "answer"), .is_optional = true},
    {RECORD_ROW(TEXT, struct job, cwd, "cwd")},
    {RECORD_ROW(PANE, struct job, pane, "pane"), .is_optional = true},
    {RECORD_ROW(THREAD, struct job, pane, "thread"), .is_optional = true},
    {RECORD_ROW(BOOL, struct job, is_silent, "silent")},
    {RECORD_ROW(BOOL, struct job, is_program, "program"), .is_optional = true},
    {RECORD_ROW(BOOL, struct job, has_env, "env"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct job, number, "number"), .is_optional = true},
    {RECORD_ROW(INT, struct job, created_ms, "created_ms")},
    {RECORD_ROW(NATURAL, struct job, timeout_ms, "timeout_ms")},
    {RECORD_ROW(NATURAL, struct job, umask, "umask"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct job, pid, "pid")},
    {RECORD_ROW(NAME, struct job, state, "state"), .names = job_state_names,
	.values = JOB_STATE_COUNT_},
    /* Release 0.1 stores no status of a running job. */
    {RECORD_ROW(INT, struct job, status.start_ms, "start_ms"), .is_optional = true},
    {RECORD_ROW(INT, struct job, status.end_ms, "end_ms"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct job, status.elapsed_ms, "elapsed_ms"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct job, status.out_bytes, "out_bytes"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct job, status.err_bytes, "err_bytes"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct job, status.tail_bytes, "tail_bytes"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct job, status.max_rss_kb, "max_rss_kb"), .is_optional = true},
    {RECORD_ROW(INT, struct job, status.exit_code, "exit_code"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct job, status.signal, "signal"), .is_optional = true},
    {RECORD_ROW(NATURAL, struct job, status.exec_errno, "exec_errno"), .is_optional = true},
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

/* Returns the outcome with " after 0.2 s" or " after 187 s" behind it. The caller frees it. */
static char *with_time(const char *outcome, int64_t ms)
{
	if (ms < EXACT_MS)
		return xasprintf(
		    "%s after %" PRId64 ".%" PRId64 " s", outcome, ms / 1000, ms % 1000 / 100);
	return xasprintf("%s after %" PRId64 " s", outcome, ms / 1000);
}

char *job_record_text(const struct job *job)
{
	const struct job_status *status = &job->status;
	char outcome[OUTCOME_SIZE];
	if (job->state == JOB_LOST && status->is_held)
		return xasprintf(
		    "lost: its supervisor was killed, and its process %d runs on", (int)job->pid);
	if (job->state == JOB_LOST)
		return xstrdup("lost: its supervisor was killed, how it ended is not known");
	if (status->exec_errno != 0)
		return xasprintf("could not be started: %s", strerror(status->exec_errno));
	if (status->is_timed_out)
		(void)snprintf(outcome, sizeof outcome, "stopped, since its time was up,");
	else if (status->is_stopped)
		(void)snprintf(outcome, sizeof outcome, "stopped on request");
	else if (status->signal != 0)
		(void)snprintf(outcome, sizeof outcome, "killed by signal %d, %s,", status->signal,
		    strsignal(status->signal));
	else
		(void)snprintf(outcome, sizeof outcome, "exit %d", status->exit_code);
	return with_time(outcome, status->elapsed_ms);
}

/* Appends bytes as valid UTF-8 without escape sequences. */
static void clean(struct buf *out, const void *bytes, size_t len)
{
	bool is_lossy = false;
	struct buf lines;
	buf_init(&lines, len + 1);
	buf_init(out, 3 * len + 1);
	(void)stripper_lines(&lines, bytes, len);
	(void)utf8_clean(out, lines.data, lines.len, &is_lossy);
	buf_finish(&lines);
}

char *job_record_head(const void *bytes, size_t len, bool *ret_is_cut)
{
	struct buf text;
	size_t at = 0;
	char *head;
	clean(&text, bytes, len);
	for (unsigned count = 0; count < JOB_EXCERPT && at < text.len; count++) {
		size_t size;
		(void)utf8_part((const uint8_t *)text.data + at, text.len - at, &size);
		at += size;
	}
	*ret_is_cut = at < text.len;
	head = xasprintf("%.*s", (int)at, at > 0 ? (const char *)text.data : "");
	buf_finish(&text);
	return head;
}

char *job_record_tail(const void *bytes, size_t len, bool is_part)
{
	const char *line = is_part ? memchr(bytes, '\n', len) : NULL;
	size_t skipped = line != NULL ? (size_t)(line + 1 - (const char *)bytes) : 0, at;
	struct buf text;
	char *tail;
	clean(&text, (const char *)bytes + skipped, len - skipped);
	at = text.len;
	for (unsigned count = 0; count < JOB_EXCERPT && at > 0; count++)
		do
			at--;
		while (at > 0 && (text.data[at] & 0xc0) == 0x80);
	tail = xasprintf(
	    "%.*s", (int)(text.len - at), text.len > 0 ? (const char *)text.data + at : "");
	buf_finish(&text);
	return tail;
}

/* Writes how a job ended. An unknown exit code or signal is null; other members may be left out. */
static void write_end(struct json_writer *writer, const struct job *job)
{
	json_put_known_int(writer, "exit_code",
	    job->state != JOB_RUNNING && job->status.exit_code >= 0, job->status.exit_code);
	json_put_known_int(writer, "signal", job->status.signal > 0, job->status.signal);
	if (job->status.exec_errno != 0)
		json_put_str(writer, "error", strerror(job->status.exec_errno));
	if (job->status.is_timed_out)
		json_put_bool(writer, "timed_out", true);
	if (job->status.is_held)
		json_put_bool(writer, "held", true);
}

static void write_bytes(struct json_writer *writer, const struct job *job, int64_t log_bytes)
{
	json_put_int(writer, "log_bytes", log_bytes);
	if (job->status.out_bytes > log_bytes)
		json_put_int(writer, "output_bytes", job->status.out_bytes);
}

char *job_record_data(
    const struct job *job, const char *log, int64_t log_bytes, const char *head, const char *tail)
{
	struct json_writer writer;
	struct buf out;
	json_start_object(&writer, &out, NOTIFICATION_DATA_MAX);
	json_put_str(&writer, "command", job->command);
	json_put_given(&writer, "name", job->name);
	json_put_str(&writer, "state", job_state_names[job->state]);
	write_end(&writer, job);
	json_put_int(&writer, "duration_ms", job->status.elapsed_ms);
	json_put_str(&writer, "log", log);
	write_bytes(&writer, job, log_bytes);
	json_put_str(&writer, "output", head);
	json_put_given(&writer, "tail", tail);
	json_object_end(&writer);
	return (char *)buf_steal(&out, NULL);
}

void job_write_members(struct json_writer *writer, const struct job *job, const char *log,
    int64_t log_bytes, size_t command_max)
{
	bool has_ended = job->state != JOB_RUNNING;
	size_t len = strnlen(job->command, command_max);
	bool is_cut = job->command[len] != '\0';
	json_put_str(writer, "id", job->id);
	json_put_str(writer, "name", job->name);
	if (is_cut)
		len -= utf8_incomplete_tail(job->command, len);
	(void)json_put_text(writer, "command", job->command, len);
	if (is_cut)
		json_put_bool(writer, "command_cut", true);
	json_put_str(writer, "cwd", job->cwd);
	json_put_known_int(writer, "pid", job->pid > 0, job->pid);
	json_put_id(writer, "pane", '%', job->pane.pane);
	json_put_str(writer, "state", job_state_names[job->state]);
	write_end(writer, job);
	json_put_time(writer, "started", job->created_ms);
	json_put_time(writer, "ended", has_ended ? job->status.end_ms : 0);
	json_put_known_int(
	    writer, "duration_ms", has_ended && job->state != JOB_LOST, job->status.elapsed_ms);
	json_put_str(writer, "log", log);
	write_bytes(writer, job, log_bytes);
	if (job->timeout_ms > 0)
		json_put_double(writer, "timeout_sec", (double)job->timeout_ms / 1000);
}
