/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/receipt.h"

#include <muxbus.h>

#include "daemon/event/event_log.h"
#include "daemon/queue/queue.h"

void receipt_begin(struct buf *out, struct json_writer *writer, const char *result, const char *way,
    const char *reason)
{
	json_writer_init(writer, out);
	json_object_begin(writer, NULL);
	json_put_str(writer, "result", result);
	json_put_time(writer, "time", clock_real_ms());
	json_put_given(writer, "way", way);
	if (reason != NULL)
		(void)json_put_text(writer, "reason", reason, strlen(reason));
}

/* Stores a receipt and the new state. Returns false if the notification left the queue. */
static bool receipt_keep(const struct daemon *parts, uint64_t seq, enum notification_state state,
    const struct buf *receipt)
{
	const struct notification *note = queue_find(parts->queue, seq);
	if (note == NULL)
		return false;
	if (note->state == NOTE_ACKNOWLEDGED || note->state == NOTE_CANCELLED)
		state = note->state;
	return queue_set_state(parts->queue, seq, state, (const char *)receipt->data);
}

static void receipt_publish(const struct daemon *parts, uint64_t seq, const struct buf *receipt)
{
	const struct notification *note = queue_find(parts->queue, seq);
	struct event_scope scope = {.window = MUXBUS_NO_ID};
	struct json_writer writer;
	struct buf members;
	json_start(&writer, &members, 2 * RECEIPT_MAX);
	json_put_int(&writer, "notification", (int64_t)seq);
	json_put_str(&writer, "id", note->id);
	json_put_id(&writer, "pane", '%', note->pane.pane);
	if (note->pane.thread[0] != '\0')
		json_put_str(&writer, "thread", note->pane.thread);
	json_put_raw(&writer, "delivery", (const char *)receipt->data, receipt->len);
	scope.pane = note->pane.pane;
	scope.sessions[0] = MUXBUS_NO_ID;
	(void)event_log_publish(
	    parts->events, EVENT_DELIVERY, &scope, (const char *)members.data, members.len, true);
	buf_finish(&members);
}

void receipt_give(const struct daemon *parts, uint64_t seq, enum notification_state state,
    struct buf *receipt, struct json_writer *writer)
{
	json_object_end(writer);
	if (receipt_keep(parts, seq, state, receipt))
		receipt_publish(parts, seq, receipt);
	buf_finish(receipt);
}

void receipt_put_all(const struct daemon *parts, const uint64_t *seqs, size_t count,
    enum notification_state state, const char *result, const char *way, const char *reason)
{
	struct json_writer writer;
	struct buf receipt = BUF(RECEIPT_MAX);
	receipt_begin(&receipt, &writer, result, way, reason);
	json_object_end(&writer);
	queue_begin(parts->queue);
	for (size_t at = 0; at < count; at++)
		(void)receipt_keep(parts, seqs[at], state, &receipt);
	(void)queue_commit(parts->queue);
	for (size_t at = 0; at < count; at++)
		if (queue_find(parts->queue, seqs[at]) != NULL)
			receipt_publish(parts, seqs[at], &receipt);
	buf_finish(&receipt);
}

void receipt_put(const struct daemon *parts, uint64_t seq, enum notification_state state,
    const char *result, const char *way, const char *reason)
{
	receipt_put_all(parts, &seq, 1, state, result, way, reason);
}
