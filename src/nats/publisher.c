/* SPDX-License-Identifier: ISC */
#include "nats/publisher.h"

#include "io/loop_timer.h"

enum {
	ACK_MS = 2000, /* timeout of a message; then it is sent again */
	HOLD_MIN_MS = 250, /* first delay after a refusal; it doubles with each refusal in a row */
	HOLD_MAX_MS = 30000, /* longest delay after a refusal */
	HOLD_UNHEARD_MS = 2000, /* longest delay without a reply; electing a leader takes seconds */
	FLIGHT_MAX = 1024, /* messages sent and not acknowledged */
};

enum message_state { MESSAGE_WAITS, MESSAGE_SENT, MESSAGE_STORED };

/* A message in the window. It stays there until it and all earlier messages are stored. */
struct stream_message {
	struct list link;
	struct publisher *publisher;
	enum message_state state;
	enum publisher_kind kind;
	uint64_t seq;
	char id[PUBLISHER_ID_SIZE], *subject;
	size_t len;
	char payload[];
};

struct publisher {
	struct broker *broker;
	struct publisher_handlers handlers;
	struct loop_timer *hold; /* while armed, nothing is sent */
	int64_t hold_ms;
	struct list messages;
	struct list *next; /* link of the next message to look at, or &messages */
	size_t in_flight;
	bool is_running, was_full;
	struct publisher_status status;
	char reason[BROKER_REASON_SIZE];
};

static void on_reply(void *data, const struct broker_message *reply, const char *reason);
static void hold(struct publisher *publisher, const char *reason, int64_t max_ms);

/* Cuts a message again: after a restart, NATS may accept less than when the message was made. */
static void cut(struct publisher *publisher, struct stream_message *message)
{
	const struct buf *shorter =
	    publisher->handlers.cut(publisher->handlers.data, message->payload, message->len);
	if (shorter->len == 0 || shorter->len >= message->len)
		return;
	publisher->status.bytes -= message->len - shorter->len;
	message->len = shorter->len;
	memcpy(message->payload, shorter->data, shorter->len);
}

static bool send_message(struct publisher *publisher, struct stream_message *message)
{
	const struct broker_header header = {"Nats-Msg-Id", message->id};
	size_t max = broker_payload_max(publisher->broker);
	bool is_up = broker_is_up(publisher->broker);
	char reason[128];
	if (is_up && message->len > max)
		cut(publisher, message);
	if (broker_ask(publisher->broker, message->subject, &header, message->payload, message->len,
		ACK_MS, on_reply, message)) {
		message->state = MESSAGE_SENT;
		publisher->in_flight++;
		return true;
	}
	if (is_up) {
		(void)snprintf(reason, sizeof reason,
		    "NATS takes no message of %zu bytes: its max_payload is %zu, or it takes no "
		    "headers",
		    message->len, max);
		hold(publisher, reason, HOLD_MAX_MS);
	}
	return false;
}

static void send_waiting(struct publisher *publisher)
{
	while (publisher->is_running && !loop_timer_is_armed(publisher->hold) &&
	    publisher->in_flight < FLIGHT_MAX && publisher->next != &publisher->messages) {
		struct stream_message *message =
		    list_entry(publisher->next, struct stream_message, link);
		if (message->state == MESSAGE_WAITS && !send_message(publisher, message))
			return;
		publisher->next = publisher->next->next;
	}
}

static void on_hold_over(void *data)
{
	struct publisher *publisher = data;
	publisher->next = publisher->messages.next;
	send_waiting(publisher);
}

struct publisher *publisher_new(
    struct event_base *base, struct broker *broker, const struct publisher_handlers *handlers)
{
	struct publisher *publisher = xcalloc(1, sizeof *publisher);
	publisher->broker = broker;
	publisher->handlers = *handlers;
	publisher->hold = loop_timer_new(base, on_hold_over, publisher);
	list_init(&publisher->messages);
	publisher->next = &publisher->messages;
	return publisher;
}

static void message_free(struct stream_message *message)
{
	list_remove(&message->link);
	mem_free(message->subject);
	mem_free(message);
}

void publisher_free(struct publisher *publisher)
{
	if (publisher == NULL)
		return;
	while (!list_is_empty(&publisher->messages))
		message_free(list_entry(publisher->messages.next, struct stream_message, link));
	loop_timer_free(publisher->hold);
	mem_free(publisher);
}

bool publisher_has_room(const struct publisher *publisher)
{
	return publisher->status.waiting < PUBLISHER_WINDOW &&
	    publisher->status.bytes < PUBLISHER_WINDOW_BYTES;
}

static void advance(struct publisher *publisher)
{
	uint64_t stored[PUBLISHER_KIND_COUNT_] = {0};
	while (!list_is_empty(&publisher->messages)) {
		struct stream_message *message =
		    list_entry(publisher->messages.next, struct stream_message, link);
		if (message->state != MESSAGE_STORED)
			break;
		stored[message->kind] = message->seq;
		publisher->status.waiting--;
		publisher->status.bytes -= message->len;
		if (publisher->next == &message->link)
			publisher->next = message->link.next;
		message_free(message);
	}
	for (int kind = 0; kind < PUBLISHER_KIND_COUNT_; kind++) {
		if (stored[kind] > 0)
			publisher->handlers.stored(
			    publisher->handlers.data, (enum publisher_kind)kind, stored[kind]);
	}
	if (publisher->was_full && publisher_has_room(publisher)) {
		publisher->was_full = false;
		publisher->handlers.room(publisher->handlers.data);
	}
}

/* Handles a refusal or a missing reply: after a delay, waiting messages are sent again. */
static void hold(struct publisher *publisher, const char *reason, int64_t max_ms)
{
	publisher->status.refused++;
	if (publisher->status.reason == NULL || strcmp(publisher->reason, reason) != 0)
		log_warning("events and notifications wait: %s", reason);
	(void)snprintf(publisher->reason, sizeof publisher->reason, "%s", reason);
	publisher->status.reason = publisher->reason;
	if (loop_timer_is_armed(publisher->hold))
		return;
	publisher->hold_ms = publisher->hold_ms == 0 ? HOLD_MIN_MS
	    : publisher->hold_ms * 2 > max_ms        ? max_ms
						     : publisher->hold_ms * 2;
	loop_timer_arm(publisher->hold, publisher->hold_ms);
}

static void on_reply(void *data, const struct broker_message *reply, const char *reason)
{
	struct stream_message *message = data;
	struct publisher *publisher = message->publisher;
	struct js_reply result;
	js_reply_read(&result, reply, reason);
	publisher->in_flight--;
	if (result.is_error || result.seq <= 0) {
		message->state = MESSAGE_WAITS;
		hold(publisher, result.is_error ? result.text : "the reply has no number",
		    reply == NULL ? HOLD_UNHEARD_MS : HOLD_MAX_MS);
		return;
	}
	message->state = MESSAGE_STORED;
	publisher->status.stored++;
	if (!loop_timer_is_armed(publisher->hold) && publisher->status.reason != NULL) {
		publisher->status.reason = NULL;
		publisher->hold_ms = 0;
		log_info("events and notifications are stored again");
	}
	if (publisher->messages.next == &message->link)
		advance(publisher);
	send_waiting(publisher);
}

void publisher_add(struct publisher *publisher, const struct publisher_message *from)
{
	struct stream_message *message = xalloc(sizeof *message + from->len);
	*message = (struct stream_message){.publisher = publisher,
	    .kind = from->kind,
	    .seq = from->seq,
	    .subject = xstrdup(from->subject),
	    .len = from->len};
	(void)snprintf(message->id, sizeof message->id, "%s", from->id);
	memcpy(message->payload, from->payload, from->len);
	list_append(&publisher->messages, &message->link);
	if (publisher->next == &publisher->messages)
		publisher->next = &message->link;
	publisher->status.waiting++;
	publisher->status.bytes += from->len;
	publisher->was_full |= !publisher_has_room(publisher);
	send_waiting(publisher);
}

void publisher_run(struct publisher *publisher, bool is_running)
{
	publisher->is_running = is_running;
	if (!is_running)
		return;
	publisher->hold_ms = 0;
	loop_timer_disarm(publisher->hold);
	on_hold_over(publisher);
}

void publisher_status(const struct publisher *publisher, struct publisher_status *out)
{
	*out = publisher->status;
}
