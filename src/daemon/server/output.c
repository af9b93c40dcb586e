/* SPDX-License-Identifier: ISC */
#include "daemon/server/output.h"

#include <event2/buffer.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "daemon/event/event_log.h"

#define PIECES_MAX 32 /* maximum number of pieces of memory in one write */
#define COPY_BYTES_MAX 2048 /* bytes; longer responses and events are not copied but referenced */

static size_t staged_len(const struct output *output)
{
	return output->stage->user == output ? output->stage->len : 0;
}

static void leave_stage(struct output *output)
{
	if (output->stage->user != output)
		return;
	output->stage->user = NULL;
	output->stage->len = 0;
}

static void free_kept(struct output *output)
{
	if (output->kept != NULL)
		evbuffer_free(output->kept);
	output->kept = NULL;
}

void output_finish(struct output *output)
{
	leave_stage(output);
	free_kept(output);
	output->len = 0;
}

static void note(struct output *output, size_t len)
{
	if (output->len == 0)
		output->moved_ms = clock_mono_ms();
	output->len += len;
}

static int make_kept(struct output *output)
{
	if (output->kept == NULL)
		output->kept = evbuffer_new();
	return output->kept != NULL ? 0 : -1;
}

int output_add(struct output *output, const void *bytes, size_t len)
{
	struct output_stage *stage = output->stage;
	if (output->kept == NULL && (stage->user == NULL || stage->user == output) &&
	    len <= OUTPUT_STAGE_BYTES - stage->len) {
		stage->user = output;
		memcpy(stage->bytes + stage->len, bytes, len);
		stage->len += len;
	} else if (make_kept(output) < 0 || evbuffer_add(output->kept, bytes, len) < 0) {
		return -1;
	}
	note(output, len);
	return 0;
}

/*
 * Adds bytes by reference. Calls release once with data when the bytes are not needed any more,
 * which is at once after a failure.
 */
static int output_add_reference(struct output *output, const void *bytes, size_t len,
    void (*release)(const void *bytes, size_t len, void *data), void *data)
{
	if (make_kept(output) < 0 ||
	    evbuffer_add_reference(output->kept, bytes, len, release, data) < 0) {
		release(bytes, len, data);
		return -1;
	}
	note(output, len);
	return 0;
}

static void free_bytes(const void *bytes UNUSED, size_t len UNUSED, void *data)
{
	mem_free(data);
}

int output_add_buf(struct output *output, struct buf *line)
{
	uint8_t *bytes;
	size_t len;
	if (line->len <= COPY_BYTES_MAX)
		return output_add(output, line->data, line->len);
	bytes = buf_steal(line, &len);
	return output_add_reference(output, bytes, len, free_bytes, bytes);
}

/*
 * Moves the bytes from the stage to the output's own memory. Another peer may use the stage while
 * the socket is full.
 */
static int keep_staged(struct output *output)
{
	size_t len = staged_len(output);
	int r = 0;
	if (len > 0)
		r = make_kept(output) < 0
		    ? -1
		    : evbuffer_prepend(output->kept, output->stage->bytes, len);
	leave_stage(output);
	return r;
}

static void drain(struct output *output, size_t sent)
{
	struct output_stage *stage = output->stage;
	size_t staged = staged_len(output);
	size_t first = sent < staged ? sent : staged;
	output->len -= sent;
	output->moved_ms = clock_mono_ms();
	if (first == staged) {
		leave_stage(output);
	} else {
		stage->len -= first;
		memmove(stage->bytes, stage->bytes + first, stage->len);
	}
	if (sent > first)
		(void)evbuffer_drain(output->kept, sent - first);
	if (output->kept != NULL && evbuffer_get_length(output->kept) == 0)
		free_kept(output);
}

static ssize_t send_pieces(const struct output *output, int fd)
{
	struct evbuffer_iovec kept[PIECES_MAX - 1];
	struct iovec iov[PIECES_MAX];
	struct msghdr message = {.msg_iov = iov};
	size_t staged = staged_len(output);
	int count = evbuffer_peek(output->kept, -1, NULL, kept, PIECES_MAX - 1);
	if (staged > 0)
		iov[message.msg_iovlen++] = (struct iovec){output->stage->bytes, staged};
	for (int i = 0; i < count && i < PIECES_MAX - 1; i++)
		iov[message.msg_iovlen++] = (struct iovec){kept[i].iov_base, kept[i].iov_len};
	return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

enum output_sent output_send(struct output *output, int fd)
{
	ssize_t sent = output->kept != NULL
	    ? send_pieces(output, fd)
	    : send(fd, output->stage->bytes, output->stage->len, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (sent >= 0)
		drain(output, (size_t)sent);
	if (sent >= 0 || errno == EINTR)
		return OUTPUT_SENT_SOME;
	if ((errno == EAGAIN || errno == ENOBUFS) && keep_staged(output) == 0)
		return OUTPUT_SENT_FULL;
	return OUTPUT_SENT_BROKEN;
}

struct backlog_item {
	struct list link;
	struct event_entry *event;
	char subscription[SUBSCRIPTION_NAME_SIZE];
};

void backlog_init(struct backlog *backlog)
{
	list_init(&backlog->items);
	backlog->bytes = 0;
}

void backlog_put(struct backlog *backlog, const char *subscription, struct event_entry *event)
{
	struct backlog_item *item = xcalloc(1, sizeof *item);
	item->event = event_entry_ref(event);
	(void)snprintf(item->subscription, sizeof item->subscription, "%s", subscription);
	list_append(&backlog->items, &item->link);
	backlog->bytes += event->json_len;
}

struct event_entry *backlog_take(
    struct backlog *backlog, char ret_subscription[SUBSCRIPTION_NAME_SIZE])
{
	struct event_entry *event;
	struct backlog_item *item;
	if (list_is_empty(&backlog->items))
		return NULL;
	item = list_entry(backlog->items.next, struct backlog_item, link);
	event = item->event;
	memcpy(ret_subscription, item->subscription, SUBSCRIPTION_NAME_SIZE);
	list_remove(&item->link);
	mem_free(item);
	backlog->bytes -= event->json_len;
	return event;
}

void backlog_finish(struct backlog *backlog)
{
	char name[SUBSCRIPTION_NAME_SIZE];
	struct event_entry *event;
	while ((event = backlog_take(backlog, name)) != NULL)
		event_entry_unref(event);
}

static void drop_reference(const void *bytes UNUSED, size_t len UNUSED, void *data)
{
	event_entry_unref(data);
}

int backlog_write(struct output *output, const char *subscription, struct event_entry *event)
{
	static const char head[] =
	    "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"subscription\":\"";
	static const char tail[] = "}}\n";
	int r = output_add(output, head, sizeof head - 1);
	if (r == 0)
		r = output_add(output, subscription, strlen(subscription));
	if (r == 0)
		r = output_add(output, "\",", 2);
	if (r == 0 && event->json_len <= COPY_BYTES_MAX)
		r = output_add(output, event->json, event->json_len);
	else if (r == 0)
		r = output_add_reference(
		    output, event->json, event->json_len, drop_reference, event_entry_ref(event));
	if (r == 0)
		r = output_add(output, tail, sizeof tail - 1);
	return r;
}

struct response_slot {
	struct list link;
	struct response_row *row;
	void (*gone)(void *data); /* called if the peer disconnects first; NULL: answered */
	void *data;
	bool is_waiting;
	struct buf line; /* the response, held until earlier responses are complete */
	void (*sent)(struct peer *peer, void *data);
	void *sent_data;
};

void response_row_init(
    struct response_row *row, struct peer *peer, bool (*emit)(struct peer *peer, struct buf *line))
{
	*row = (struct response_row){.peer = peer, .emit = emit};
	list_init(&row->slots);
	list_init(&row->waits);
}

struct response_slot *response_row_reserve(
    struct response_row *row, bool is_waiting, void (*gone)(void *data), void *data)
{
	struct response_slot *slot = xcalloc(1, sizeof *slot);
	slot->row = row;
	slot->gone = gone;
	slot->data = data;
	slot->is_waiting = is_waiting;
	buf_init(&slot->line, SIZE_MAX);
	list_append(is_waiting ? &row->waits : &row->slots, &slot->link);
	if (is_waiting)
		row->wait_count++;
	else
		row->count++;
	return slot;
}

void *response_row_find(const struct response_row *row,
    bool (*is_it)(const void *data, const void *key), const void *key)
{
	const struct list *const lists[] = {&row->waits, &row->slots};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		list_each (const struct response_slot, slot, lists[i], link)
			if (slot->gone != NULL && is_it(slot->data, key))
				return slot->data;
	}
	return NULL;
}

struct peer *response_slot_peer(const struct response_slot *slot)
{
	return slot->row->peer;
}

static void slot_free(struct response_slot *slot)
{
	list_remove(&slot->link);
	buf_finish(&slot->line);
	mem_free(slot->sent_data);
	mem_free(slot);
}

void response_row_detach(struct list *slots)
{
	while (!list_is_empty(slots)) {
		struct response_slot *slot = list_entry(slots->next, struct response_slot, link);
		void (*gone)(void *) = slot->gone;
		void *data = slot->data;
		slot_free(slot);
		if (gone != NULL)
			gone(data);
	}
}

static void leave(struct response_slot *slot, struct buf *line)
{
	struct peer *peer = slot->row->peer;
	if (slot->row->emit(peer, line) && slot->sent != NULL)
		slot->sent(peer, slot->sent_data);
	slot_free(slot);
}

static void advance(struct response_row *row)
{
	while (!list_is_empty(&row->slots)) {
		struct response_slot *slot =
		    list_entry(row->slots.next, struct response_slot, link);
		struct buf line;
		if (slot->gone != NULL)
			return;
		row->held_bytes -= slot->line.len;
		line = slot->line;
		buf_init(&slot->line, SIZE_MAX);
		leave(slot, &line);
		buf_finish(&line);
	}
}

void response_row_answer(struct response_slot *slot, struct buf *line,
    void (*sent)(struct peer *peer, void *data), void *sent_data)
{
	struct response_row *row = slot->row;
	slot->gone = NULL;
	slot->sent = sent;
	slot->sent_data = sent_data;
	if (slot->is_waiting) {
		row->wait_count--;
		leave(slot, line);
		return;
	}
	row->count--;
	if (slot->link.prev == &row->slots) {
		leave(slot, line);
		advance(row);
		return;
	}
	slot->line = *line;
	buf_init(line, line->max);
	row->held_bytes += slot->line.len;
}
