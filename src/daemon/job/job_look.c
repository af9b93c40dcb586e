/* SPDX-License-Identifier: ISC */
/* Methods that read jobs: list_jobs, get_job and read_job. */
#include "daemon/job/job.h"
#include "daemon/server/handler.h"

enum {
	PATH_SIZE = 4096,
	/* bytes of a command in a list, so that all jobs fit into a result */
	LISTED_COMMAND_MAX = 1000,
	READ_MAX = 1024 * 1024,
};

#define JOB_RESULTS(in)                                                                      \
	{in "id", "string", "its id"}, {in "name", "string|null", "what it is called"},      \
	    {in "command", "string", "what runs"}, {in "cwd", "string", "where"},            \
	    {in "pid", "integer|null", "of the command, and its process group"},             \
	    {in "pane", "string|null", "the pane it wakes when it ends"},                    \
	    {in "pane_gone", "boolean", "true: gone; another may have its id now"},          \
	    {in "state", "string",                                                           \
		"running, exited, failed, stopped or lost: its supervisor was killed"},      \
	    {in "exit_code", "integer|null", "how it ended"},                                \
	    {in "signal", "integer|null", "what killed it"},                                 \
	    {in "error", "string", "why the command could not be started"},                  \
	    {in "timed_out", "boolean", "true: it was stopped because its time was up"},     \
	    {in "held", "boolean", "true: a process of it runs on, which holds its output"}, \
	    {in "started", "string", "when"}, {in "ended", "string|null", "when"},           \
	    {in "duration_ms", "integer|null", "how long it ran"},                           \
	    {in "timeout_sec", "number", "after which it is stopped, if it has one"},        \
	    {in "log", "string", "the file with its output"},                                \
	    {in "log_bytes", "integer", "how much of its output is kept"},                   \
	{                                                                                    \
		in "output_bytes", "integer", "how much it wrote, where that is more"        \
	}

static const struct field_result job_results[] = {
    JOB_RESULTS(""),
    {NULL, NULL, NULL},
};

static const struct field_result list_results[] = {
    {"jobs", "array", "the jobs, oldest first"},
    JOB_RESULTS("jobs[]."),
    {"jobs[].command_cut", "boolean", "true: of command the first 1,000 bytes; get_job has all"},
    {NULL, NULL, NULL},
};

static void write_job(struct json_writer *writer, const struct daemon *daemon,
    const struct job *job, size_t command_max)
{
	char path[PATH_SIZE];
	job_path(daemon->jobs, job, JOB_FILE_OUT, path, sizeof path);
	job_write_members(writer, job, path, job_log_bytes(daemon->jobs, job), command_max);
	pane_fate_write_gone(writer, daemon->tmux, "pane", &job->pane);
}

struct job_list_args {
	bool running;
	bool all;
};

static const struct field list_fields[] = {
    {FIELD_ROW(BOOL, struct job_list_args, running, "running"), .help = "Only those that run."},
    {FIELD_ROW(BOOL, struct job_list_args, all, "all"),
	.help = "Also commands of execute_cli that ended within its time."},
    {.name = NULL},
};

static void handle_list(struct request *request, const void *data)
{
	const struct job_list_args *args = data;
	const struct job_set *jobs = request_daemon(request)->jobs;
	struct json_writer *writer = request_result(request);
	json_array_begin(writer, "jobs");
	next_each (const struct job, job, job_next, jobs) {
		bool is_left = args->running && job->state != JOB_RUNNING;
		if (is_left || (!args->all && job_is_quick(job)))
			continue;
		if (requester_look_for(request, &job->pane))
			return;
		json_object_begin(writer, NULL);
		write_job(writer, request_daemon(request), job, LISTED_COMMAND_MAX);
		json_object_end(writer);
	}
	json_array_end(writer);
	request_done(request);
}

struct job_get_args {
	const char *job;
};

static const struct field get_fields[] = {
    JOB_FIELD(job_get_args),
    {.name = NULL},
};

static void handle_get(struct request *request, const void *data)
{
	const struct job_get_args *args = data;
	const struct job *job = job_name_get(request, args->job);
	if (job == NULL || requester_look_for(request, &job->pane))
		return;
	write_job(request_result(request), request_daemon(request), job, SIZE_MAX);
	request_done(request);
}

static const char *const encoding_choices[] = {"text", "base64", NULL};
static const char *const stream_choices[] = {"stdout", "stderr", NULL};

struct job_read_args {
	const char *job;
	int64_t offset;
	int64_t max_bytes;
	int encoding;
	int stream;
};

static const struct field read_fields[] = {
    JOB_FIELD(job_read_args),
    {FIELD_ROW(INT, struct job_read_args, offset, "offset"), .unit = "bytes", .min = -JSON_INT_MAX,
	.max = JSON_INT_MAX, .help = "Where to begin; negative: so many bytes before the end."},
    {FIELD_ROW(INT, struct job_read_args, max_bytes, "max_bytes"), .unit = "bytes", .min = 1,
	.max = READ_MAX, .preset = "65536", .help = "How much at most."},
    {FIELD_ROW(CHOICE, struct job_read_args, encoding, "encoding"), .choices = encoding_choices,
	.preset = "\"text\"",
	.help = "text: valid UTF-8, U+FFFD for what is not; base64: the exact bytes."},
    {FIELD_ROW(CHOICE, struct job_read_args, stream, "stream"), .choices = stream_choices,
	.preset = "\"stdout\"",
	.help = "stderr: of a command whose two streams are apart, as those of execute_cli are."},
    {.name = NULL},
};

static const struct field_result read_results[] = {
    {"job", "string", "its id"},
    {"text", "string", "the output"},
    {"base64", "string", "the exact bytes, if asked for"},
    {"lossy", "boolean", "true if text is not exact"},
    {"from", "integer", "the offset of the first byte; beyond what was asked if it was not kept"},
    {"to", "integer", "the offset behind the last byte: read on from there"},
    {"end", "integer", "how much output there is by now"},
    {"running", "boolean", "whether more may come"},
    {NULL, NULL, NULL},
};

static void handle_read(struct request *request, const void *data)
{
	const struct job_read_args *args = data;
	const struct job_set *jobs = request_daemon(request)->jobs;
	const struct job *job = job_name_get(request, args->job);
	enum job_file file = args->stream == 1 ? JOB_FILE_ERR : JOB_FILE_OUT;
	int64_t offset = args->offset, from, end;
	size_t tail;
	struct json_writer *writer;
	struct buf out;
	int error;
	if (job == NULL)
		return;
	buf_init(&out, READ_MAX + 1);
	offset += offset < 0 ? job_kept_end(jobs, job, file) : 0;
	offset = offset > 0 ? offset : 0;
	error = job_read(jobs, job, file, offset, (size_t)args->max_bytes, &out, &from, &end);
	if (error != 0) {
		buf_finish(&out);
		request_fail(request, MESSAGE_INTERNAL, "the log of job %s cannot be read: %s",
		    job->id, strerror(-error));
		return;
	}
	/* An incomplete character at the end is left for the next read. */
	tail = args->encoding == 0 ? utf8_incomplete_tail(out.data, out.len) : 0;
	if (tail < out.len && (from + (int64_t)out.len < end || job->state == JOB_RUNNING))
		out.len -= tail;
	writer = request_result(request);
	json_put_str(writer, "job", job->id);
	if (args->encoding == 1)
		json_put_base64(writer, "base64", out.len > 0 ? (void *)out.data : "", out.len);
	else if (json_put_text(writer, "text", out.len > 0 ? (void *)out.data : "", out.len))
		json_put_bool(writer, "lossy", true);
	json_put_int(writer, "from", from);
	json_put_int(writer, "to", from + (int64_t)out.len);
	json_put_int(writer, "end", end);
	json_put_bool(writer, "running", job->state == JOB_RUNNING);
	buf_finish(&out);
	request_done(request);
}

const struct method methods_job_look[] = {
    {.name = METHOD("get_job", METHOD_READS | METHOD_SEES),
	.title = "Get a job",
	.summary = "Shows all about one background job.",
	METHOD_CALL(handle_get, job_get_args, get_fields, job_results),
	.flags = METHOD_LOOKS_ITSELF,
	.example = "{\"job\":\"A1B2\"}"},
    {.name = METHOD("list_jobs", METHOD_READS),
	.title = "List jobs",
	.summary = "Lists background jobs: those that run, and the last that have ended.",
	.help = "200 jobs that have ended are remembered, with their output. Apart from these, so "
		"are the last 100 commands of execute_cli that ended within its time: get_job and "
		"read_job know their ids, and the list has them if all is true.",
	METHOD_CALL(handle_list, job_list_args, list_fields, list_results),
	.flags = METHOD_LOOKS_ITSELF,
	.example = "{\"running\":true}"},
    {.name = METHOD("read_job", METHOD_READS | METHOD_SEES),
	.title = "Read a job's output",
	.summary = "Reads the output of a background job from an offset on.",
	METHOD_CALL(handle_read, job_read_args, read_fields, read_results),
	.flags = METHOD_LOOKS_ITSELF | METHOD_OPEN_WORLD,
	.example = "{\"job\":\"A1B2\",\"offset\":-2000}"},
    {.name = NULL},
};
