/* SPDX-License-Identifier: ISC */
/* Tasks of MCP (revision 2025-11-25): calls of run_long_command whose result is asked for later. */
#include "daemon/mcp/mcp_exchange.h"

#include "daemon/job/job.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/request.h"

#define POLL_MS 2000
#define WAIT_MAX_SEC "315000000" /* timeout_sec for wait_for: about ten years */

const char *mcp_task_status(const struct job *job)
{
	if (job->is_cancelled || (job->state == JOB_STOPPED && !job->status.is_timed_out))
		return "cancelled";
	if (job->state == JOB_RUNNING)
		return "working";
	return job->status.exit_code >= 0 && job->status.exec_errno == 0 &&
		!job->status.is_timed_out
	    ? "completed"
	    : "failed";
}

void mcp_task_write(struct json_writer *writer, const struct job *job)
{
	bool has_ended = job->state != JOB_RUNNING;
	char *text = has_ended ? job_record_text(job) : NULL;
	json_put_str(writer, "taskId", job->id);
	json_put_str(writer, "status", mcp_task_status(job));
	json_put_given(writer, "statusMessage", text);
	json_put_time(writer, "createdAt", job->created_ms);
	json_put_time(writer, "lastUpdatedAt", has_ended ? job->status.end_ms : job->created_ms);
	/* the number of kept jobs is limited, not how long they are kept */
	json_put_null(writer, "ttl");
	json_put_int(writer, "pollInterval", POLL_MS);
	mem_free(text);
}

void mcp_task_cursor(const struct job *job, char out[MCP_CURSOR_SIZE])
{
	(void)snprintf(out, MCP_CURSOR_SIZE, "%" PRId64 ".%s", job->number, job->id);
}

bool mcp_task_behind(const struct job_set *jobs, const char *cursor, const struct job **ret_job)
{
	size_t len = strcspn(cursor, ".");
	const struct job *job = cursor[len] == '.' ? job_find(jobs, cursor + len + 1) : NULL;
	int64_t number;
	if (cursor[len] != '.' || !str_parse_i64(cursor, len, &number))
		return false;
	if (job != NULL)
		job = job_next(jobs, job);
	else
		while ((job = job_next(jobs, job)) != NULL && job->number < number)
			;
	*ret_job = job;
	return true;
}

void mcp_task_write_related(struct json_writer *writer, const char *id, const char *immediate)
{
	json_object_begin(writer, "_meta");
	json_object_begin(writer, MCP_META "related-task");
	json_put_str(writer, "taskId", id);
	json_object_end(writer);
	json_put_given(writer, MCP_META "model-immediate-response", immediate);
	json_object_end(writer);
}

const struct json *mcp_task_params(
    struct mcp *mcp, const struct method *method, const char *id, char params[MCP_TASK_PARAMS_SIZE])
{
	bool is_wait = strcmp(method->name, "wait_for") == 0;
	struct json_error error;
	struct json_writer writer;
	struct buf name;
	json_start(&writer, &name, JSON_SPARE + 128);
	json_put_given(&writer, "job", id);
	(void)snprintf(params, MCP_TASK_PARAMS_SIZE, "%s%.*s%s", is_wait ? "{\"any\":[{" : "{",
	    (int)name.len, buf_text(&name), is_wait ? "}],\"timeout_sec\":" WAIT_MAX_SEC "}" : "}");
	buf_finish(&name);
	return json_read(mcp->params_reader, params, strlen(params), &error);
}

/*
 * Makes a wait that takes the notification of the job's end, which would also wake the agent: the
 * client asks for the end itself. If the connection ends, the wait ends too, and the job's end is
 * notified.
 */
static void take_end(struct mcp *mcp, struct request *request, const char *id)
{
	const struct method *method = method_find("wait_for");
	char params[MCP_TASK_PARAMS_SIZE];
	struct peer *peer = request_peer(request);
	if (peer != NULL && method != NULL)
		dispatch_run(mcp->dispatch, request_new(mcp->daemon, peer, NULL, method),
		    mcp_task_params(mcp, method, id, params));
}

bool mcp_task_is_wanted(const struct mcp_exchange *exchange)
{
	const struct json *task = json_member(exchange->params, "task");
	return mcp_task_is_known(exchange) && task != NULL && task->type == JSON_OBJECT;
}

bool mcp_task_is_known(const struct mcp_exchange *exchange)
{
	return exchange->session->has_tasks && !exchange->is_modern;
}

bool mcp_task_is_of(const struct method *tool)
{
	return strcmp(tool->name, "run_long_command") == 0;
}

void mcp_task_write_begun(struct mcp *mcp, struct request *request, struct json_writer *writer,
    const struct json *started)
{
	const struct job *job = job_find(mcp->daemon->jobs, json_get_str(started, "id", ""));
	char text[96];
	if (job == NULL)
		return;
	(void)snprintf(text, sizeof text,
	    "Job %s runs as a task: its end is the result of the task.", job->id);
	json_object_begin(writer, "task");
	mcp_task_write(writer, job);
	json_object_end(writer);
	mcp_task_write_related(writer, job->id, text);
	take_end(mcp, request, job->id);
}

void mcp_task_write_error(
    struct json_writer *writer, enum message_error error, const char *text, const char *members)
{
	bool is_id = error == MESSAGE_NO_SUCH_JOB || error == MESSAGE_GONE;
	message_put_error(writer, is_id ? MESSAGE_PARAMS : error, error, text, members);
}
