/* SPDX-License-Identifier: ISC */
#include "daemon/tool/tool_run.h"

const char *tool_run_answer(const struct declaration *declaration)
{
	switch (declaration->answer) {
	case DECLARATION_TEXT:
		return "text";
	case DECLARATION_JSON:
		return "json";
	case DECLARATION_IMAGE:
		return declaration->image_type;
	}
	return "text";
}

static bool is_text(const char *answer)
{
	return strcmp(answer, "text") == 0;
}

static bool is_json(const char *answer)
{
	return strcmp(answer, "json") == 0;
}

int64_t tool_run_kept_bytes(const char *answer)
{
	return is_text(answer) ? TOOL_TEXT_MAX - JOB_TAIL_SIZE
	    : is_json(answer)  ? TOOL_TEXT_MAX
			       : TOOL_IMAGE_MAX;
}

static int64_t read_from(
    const struct job_set *jobs, const struct job *job, int64_t offset, struct buf *out)
{
	int64_t from = offset, end;
	(void)job_read(jobs, job, JOB_FILE_OUT, offset, out->max - out->len, out, &from, &end);
	return from;
}

/* Fails with the end of standard error or, if that is empty, with the exit status. */
static bool fail_as_ended(
    const struct job_set *jobs, const struct job *job, struct tool_failure *failure)
{
	int64_t from, end = 0;
	struct buf text = BUF(TOOL_ERROR_MAX);
	(void)job_read(jobs, job, JOB_FILE_ERR, 0, 0, &text, &from, &end);
	from = end > TOOL_ERROR_MAX ? end - TOOL_ERROR_MAX : 0;
	(void)job_read(jobs, job, JOB_FILE_ERR, from, TOOL_ERROR_MAX, &text, &from, &end);
	while (text.len > 0 && strchr(" \t\r\n", text.data[text.len - 1]) != NULL)
		text.data[--text.len] = '\0';
	for (size_t at = 0; at < text.len; at++)
		text.data[at] = text.data[at] == '\0' ? ' ' : text.data[at];
	if (text.len > 0)
		(void)tool_fail(failure, MESSAGE_TOOL_FAILED, "%s", (const char *)text.data);
	else if (job->status.signal > 0)
		(void)tool_fail(failure, MESSAGE_TOOL_FAILED,
		    "its program was killed by signal %d, %s", job->status.signal,
		    strsignal(job->status.signal));
	else
		(void)tool_fail(failure, MESSAGE_TOOL_FAILED,
		    "its program ended with exit status %d", job->status.exit_code);
	buf_finish(&text);
	return false;
}

static bool has_succeeded(
    const struct job_set *jobs, const struct job *job, struct tool_failure *failure)
{
	if (job->state == JOB_LOST)
		return tool_fail(failure, MESSAGE_GONE,
		    "the supervisor of its program was killed: effect unknown");
	if (job->status.exec_errno != 0)
		return tool_fail(failure, MESSAGE_TOOL_FAILED,
		    "its program could not be started: %s", strerror(job->status.exec_errno));
	if (job->status.is_timed_out)
		return tool_fail(failure, MESSAGE_TIMEOUT,
		    "its program did not end within %" PRId64
		    " s (timeout_sec of the declaration), and was ended",
		    job->timeout_ms / 1000);
	if (job->status.is_stopped)
		return tool_fail(failure, MESSAGE_CANCELLED, "its program was stopped on request");
	return job->state == JOB_EXITED || fail_as_ended(jobs, job, failure);
}

/* Writes the output as text. A line says how much of the middle of a long one is left out. */
static void write_text(
    struct json_writer *writer, const struct job_set *jobs, const struct job *job)
{
	struct buf text = BUF(TOOL_TEXT_MAX + 256), tail = BUF(JOB_TAIL_SIZE);
	int64_t from;
	text.max = TOOL_TEXT_MAX - JOB_TAIL_SIZE;
	(void)read_from(jobs, job, 0, &text);
	text.max = TOOL_TEXT_MAX + 256;
	from = (int64_t)text.len;
	if (job->status.out_bytes > from) {
		int64_t first = read_from(jobs, job, from, &tail);
		size_t split = first > from ? utf8_incomplete_tail(text.data, text.len) : 0;
		size_t begin = 0;
		text.len -= split;
		while (first > from && begin < tail.len && (tail.data[begin] & 0xc0) == 0x80)
			begin++; /* skips the rest of a character that was cut */
		if (first > from)
			(void)buf_printf(&text, "\n[... %" PRId64 " bytes are left out here ...]\n",
			    first - from + (int64_t)(split + begin));
		(void)buf_append(
		    &text, tail.len > 0 ? (const void *)(tail.data + begin) : "", tail.len - begin);
	}
	(void)json_put_text(writer, "text", text.len > 0 ? (const void *)text.data : "", text.len);
	if (job->status.is_held)
		json_put_str(writer, "note",
		    "a process that the program left behind still holds its output");
	buf_finish(&text);
	buf_finish(&tail);
}

static bool write_json(
    struct json_writer *writer, const struct buf *text, struct tool_failure *failure)
{
	struct json_reader *reader = json_reader_new(text->len + 1);
	struct json_error error;
	const struct json *value;
	json_reader_limit_depth(reader);
	value = json_read(reader, text->len > 0 ? (const char *)text->data : "", text->len, &error);
	if (value == NULL)
		(void)tool_fail(failure, MESSAGE_TOOL_FAILED,
		    "its program ended well, but printed no valid JSON: %s", error.text);
	else if (value->type != JSON_OBJECT)
		json_put_value(writer, "value", value);
	else
		method_put_result(writer, value);
	json_reader_free(reader);
	return value != NULL;
}

const char *tool_run_image_type(const struct buf *bytes)
{
	static const struct {
		const char *bytes;
		size_t len;
		size_t at;
		const char *type;
	} rows[] = {
	    {"\x89PNG\r\n", 6, 0, "image/png"},
	    {"\xff\xd8\xff", 3, 0, "image/jpeg"},
	    {"GIF8", 4, 0, "image/gif"},
	    {"WEBP", 4, 8, "image/webp"},
	};
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++)
		if (bytes->len >= rows[at].at + rows[at].len &&
		    memcmp(bytes->data + rows[at].at, rows[at].bytes, rows[at].len) == 0)
			return rows[at].type;
	return NULL;
}

/* Writes an image: the output is its bytes, or a JSON object, which is taken as the result. */
static bool write_image(struct json_writer *writer, const struct buf *bytes, const char *type,
    size_t result_max, struct tool_failure *failure)
{
	const char *found = tool_run_image_type(bytes);
	bool is_any = strchr(type, '*') != NULL;
	size_t max = (result_max - 1024) / 4 * 3; /* base64 makes 4 bytes of 3 */
	if (bytes->len > 0 && bytes->data[0] == '{' && bytes->len < result_max)
		return write_json(writer, bytes, failure);
	if (is_any ? found == NULL : found != NULL && strcmp(found, type) != 0)
		return tool_fail(failure, MESSAGE_TOOL_FAILED,
		    "its program ended well, but printed %s instead of %s",
		    found != NULL ? found : "no known kind of image", type);
	if (bytes->len == 0)
		return tool_fail(
		    failure, MESSAGE_TOOL_FAILED, "its program ended well, but printed no image");
	if (bytes->len > max)
		return tool_fail(failure, MESSAGE_LIMIT,
		    "the image has %zu bytes; %zu fit into a result (limit result_bytes)",
		    bytes->len, max);
	json_put_str(writer, "mime_type", is_any ? found : type);
	json_put_int(writer, "bytes", (int64_t)bytes->len);
	json_put_base64(writer, "data", bytes->data, bytes->len);
	return true;
}

bool tool_run_write(struct json_writer *writer, const struct job_set *jobs, const struct job *job,
    const char *answer, size_t result_max, struct tool_failure *ret_failure)
{
	int64_t max;
	struct buf bytes;
	bool is_good;
	if (!has_succeeded(jobs, job, ret_failure))
		return false;
	if (answer == NULL || is_text(answer)) {
		write_text(writer, jobs, job);
		return true;
	}
	max = tool_run_kept_bytes(answer);
	if (job->status.out_bytes > max)
		return tool_fail(ret_failure, MESSAGE_LIMIT,
		    "its program printed %" PRId64 " bytes, more than %" PRId64,
		    job->status.out_bytes, max);
	buf_init(&bytes, (size_t)max);
	(void)read_from(jobs, job, 0, &bytes);
	is_good = (int64_t)bytes.len < job->status.out_bytes
	    ? tool_fail(ret_failure, MESSAGE_LIMIT,
		  "its program ended well, but %" PRId64
		  " bytes of its output were not kept, as on a full disk",
		  job->status.out_bytes - (int64_t)bytes.len)
	    : is_json(answer) ? write_json(writer, &bytes, ret_failure)
			      : write_image(writer, &bytes, answer, result_max, ret_failure);
	buf_finish(&bytes);
	return is_good;
}
