/* SPDX-License-Identifier: ISC */
/* Notifications of waits. */
#include <muxbus.h>

#include "daemon/queue/queue.h"
#include "daemon/wait/wait_private.h"
#include "io/loop_timer.h"

enum {
	TEXT_MAX = 256,
	DETAILS_MAX = 8192, /* maximum bytes; longer details are left out */
	FOUND_MAX = 20, /* maximum number of matches with details in one notification */
	POST_MS = 50, /* minimum time between two notifications of a wait that goes on */
};

static void write_background(const struct wait *wait, struct json_writer *writer)
{
	const struct wait_part *part = &wait->parts[0];
	const struct buf *details = &part->condition->details;
	const char *found = (const char *)wait->found.data;
	if (part->pane.pane != MUXBUS_NO_ID)
		json_put_id(writer, "watched_pane", '%', part->pane.pane);
	json_put_raw(writer, "condition", part->spec, strlen(part->spec));
	if (part->condition->has_gap)
		json_put_bool(writer, "gap", true);
	if (wait->first_len > 0)
		json_put_raw(writer, "details", found, wait->first_len);
	else if (wait->found_count == 0 && details->len > 0 && details->len < DETAILS_MAX)
		json_put_raw(writer, "details", (const char *)details->data, details->len);
	if (wait->found.len > wait->first_len) {
		json_array_begin(writer, "further");
		json_put_raw(writer, NULL, found + wait->first_len + 1,
		    wait->found.len - wait->first_len - 1);
		json_array_end(writer);
	}
}

static char *write_data(const struct wait *wait, const char *reason)
{
	struct json_writer writer;
	struct buf out;
	json_start_object(&writer, &out, NOTIFICATION_DATA_MAX);
	json_put_str(&writer, "reason", reason);
	if (wait->kind == WAIT_REQUEST)
		json_put_str(&writer, "wait", wait->name);
	else
		write_background(wait, &writer);
	json_object_end(&writer);
	return (char *)buf_steal(&out, NULL);
}

static bool is_of(const struct wait *wait, const char *kind)
{
	return strcmp(wait->parts[0].condition->kind->name, kind) == 0;
}

/* Returns the exit status of the command; -1: the shell did not report it. */
static int64_t exit_status_of(const struct wait *wait)
{
	const struct buf *details = &wait->parts[0].condition->details;
	struct json_error error;
	int64_t status;
	const struct json *value =
	    json_read(wait->set->reader, (const char *)details->data, details->len, &error);
	return value != NULL && json_int(json_member(value, "exit_status"), &status) ? status : -1;
}

static void write_done(const struct wait *wait, bool is_match, char out[TEXT_MAX])
{
	int64_t status = is_match ? exit_status_of(wait) : -1;
	int len = snprintf(
	    out, TEXT_MAX, "the command in pane %%%" PRIu32 " is done", wait->parts[0].pane.pane);
	if (!is_match)
		snprintf(out + len, TEXT_MAX - (size_t)len, ": its pane is gone");
	else if (status >= 0)
		snprintf(out + len, TEXT_MAX - (size_t)len, ": exit status %" PRId64, status);
}

static void write_text(const struct wait *wait, const char *reason, char out[TEXT_MAX])
{
	bool is_match = strcmp(reason, "match") == 0;
	if (wait->kind == WAIT_REQUEST && is_match)
		snprintf(out, TEXT_MAX, "the wait %s is over: it came true", wait->name);
	else if (wait->kind == WAIT_REQUEST)
		snprintf(out, TEXT_MAX, "the wait %s ended: %s", wait->name, reason);
	else if ((is_match || strcmp(reason, "gone") == 0) && is_of(wait, "prompt"))
		write_done(wait, is_match, out);
	else if (!is_match)
		snprintf(out, TEXT_MAX, "%s ended: %s",
		    wait->kind == WAIT_IDLE ? "the wait for idleness" : "the pane watch", reason);
	else if (wait->kind == WAIT_IDLE)
		snprintf(out, TEXT_MAX, "the processors have been idle as asked");
	else if (wait->found_count > 1)
		snprintf(out, TEXT_MAX, "%u %s of pane %%%" PRIu32 " match", wait->found_count,
		    is_of(wait, "event") ? "events" : "lines", wait->parts[0].pane.pane);
	else if (is_of(wait, "event"))
		snprintf(out, TEXT_MAX, "an event of pane %%%" PRIu32 " came that is watched for",
		    wait->parts[0].pane.pane);
	else
		snprintf(out, TEXT_MAX, "pane %%%" PRIu32 " printed a line that matches",
		    wait->parts[0].pane.pane);
}

void wait_note_match(struct wait *wait)
{
	struct buf *details = &wait->parts[0].condition->details;
	int64_t left_ms = wait->posted_ms + POST_MS - clock_mono_ms();
	if (wait->found_count++ < FOUND_MAX && details->len > 0 && details->len < DETAILS_MAX &&
	    wait->found.len + details->len < WAIT_FOUND_MAX) {
		if (wait->found.len > 0)
			(void)buf_append_byte(&wait->found, ',');
		/* fits, as was checked above */
		(void)buf_append(&wait->found, details->data, details->len);
		if (wait->first_len == 0)
			wait->first_len = wait->found.len;
	}
	buf_clear(details);
	if (left_ms <= 0)
		loop_timer_wake(wait->settled);
	else if (!loop_timer_is_armed(wait->settled))
		loop_timer_arm(wait->settled, left_ms);
}

void wait_post_found(struct wait *wait)
{
	if (wait->found_count == 0)
		return;
	wait->matches += wait->found_count;
	(void)wait_post(wait, "match", false);
	wait->posted_ms = clock_mono_ms();
	buf_finish(&wait->found);
	wait->first_len = wait->found_count = 0;
}

uint64_t wait_post(struct wait *wait, const char *reason, bool is_end)
{
	struct queue *queue = wait->set->parts->queue;
	char text[TEXT_MAX], coalesce[32];
	struct notification_draft draft = {
	    .source = wait->kind == WAIT_PANE ? SOURCE_WATCH : SOURCE_CONDITION,
	    .id = strlen(wait->name) < NOTIFICATION_ID_SIZE ? wait->name : NULL,
	    .pane = &wait->pane,
	    .text = text};
	char *data;
	uint64_t seq;
	if (is_end)
		wait_post_found(wait);
	draft.count = wait->found_count;
	draft.data = data = write_data(wait, reason);
	write_text(wait, reason, text);
	queue_begin(queue);
	if (is_end) {
		wait_record_delete(wait);
	} else {
		snprintf(coalesce, sizeof coalesce, "errand:%.16s", wait->name);
		draft.key = coalesce;
		wait_record_put(wait);
	}
	seq = queue_post(queue, &draft);
	(void)queue_commit(queue);
	mem_free(data);
	return seq;
}
