/* SPDX-License-Identifier: ISC */
#include "nats/feed.h"

#include <sys/file.h>
#include <sys/random.h>

#include "base/hash.h"
#include "client/loop_link.h"
#include "io/loop_timer.h"

enum {
	SEQ_AT = CURSOR_ID_SIZE, /* byte offset in "ID SEQ CRC\n"; all fields have fixed widths */
	SEQ_DIGITS = 20,
	CRC_AT = SEQ_AT + SEQ_DIGITS + 1,
	CRC_DIGITS = 8,
	LINE_BYTES = CRC_AT + CRC_DIGITS + 1,
};

struct cursor {
	int fd;
	char id[CURSOR_ID_SIZE];
	uint64_t seq;
	bool is_changed;
	bool has_failed; /* the last write failed */
};

static void format(const struct cursor *cursor, char line[LINE_BYTES + 1])
{
	(void)snprintf(
	    line, LINE_BYTES + 1, "%s %0*" PRIu64 " ", cursor->id, SEQ_DIGITS, cursor->seq);
	(void)snprintf(line + CRC_AT, (size_t)LINE_BYTES + 1 - CRC_AT, "%08" PRIx32 "\n",
	    crc32c(0, line, CRC_AT));
}

static bool load(struct cursor *cursor)
{
	char line[LINE_BYTES + 1] = {0}, check[LINE_BYTES + 1];
	if (pread(cursor->fd, line, LINE_BYTES, 0) != LINE_BYTES ||
	    strspn(line, "0123456789abcdef") != CURSOR_ID_SIZE - 1 ||
	    !str_parse_u64(line + SEQ_AT, SEQ_DIGITS, &cursor->seq))
		return false;
	memcpy(cursor->id, line, CURSOR_ID_SIZE - 1);
	format(cursor, check);
	return memcmp(line, check, LINE_BYTES) == 0;
}

void cursor_renew(struct cursor *cursor)
{
	uint64_t number = 0;
	if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
		log_warning("no random number: %s", strerror(errno));
	(void)snprintf(cursor->id, sizeof cursor->id, "%016" PRIx64, number);
	cursor->seq = 0;
	cursor->is_changed = true;
}

struct cursor *cursor_open(const char *path, char *ret_reason, size_t size)
{
	struct cursor *cursor = xcalloc(1, sizeof *cursor);
	cursor->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (cursor->fd < 0 || flock(cursor->fd, LOCK_EX | LOCK_NB) < 0) {
		(void)str_refuse(ret_reason, size, "%s: %s", path,
		    errno == EWOULDBLOCK ? "another muxbus-nats holds it" : strerror(errno));
		if (cursor->fd >= 0)
			(void)close(cursor->fd);
		mem_free(cursor);
		return NULL;
	}
	if (!load(cursor)) {
		cursor_renew(cursor);
		cursor_keep(cursor);
	}
	return cursor;
}

void cursor_close(struct cursor *cursor)
{
	if (cursor == NULL)
		return;
	cursor_keep(cursor);
	(void)close(cursor->fd);
	mem_free(cursor);
}

const char *cursor_id(const struct cursor *cursor)
{
	return cursor->id;
}

uint64_t cursor_seq(const struct cursor *cursor)
{
	return cursor->seq;
}

void cursor_set(struct cursor *cursor, uint64_t seq)
{
	if (seq <= cursor->seq)
		return;
	cursor->seq = seq;
	cursor->is_changed = true;
}

void cursor_keep(struct cursor *cursor)
{
	char line[LINE_BYTES + 1];
	bool has_failed;
	if (!cursor->is_changed)
		return;
	format(cursor, line);
	has_failed = pwrite(cursor->fd, line, LINE_BYTES, 0) != LINE_BYTES;
	if (has_failed && !cursor->has_failed)
		log_error("the cursor is not kept: %s", strerror(errno));
	cursor->has_failed = has_failed;
	cursor->is_changed = has_failed;
}

enum {
	PAGE = 100, /* notifications per request */
	ACK_MS = 200, /* between two acknowledgements; each is a record in the daemon's journal */
	RETRY_MS = 3000, /* after a request that muxbusd has refused */
	PAYLOAD_SPARE = 4096,
};

struct feed {
	struct feed_options options;
	struct cursor *cursor;
	struct broker *broker;
	struct publisher *publisher;
	struct loop_link *daemon;
	struct loop_timer *later; /* for acknowledge() and list_notes() */
	uint64_t event_added; /* number of the last event taken; at first that of the cursor */
	uint64_t note_added, note_stored, note_acked;
	char subscription[32]; /* id of the subscription; "" if none */
	bool has_place; /* note_added holds the consumer's position */
	bool is_listing, is_acking;
	bool is_refused; /* the last acknowledgement was refused */
	bool wants_list; /* list again when there is room */
	int64_t page; /* notifications per request; 1 after a page was too large for one answer */
	struct buf payload;
};

static void subscribe(struct feed *feed);
static void list_notes(struct feed *feed);

/* Begins a payload. If it is too large for NATS, the writer cuts it and marks it as truncated. */
static void begin_payload(struct feed *feed, struct json_writer *writer)
{
	size_t max = broker_payload_max(feed->broker);
	max = max > 0 ? max : (size_t)1024 * 1024;
	feed->payload.max = max - (max > 2 * PAYLOAD_SPARE ? PAYLOAD_SPARE : max / 2);
	buf_clear(&feed->payload);
	json_writer_init(writer, &feed->payload);
	json_object_begin(writer, NULL);
}

/* Writes the payload: host and server, then the object's members without the subscription. */
static void write_payload(struct feed *feed, const struct json *value)
{
	const struct names *names = feed->options.names;
	struct json_writer writer;
	begin_payload(feed, &writer);
	json_put_str(&writer, "host", names->host);
	json_put_str(&writer, "server", names->server);
	json_each_member (member, value)
		if (strcmp(member->name, "subscription") != 0)
			json_put_value(&writer, member->name, member);
	json_object_end(&writer);
}

static void publish(struct feed *feed, enum publisher_kind kind, uint64_t seq, const char *rest,
    const char *token, const char *id)
{
	char subject[NAME_SUBJECT_SIZE];
	const struct publisher_message message = {.kind = kind,
	    .seq = seq,
	    .subject = subject,
	    .id = id,
	    .payload = feed->payload.data,
	    .len = feed->payload.len};
	name_subject(subject, feed->options.names, rest, name_is_token(token) ? token : "other");
	publisher_add(feed->publisher, &message);
	if (!publisher_has_room(feed->publisher))
		loop_link_pause(feed->daemon, true);
}

static void publish_gap(
    struct feed *feed, enum publisher_kind kind, const struct json *gap, uint64_t from, uint64_t to)
{
	bool is_event = kind == PUBLISHER_EVENT;
	char id[PUBLISHER_ID_SIZE];
	(void)snprintf(id, sizeof id, "%s-gap-%s-%" PRIu64 "-%" PRIu64, cursor_id(feed->cursor),
	    is_event ? "e" : "n", from, to);
	log_warning("%s %" PRIu64 " to %" PRIu64 " are lost: muxbusd does not remember them",
	    is_event ? "events" : "notifications", from, to);
	write_payload(feed, gap);
	publish(feed, kind, to, is_event ? "event" : "notification", "gap", id);
}

static bool read_seq(const struct json *object, const char *name, uint64_t *ret_seq)
{
	int64_t number;
	if (!json_int(json_member(object, name), &number) || number <= 0)
		return false;
	*ret_seq = (uint64_t)number;
	return true;
}

static void publish_object(struct feed *feed, enum publisher_kind kind, const struct json *object,
    uint64_t seq, const char *token)
{
	char id[PUBLISHER_ID_SIZE];
	(void)snprintf(id, sizeof id, "%s-%" PRIu64, cursor_id(feed->cursor), seq);
	write_payload(feed, object);
	publish(feed, kind, seq, kind == PUBLISHER_EVENT ? "event" : "notification", token, id);
}

static void ignore_answer(void *data UNUSED, const struct json *response UNUSED)
{
}

/* Handles a gap. If we read too slowly, subscribes again for the events that muxbusd remembers. */
static void take_gap(struct feed *feed, const struct json *params, uint64_t from, uint64_t to)
{
	char name[64];
	if (strcmp(json_get_str(params, "reason", ""), "slow") == 0) {
		(void)snprintf(name, sizeof name, "{\"subscription\":\"%s\"}", feed->subscription);
		(void)loop_link_ask(feed->daemon, "unsubscribe", name, ignore_answer, NULL);
		feed->subscription[0] = '\0';
		subscribe(feed);
	} else if (to > feed->event_added) {
		publish_gap(feed, PUBLISHER_EVENT, params, from, to);
		feed->event_added = to;
	}
}

static void on_event(void *data, const struct json *params)
{
	struct feed *feed = data;
	const char *kind = json_get_str(params, "kind", "");
	uint64_t seq, from, to;
	if (strcmp(json_get_str(params, "subscription", ""), feed->subscription) != 0)
		return; /* from a subscription that has ended */
	if (strcmp(kind, "gap") == 0 && read_seq(params, "from", &from) &&
	    read_seq(params, "to", &to)) {
		take_gap(feed, params, from, to);
		return;
	}
	if (!read_seq(params, "seq", &seq))
		return;
	if (strcmp(kind, "notification") == 0) {
		if (seq > feed->note_added)
			list_notes(feed);
	} else if (seq > feed->event_added) {
		publish_object(feed, PUBLISHER_EVENT, params, seq, kind);
	}
	if (seq > feed->event_added)
		feed->event_added = seq;
}

/* Starts over, since muxbusd has begun a new journal, whose numbers are below the cursor. */
static void begin_again(struct feed *feed)
{
	log_warning("muxbusd has a new journal: its numbers begin again");
	cursor_renew(feed->cursor);
	feed->event_added = 0;
	feed->note_added = feed->note_stored = feed->note_acked = 0;
	feed->has_place = false;
	subscribe(feed);
}

static void on_subscribed(void *data, const struct json *response)
{
	struct feed *feed = data;
	const struct json *result = json_member(response, "result");
	const struct json *error = json_member(response, "error");
	int64_t last;
	if (response == NULL)
		return;
	if (result != NULL) {
		(void)snprintf(feed->subscription, sizeof feed->subscription, "%s",
		    json_get_str(result, "subscription", ""));
		feed->wants_list = true;
		list_notes(feed);
	} else if (json_int(json_member(json_member(error, "data"), "last"), &last) &&
	    (uint64_t)last < feed->event_added) {
		begin_again(feed);
	} else {
		log_error(
		    "muxbusd refuses the subscription: %s", json_get_str(error, "message", ""));
	}
}

static void write_kinds(struct json_writer *writer, const char *kinds)
{
	char *copy = xstrdup(kinds), *rest = copy, *one;
	json_array_begin(writer, "kinds");
	while ((one = strsep(&rest, ",")) != NULL)
		if (*one != '\0' && strcmp(kinds, "none") != 0)
			json_put_str(writer, NULL, one);
	json_put_str(writer, NULL, "notification");
	json_array_end(writer);
	mem_free(copy);
}

static void subscribe(struct feed *feed)
{
	struct json_writer writer;
	struct buf params;
	json_start_object(&writer, &params, 16384);
	json_put_int(&writer, "after", (int64_t)feed->event_added);
	if (feed->options.kinds != NULL)
		write_kinds(&writer, feed->options.kinds);
	json_object_end(&writer);
	(void)loop_link_ask(feed->daemon, "subscribe", buf_text(&params), on_subscribed, feed);
	buf_finish(&params);
}

static void take_note(struct feed *feed, const struct json *note)
{
	uint64_t seq;
	if (!read_seq(note, "seq", &seq) || seq <= feed->note_added)
		return;
	publish_object(feed, PUBLISHER_NOTIFICATION, note, seq, json_get_str(note, "source", ""));
	feed->note_added = seq;
}

static void on_list(void *data, const struct json *response)
{
	struct feed *feed = data;
	const struct json *result = json_member(response, "result");
	const struct json *notes = json_member(result, "notifications");
	const struct json *gap = json_member(result, "gap");
	uint64_t from, to;
	feed->is_listing = false;
	if (response == NULL)
		return;
	if (notes == NULL) {
		log_error("muxbusd does not list notifications: %s",
		    json_get_str(json_member(response, "error"), "message", ""));
		feed->wants_list = true;
		loop_timer_arm(feed->later, RETRY_MS);
		return;
	}
	if (json_member(result, "truncated") != NULL && feed->page > 1) {
		feed->page = 1; /* the answer was too large: list one notification at a time */
		list_notes(feed);
		return;
	}
	if (read_seq(gap, "from", &from) && read_seq(gap, "to", &to) && to > feed->note_added) {
		publish_gap(feed, PUBLISHER_NOTIFICATION, gap, from, to);
		feed->note_added = to;
	}
	json_each (note, notes)
		take_note(feed, note);
	feed->has_place |= notes->count > 0;
	feed->wants_list |= notes->count == (size_t)feed->page;
	feed->page = PAGE;
	if (feed->wants_list)
		list_notes(feed);
}

/* Requests the next page of notifications, now or when the publisher has room. */
static void list_notes(struct feed *feed)
{
	char params[256];
	feed->wants_list = true;
	if (feed->is_listing || feed->subscription[0] == '\0' ||
	    !publisher_has_room(feed->publisher))
		return;
	if (feed->has_place)
		(void)snprintf(params, sizeof params,
		    "{\"after\":%" PRIu64 ",\"limit\":%" PRId64 "}", feed->note_added, feed->page);
	else
		(void)snprintf(params, sizeof params, "{\"consumer\":\"%s\",\"limit\":%" PRId64 "}",
		    feed->options.consumer, feed->page);
	feed->is_listing = loop_link_ask(feed->daemon, "list_notifications", params, on_list, feed);
	feed->wants_list = !feed->is_listing;
}

static void on_acked(void *data, const struct json *response)
{
	struct feed *feed = data;
	const struct json *error = json_member(response, "error");
	feed->is_acking = false;
	feed->is_refused = error != NULL;
	if (error != NULL)
		log_error("muxbusd does not take an acknowledgement: %s",
		    json_get_str(error, "message", ""));
	if (error != NULL)
		feed->note_acked = 0;
	if (response != NULL && feed->note_acked < feed->note_stored)
		loop_timer_arm(feed->later, error != NULL ? RETRY_MS : ACK_MS);
}

static void acknowledge(struct feed *feed)
{
	char params[256];
	if (feed->is_acking || feed->note_acked >= feed->note_stored)
		return;
	(void)snprintf(params, sizeof params,
	    "{\"up_to\":%" PRIu64 ",\"consumer\":\"%s\",\"settle\":false}", feed->note_stored,
	    feed->options.consumer);
	feed->is_acking = loop_link_ask(feed->daemon, "ack_notification", params, on_acked, feed);
	if (feed->is_acking)
		feed->note_acked = feed->note_stored;
}

static void on_later(void *data)
{
	struct feed *feed = data;
	acknowledge(feed);
	if (feed->wants_list)
		list_notes(feed);
}

bool feed_end(struct feed *feed)
{
	if (!feed->is_refused)
		acknowledge(feed);
	return feed->is_acking;
}

static void on_stored(void *data, enum publisher_kind kind, uint64_t seq)
{
	struct feed *feed = data;
	if (kind == PUBLISHER_EVENT) {
		if (seq <= feed->event_added)
			cursor_set(feed->cursor, seq);
		return;
	}
	if (seq > feed->note_stored && seq <= feed->note_added)
		feed->note_stored = seq;
	if (!loop_timer_is_armed(feed->later))
		loop_timer_arm(feed->later, ACK_MS);
}

static const struct buf *cut_payload(void *data, const void *payload, size_t len)
{
	struct feed *feed = data;
	struct json_reader *reader = json_reader_new(len);
	struct json_error error;
	const struct json *value = json_read(reader, payload, len, &error);
	struct json_writer writer;
	buf_clear(&feed->payload);
	if (value != NULL) {
		begin_payload(feed, &writer);
		json_each_member (member, value)
			json_put_value(&writer, member->name, member);
		json_object_end(&writer);
	}
	json_reader_free(reader);
	return &feed->payload;
}

static void on_room(void *data)
{
	struct feed *feed = data;
	loop_link_pause(feed->daemon, false);
	if (feed->wants_list)
		list_notes(feed);
}

static void on_up(void *data)
{
	struct feed *feed = data;
	log_info("connected to muxbusd");
	feed->note_acked = 0; /* the last acknowledgement may be lost */
	subscribe(feed);
	if (feed->note_stored > 0)
		loop_timer_arm(feed->later, ACK_MS);
}

static void on_down(void *data, int error)
{
	struct feed *feed = data;
	if (feed->subscription[0] != '\0')
		log_warning("muxbusd is lost: %s", loop_link_reason(error));
	feed->subscription[0] = '\0';
	feed->is_listing = feed->is_acking = false;
}

struct feed *feed_new(struct event_base *base, const struct feed_options *options,
    struct cursor *cursor, struct broker *broker)
{
	struct feed *feed = xcalloc(1, sizeof *feed);
	const struct publisher_handlers stored = {on_stored, on_room, cut_payload, feed};
	const struct loop_link_options daemon = {
	    .path = options->socket, .line_max = LINK_LINE_MAX};
	const struct loop_link_handlers handlers = {
	    .up = on_up, .down = on_down, .event = on_event, .data = feed};
	feed->options = *options;
	feed->cursor = cursor;
	feed->broker = broker;
	feed->event_added = cursor_seq(cursor);
	feed->page = PAGE;
	buf_init(&feed->payload, 0);
	feed->publisher = publisher_new(base, broker, &stored);
	feed->daemon = loop_link_new(base, &daemon, &handlers);
	feed->later = loop_timer_new(base, on_later, feed);
	return feed;
}

void feed_free(struct feed *feed)
{
	if (feed == NULL)
		return;
	loop_link_free(feed->daemon);
	publisher_free(feed->publisher);
	loop_timer_free(feed->later);
	buf_finish(&feed->payload);
	mem_free(feed);
}

void feed_start(struct feed *feed)
{
	loop_link_start(feed->daemon);
}

struct publisher *feed_publisher(struct feed *feed)
{
	return feed->publisher;
}

void feed_turn(struct feed *feed)
{
	cursor_keep(feed->cursor);
}
