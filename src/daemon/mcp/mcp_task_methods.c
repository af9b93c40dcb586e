/* SPDX-License-Identifier: ISC */
/* The methods tasks/... of MCP. Each runs a native method, which checks what the caller may do. */
#include "daemon/job/job.h"
#include "daemon/mcp/mcp_tool.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/request.h"

#define PAGE 100 /* maximum number of tasks in one answer */
#define OUTPUT_MAX 6000 /* bytes of output in a result, from the end */

static bool read_end(const struct job_set *jobs, const struct job *job, struct buf *out)
{
	int64_t end = job_kept_end(jobs, job, JOB_FILE_OUT), from, at;
	int64_t begin = end > OUTPUT_MAX ? end - OUTPUT_MAX : 0;
	size_t before;
	do {
		before = out->len;
		at = begin + (int64_t)out->len;
		if (job_read(jobs, job, JOB_FILE_OUT, at, OUTPUT_MAX - out->len, out, &from, &at) !=
		    0)
			break;
	} while (out->len > before && begin + (int64_t)out->len < end);
	/* Skips the rest of a character whose first byte was left out. */
	for (before = 0; begin > 0 && before < out->len && before < 3 &&
	     ((uint8_t)out->data[before] & 0xc0) == 0x80;)
		before++;
	if (before > 0)
		memmove(out->data, out->data + before, out->len -= before);
	return begin > 0;
}

static void put_payload(
    struct json_writer *writer, const struct job_set *jobs, const struct job *job)
{
	char path[4096], rest[96];
	char *text = job_record_text(job);
	struct buf output = BUF(OUTPUT_MAX + 1);
	bool is_cut = read_end(jobs, job, &output);
	job_path(jobs, job, JOB_FILE_OUT, path, sizeof path);
	json_put_str(writer, "message", text);
	job_write_members(writer, job, path, job_log_bytes(jobs, job), SIZE_MAX);
	(void)json_put_text(
	    writer, "output", output.len > 0 ? (const void *)output.data : "", output.len);
	if (is_cut) {
		(void)snprintf(rest, sizeof rest,
		    "read_job {\"job\":\"%s\"} reads all that is kept of output.", job->id);
		json_put_bool(writer, "truncated", true);
		json_put_str(writer, "rest", rest);
	}
	buf_finish(&output);
	mem_free(text);
}

static const struct job *job_of(const struct mcp_run *run)
{
	return job_find(run->mcp->daemon->jobs, run->text);
}

static void write_payload(struct json_writer *writer, const struct mcp_run *run,
    const char *result UNUSED, size_t len UNUSED)
{
	const struct job *job = job_of(run);
	struct json_writer payload;
	struct buf json;
	if (job == NULL)
		return;
	if (strcmp(mcp_task_status(job), "completed") != 0)
		json_put_bool(writer, "isError", true);
	json_start_object(&payload, &json, MCP_RESULT_MAX * 6 + JSON_SPARE);
	put_payload(&payload, run->mcp->daemon->jobs, job);
	json_object_end(&payload);
	mcp_tool_write_result(run, method_find("run_long_command"), writer, &json);
	mcp_task_write_related(writer, job->id, NULL);
	buf_finish(&json);
}

static void write_task(struct json_writer *writer, const struct mcp_run *run,
    const char *result UNUSED, size_t len UNUSED)
{
	if (job_of(run) != NULL)
		mcp_task_write(writer, job_of(run));
}

static void write_list(struct json_writer *writer, const struct mcp_run *run,
    const char *result UNUSED, size_t len UNUSED)
{
	const struct job_set *jobs = run->mcp->daemon->jobs;
	const struct job *job = job_next(jobs, NULL);
	char cursor[MCP_CURSOR_SIZE];
	if (run->text != NULL)
		/* handle_list() has checked the cursor */
		(void)mcp_task_behind(jobs, run->text, &job);
	json_array_begin(writer, "tasks");
	for (size_t count = 0; job != NULL; job = job_next(jobs, job)) {
		if (job_is_quick(job))
			continue;
		if (count++ == PAGE)
			break;
		mcp_task_cursor(job, cursor);
		json_object_begin(writer, NULL);
		mcp_task_write(writer, job);
		json_object_end(writer);
	}
	json_array_end(writer);
	if (job != NULL)
		json_put_str(writer, "nextCursor", cursor);
}

static void fail_task(struct json_writer *writer, const struct mcp_run *run UNUSED,
    enum message_error error, const char *text, const char *members)
{
	mcp_task_write_error(writer, error, text, members);
}

struct task_args {
	const char *id;
};

static const struct field task_fields[] = {
    {FIELD_ROW(STRING, struct task_args, id, "taskId"), .flags = FIELD_REQUIRED, .min = 1,
	.max = 20},
    {.name = NULL},
};

/* Runs the method of the row. id NULL: for all jobs. text: as in struct mcp_run. */
static void ask(struct mcp_exchange *exchange, mcp_run_fn *write, const char *id, const char *text)
{
	char params[MCP_TASK_PARAMS_SIZE];
	mcp_run(exchange, &(struct mcp_run){.write = write, .fail = fail_task, .text = text},
	    mcp_task_params(exchange->mcp, request_method(exchange->request), id, params));
}

static void ask_one(struct mcp_exchange *exchange, const struct task_args *args, mcp_run_fn *write)
{
	if (job_find(exchange->mcp->daemon->jobs, args->id) != NULL)
		ask(exchange, write, args->id, args->id);
	else
		request_fail_field(
		    exchange->request, "taskId", "there is no task \"%s\"", args->id);
}

static void handle_get(struct mcp_exchange *exchange, const void *args)
{
	ask_one(exchange, args, write_task);
}

static void handle_result(struct mcp_exchange *exchange, const void *args)
{
	ask_one(exchange, args, write_payload);
}

static void handle_cancel(struct mcp_exchange *exchange, const void *data)
{
	const struct task_args *args = data;
	const struct job *job = job_find(exchange->mcp->daemon->jobs, args->id);
	if (job != NULL && job->is_cancelled)
		request_fail_field(
		    exchange->request, "taskId", "task %s is cancelled already", job->id);
	else
		ask_one(exchange, args, write_task);
}

static void handle_list(struct mcp_exchange *exchange, const void *data)
{
	const struct mcp_list_args *args = data;
	const char *cursor = args->cursor;
	const struct job *job;
	if (cursor != NULL && !mcp_task_behind(exchange->mcp->daemon->jobs, cursor, &job))
		(void)mcp_refuse_cursor(exchange, cursor);
	else
		ask(exchange, write_list, NULL, cursor);
}

const struct mcp_method mcp_methods_task[] = {
    {.name = "tasks/cancel",
	.flags = MCP_LEGACY_ONLY,
	.fields = task_fields,
	.runs = "stop_job",
	.handle = handle_cancel},
    {.name = "tasks/get",
	.flags = MCP_LEGACY_ONLY,
	.fields = task_fields,
	.runs = "get_job",
	.handle = handle_get},
    {.name = "tasks/list",
	.flags = MCP_LEGACY_ONLY,
	.fields = mcp_list_fields,
	.runs = "list_jobs",
	.handle = handle_list},
    {.name = "tasks/result",
	.flags = MCP_LEGACY_ONLY,
	.fields = task_fields,
	.runs = "wait_for",
	.handle = handle_result},
    {.name = NULL},
};
