/* SPDX-License-Identifier: ISC */
#include "daemon/tool/tool_kept.h"

#include "base/file.h"
#include "daemon/job/job.h"
#include "daemon/queue/queue.h"
#include "io/loop_timer.h"

#define ANSWER_MAX ((size_t)16 * 1024 * 1024) /* maximum bytes of the file of an answer */

enum { LATE_MS = 15000 }; /* how long to wait for tool servers of an earlier daemon to connect */

struct kept {
	struct list link; /* the oldest first */
	char id[NOTIFICATION_ID_SIZE];
	char *tool;
	struct pane_ref pane;
	bool has_ended;
	bool is_awaited; /* begun by an earlier daemon; a tool server may still run the call */
	int64_t begun_ms; /* CLOCK_REALTIME */
};

struct tool_kept_set {
	struct queue *queue;
	char dir[PATH_MAX];
	struct list calls;
	struct loop_timer *late; /* ends calls whose tool servers have not connected */
	size_t ended;
};

static const struct record_field kept_fields[] = {
    {RECORD_ROW(TEXT, struct kept, tool, "tool")},
    {RECORD_ROW(PANE, struct kept, pane, "pane"), .is_optional = true},
    {RECORD_ROW(THREAD, struct kept, pane, "thread"), .is_optional = true},
    {RECORD_ROW(BOOL, struct kept, has_ended, "ended")},
    {RECORD_ROW(INT, struct kept, begun_ms, "begun_ms")},
};

static const struct record_kind kept_kind = {
    .prefix = "tool/",
    .noun = "a call of a tool",
    .rows = RECORD_ROWS(kept_fields, NULL),
    .source = SOURCE_TOOL,
    .naming = RECORD_BY_ID,
};

static struct kept *find(const struct tool_kept_set *set, const char *id)
{
	list_each (struct kept, kept, &set->calls, link)
		if (strcmp(kept->id, id) == 0)
			return kept;
	return NULL;
}

static void kept_free(struct tool_kept_set *set, struct kept *kept)
{
	list_remove(&kept->link);
	queue_release_id(set->queue, kept->id);
	record_finish(kept_kind.rows, kept);
	mem_free(kept);
}

static void answer_path(const struct tool_kept_set *set, const char *id, char out[PATH_MAX + 16])
{
	(void)snprintf(out, PATH_MAX + 16, "%s/%s", set->dir, id);
}

static void forget(struct tool_kept_set *set)
{
	list_each_safe (struct kept, kept, &set->calls, link) {
		char path[PATH_MAX + 16];
		if (set->ended <= TOOL_KEPT_MAX)
			return;
		if (!kept->has_ended)
			continue;
		answer_path(set, kept->id, path);
		(void)unlink(path); /* fails if the file could not be written */
		record_delete(queue_store(set->queue), &kept_kind, kept->id);
		set->ended--;
		kept_free(set, kept);
	}
}

/* Returns the data of the notification, in the form of a job's; the caller frees it. */
static char *make_data(const struct kept *kept, bool is_good, const char *text)
{
	bool is_cut = false;
	char *head = job_record_head(text, strlen(text), &is_cut);
	char *tail = is_cut ? job_record_tail(text, strlen(text), false) : NULL;
	struct json_writer writer;
	struct buf out;
	json_start_object(&writer, &out, NOTIFICATION_DATA_MAX);
	json_put_str(&writer, "command", kept->tool);
	json_put_str(&writer, "state", is_good ? "exited" : "failed");
	json_put_int(&writer, "duration_ms", clock_since_ms(kept->begun_ms));
	json_put_str(&writer, "output", head);
	json_put_given(&writer, "tail", tail);
	json_object_end(&writer);
	mem_free(head);
	mem_free(tail);
	return (char *)buf_steal(&out, NULL);
}

/* Stores a call's end and notification in one transaction; false: they are only in memory. */
static bool settle(struct tool_kept_set *set, struct kept *kept, bool is_good, const char *outcome,
    const char *text)
{
	char *data = make_data(kept, is_good, text);
	bool is_stored;
	struct notification_draft draft = {
	    .source = SOURCE_TOOL,
	    .id = kept->id,
	    .pane = &kept->pane,
	    .text = outcome,
	    .data = data,
	};
	kept->has_ended = true;
	set->ended++;
	queue_begin(set->queue);
	record_put(queue_store(set->queue), &kept_kind, kept->id, kept);
	(void)queue_post(set->queue, &draft);
	is_stored = queue_commit(set->queue) != 0;
	mem_free(data);
	forget(set);
	return is_stored;
}

static bool take(void *data, const char *id, const struct json *value)
{
	struct tool_kept_set *set = data;
	struct kept *kept = xcalloc(1, sizeof *kept);
	strcpy(kept->id, id);
	pane_ref_clear(&kept->pane);
	queue_hold_id(set->queue, id);
	list_append(&set->calls, &kept->link);
	if (record_read(kept_kind.rows, value, kept)) {
		set->ended += kept->has_ended;
		return true;
	}
	kept_free(set, kept);
	return false;
}

/* Writes the file of an answer, which appears whole or not at all. */
static bool write_file(const struct tool_kept_set *set, const char *id, const struct buf *answer)
{
	char path[PATH_MAX + 16], made[PATH_MAX + 16];
	bool is_written;
	int fd;
	answer_path(set, id, path);
	answer_path(set, ".new", made);
	fd = open(made, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	is_written = fd >= 0 && file_write_all(fd, answer->data, answer->len) == 0;
	if (fd >= 0 && close(fd) < 0)
		is_written = false;
	if (!is_written || rename(made, path) < 0)
		log_error("%s: %s", path, strerror(errno));
	else
		return true;
	return false;
}

void tool_kept_begin(struct tool_kept_set *set, const char *tool, const struct pane_ref *pane,
    char ret_id[NOTIFICATION_ID_SIZE])
{
	struct kept *kept = xcalloc(1, sizeof *kept);
	queue_new_id(set->queue, kept->id);
	kept->tool = xstrdup(tool);
	kept->pane = *pane;
	kept->begun_ms = clock_real_ms();
	list_append(&set->calls, &kept->link);
	record_put(queue_store(set->queue), &kept_kind, kept->id, kept);
	strcpy(ret_id, kept->id);
}

static void write_answer(
    struct buf *out, const struct json *result, const struct tool_failure *failure)
{
	struct json_writer writer;
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	if (result != NULL) {
		json_object_begin(&writer, "result");
		method_put_result(&writer, result);
		json_object_end(&writer);
	} else {
		json_put_int(&writer, "error", message_error_info(failure->error)->code);
		json_put_str(&writer, "text", failure->text);
	}
	json_object_end(&writer);
}

/* Returns the text of a result, or else the result as JSON; the caller frees it. */
static char *excerpt_of(const struct json *result)
{
	const char *text = json_get_str(result, "text", NULL);
	return text != NULL ? xstrdup(text) : json_text(result, SIZE_MAX / 4);
}

bool tool_kept_end(struct tool_kept_set *set, const char *id, const struct json *result,
    const struct tool_failure *failure)
{
	struct kept *kept = find(set, id);
	struct buf answer;
	bool is_stored;
	char *text;
	if (kept == NULL || kept->has_ended)
		return true;
	buf_init(&answer, ANSWER_MAX);
	write_answer(&answer, result, failure);
	is_stored = write_file(set, id, &answer);
	buf_finish(&answer);
	text = result != NULL ? excerpt_of(result) : xstrdup(failure->text);
	is_stored &= settle(set, kept, result != NULL, result != NULL ? "done" : failure->text,
	    text != NULL ? text : "");
	mem_free(text);
	return is_stored;
}

void tool_kept_drop(struct tool_kept_set *set, const char *id)
{
	struct kept *kept = find(set, id);
	record_delete(queue_store(set->queue), &kept_kind, id);
	if (kept != NULL)
		kept_free(set, kept);
}

const char *tool_kept_awaited(
    const struct tool_kept_set *set, const char *id, int64_t *ret_begun_ms)
{
	const struct kept *kept = find(set, id);
	if (kept == NULL || !kept->is_awaited)
		return NULL;
	*ret_begun_ms = kept->begun_ms;
	return kept->tool;
}

void tool_kept_take_up(struct tool_kept_set *set, const char *id)
{
	find(set, id)->is_awaited = false;
}

static void lose(void *data)
{
	struct tool_kept_set *set = data;
	list_each_safe (struct kept, kept, &set->calls, link) {
		struct tool_failure gone;
		if (!kept->is_awaited)
			continue;
		kept->is_awaited = false;
		(void)tool_fail(
		    &gone, MESSAGE_GONE, "gone: the daemon ended during the call: effect unknown");
		(void)tool_kept_end(set, kept->id, NULL, &gone);
	}
}

static bool has_servers(const struct job_set *jobs)
{
	next_each (const struct job, job, job_next, jobs)
		if (job->is_program && job->state == JOB_RUNNING)
			return true;
	return false;
}

struct tool_kept_set *tool_kept_set_new(struct event_base *base, struct queue *queue,
    const struct job_set *jobs, const char *state_dir, char *ret_reason, size_t size)
{
	struct tool_kept_set *set = xcalloc(1, sizeof *set);
	bool awaits = false;
	set->queue = queue;
	list_init(&set->calls);
	if ((size_t)snprintf(set->dir, sizeof set->dir, "%s/tool_answers", state_dir) >=
		sizeof set->dir ||
	    (mkdir(set->dir, 0700) < 0 && errno != EEXIST)) {
		(void)snprintf(
		    ret_reason, size, "%.200s/tool_answers: %s", state_dir, strerror(errno));
		mem_free(set);
		return NULL;
	}
	queue_load(queue, &kept_kind, take, set);
	list_each (struct kept, kept, &set->calls, link) {
		kept->is_awaited = !kept->has_ended;
		awaits |= kept->is_awaited;
	}
	set->late = loop_timer_new(base, lose, set);
	if (!has_servers(jobs))
		lose(set);
	else if (awaits) /* only if needed, so that an idle daemon sleeps */
		loop_timer_arm(set->late, LATE_MS);
	return set;
}

void tool_kept_set_free(struct tool_kept_set *set)
{
	if (set == NULL)
		return;
	while (!list_is_empty(&set->calls))
		kept_free(set, list_entry(set->calls.next, struct kept, link));
	loop_timer_free(set->late);
	mem_free(set);
}

static bool read_file(const struct tool_kept_set *set, const char *id, struct buf *out)
{
	char path[PATH_MAX + 16];
	answer_path(set, id, path);
	return file_read(path, O_NOFOLLOW, out) == 0 && out->len > 0;
}

enum tool_kept_state tool_kept_write(const struct tool_kept_set *set, const char *id,
    struct json_writer *writer, const char **ret_tool, struct tool_failure *ret_failure)
{
	const struct kept *kept = find(set, id);
	const struct json *answer = NULL, *result, *text;
	struct json_reader *reader;
	struct json_error error;
	struct buf file;
	if (kept == NULL)
		return TOOL_KEPT_NONE;
	*ret_tool = kept->tool;
	if (!kept->has_ended)
		return TOOL_KEPT_RUNNING;
	buf_init(&file, ANSWER_MAX + 1);
	reader = json_reader_new(ANSWER_MAX + 1);
	if (read_file(set, id, &file))
		answer = json_read(reader, (const char *)file.data, file.len, &error);
	result = json_member(answer, "result");
	text = json_member(answer, "text");
	if (text != NULL || result == NULL) {
		(void)tool_fail(ret_failure, message_error_of(json_member(answer, "error")), "%s",
		    text != NULL ? text->text : "its answer is lost");
		result = NULL;
	}
	method_put_result(writer, result);
	json_reader_free(reader);
	buf_finish(&file);
	return result != NULL ? TOOL_KEPT_ANSWERED : TOOL_KEPT_FAILED;
}
