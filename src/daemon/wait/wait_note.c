/* SPDX-License-Identifier: ISC */
/* Notifications of waits. */
#include <muxbus.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "daemon/queue/queue.h"
#include "daemon/wait/wait_private.h"

enum {
	TEXT_MAX = 256,
	DETAILS_MAX = 8192, /* longer ones are left out */
};

/* The data of a background wait: what came true, and why. */
static void write_background(const struct wait *wait, struct json_writer *writer)
{
	const struct wait_part *part = &wait->parts[0];
	const struct buf *details = &part->condition->details;
	if (part->pane.pane != MUXBUS_NO_ID)
		json_put_id(writer, "watched_pane", '%', part->pane.pane);
	json_put_raw(writer, "condition", part->spec, strlen(part->spec));
	if (details->len > 0 && details->len < DETAILS_MAX)
		json_put_raw(writer, "details", (const char *)details->data, details->len);
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

/* Whether a background wait is for a condition of that kind. */
static bool is_of(const struct wait *wait, const char *kind)
{
	return strcmp(wait->parts[0].condition->kind->name, kind) == 0;
}

/* The exit status in the details of a prompt; -1: the shell did not report one. */
static int64_t exit_status_of(const struct wait *wait)
{
	const struct buf *details = &wait->parts[0].condition->details;
	struct json_error error;
	int64_t status;
	const struct json *value =
	    json_read(wait->set->reader, (const char *)details->data, details->len, &error);
	return value != NULL && json_int(json_member(value, "exit_status"), &status) ? status : -1;
}

/* The command of a pane is done. */
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

/* One line for people, by kind and reason. */
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
	else if (is_of(wait, "event"))
		snprintf(out, TEXT_MAX, "an event of pane %%%" PRIu32 " came that is watched for",
		    wait->parts[0].pane.pane);
	else
		snprintf(out, TEXT_MAX, "pane %%%" PRIu32 " printed a line that matches",
		    wait->parts[0].pane.pane);
}

uint64_t wait_post(struct wait *wait, const char *reason, bool is_end)
{
	struct queue *queue = wait->set->parts.queue;
	char text[TEXT_MAX], coalesce[32];
	char *data = write_data(wait, reason);
	struct notification_draft draft = {
	    .source = wait->kind == WAIT_PANE ? SOURCE_WATCH : SOURCE_CONDITION,
	    .id = strlen(wait->name) < NOTIFICATION_ID_SIZE ? wait->name : NULL,
	    .pane = &wait->pane,
	    .text = text,
	    .data = data,
	};
	uint64_t seq;
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
