/* SPDX-License-Identifier: ISC */
/* Methods of the queue: posting, listing, acknowledging, cancelling. */
#include "base/hash.h"
#include "base/stripper.h"
#include "daemon/deliver/wake.h"
#include "daemon/methods/queue_shared.h"
#include "daemon/methods/tables.h"
#include "daemon/queue/store.h"
#include "daemon/server/handler.h"
#include "daemon/server/repeat.h"
#include "wire/page.h"

enum { DATA_MAX = NOTIFICATION_DATA_MAX };

static const char *const state_choices[] = {
    "queued", "delivering", "delivered", "acknowledged", "cancelled", "failed", NULL};
static const char *const urgency_choices[] = {"normal", "high", NULL};

static const struct field_result post_results[] = {
    {"seq", "integer", "the number of the notification"},
    {"id", "string", "its id"},
    {"durable", "boolean", "whether it survives kill -9; with sync a power cut"},
    WAKE_RESULTS,
    {"repeated", "boolean", "true: it is an older one with the same key"},
    {NULL, NULL, NULL},
};

static const struct field_result ack_results[] = {
    {"acknowledged", "integer", "how many were not acknowledged before"},
    DURABLE_RESULTS,
    {NULL, NULL, NULL},
};

static const struct field_result cancel_results[] = {
    {"seq", "integer", "the notification that is cancelled"},
    DURABLE_RESULTS,
    {NULL, NULL, NULL},
};

struct queue_list_args {
	int64_t after;
	bool has_after;
	int64_t limit;
	int state;
	const char *pane;
	const char *consumer;
};

static const struct field list_fields[] = {
    {FIELD_ROW(INT, struct queue_list_args, after, "after"),
	.given_offset = offsetof(struct queue_list_args, has_after), .max = JSON_INT_MAX,
	.help = "Begin behind this number."},
    {FIELD_ROW(INT, struct queue_list_args, limit, "limit"), .min = 1, .max = QUEUE_LIST_MAX,
	.preset = "100", .help = "How many at most; fewer if they are large."},
    {FIELD_ROW(CHOICE, struct queue_list_args, state, "state"), .choices = state_choices,
	.help = "Only those in this state."},
    {FIELD_ROW(STRING, struct queue_list_args, pane, "pane"),
	.help = "Only those addressed to this pane."},
    {FIELD_ROW(STRING, struct queue_list_args, consumer, "consumer"), .flags = FIELD_KEPT,
	.help = "Begin behind what this consumer has acknowledged."},
    {.name = NULL},
};

static void list_notifications(struct request *request, const void *data)
{
	const struct queue_list_args *args = data;
	struct queue *queue = request_daemon(request)->queue;
	const struct muxbus_pane *pane = NULL;
	const struct notification *note;
	uint64_t after = (uint64_t)args->after, last, shown = 0;
	struct consumer *consumer = NULL;
	struct json_writer *writer;
	struct pane_ref ref;
	struct page page;
	if (!queue_check_after(request, args->after))
		return;
	if (args->pane != NULL &&
	    (requester_look_first(request, args->pane) || !target_pane(request, args->pane, &pane)))
		return;
	if (pane != NULL) /* a pane with this id in an earlier tmux server must not match */
		pane_ref_of(request_daemon(request)->tmux, pane->id, &ref);
	if (args->consumer != NULL) {
		consumer = queue_get_consumer(request, args->consumer);
		if (consumer == NULL)
			return;
		if (!args->has_after)
			after = consumer_floor(consumer);
	}
	writer = request_result(request);
	page_begin(&page, writer, "notifications",
	    (size_t)request_daemon(request)->config->limits.result_bytes, 0, args->limit);
	last = queue_last(queue) > after ? queue_last(queue) : after;
	for (note = queue_after(queue, after); note != NULL; note = queue_next(queue, note)) {
		if (pane != NULL && !pane_ref_same_pane(&note->pane, &ref))
			continue;
		if (args->state >= 0 && note->state != (enum notification_state)args->state)
			continue;
		if (!page_takes(&page))
			break;
		if (requester_look_for(request, &note->pane))
			return;
		notification_write_entry(writer, request_daemon(request)->tmux, note);
		if (!page_keeps(&page))
			break;
		if (role_may_take(request, &note->pane))
			queue_note_told(queue, note->seq);
		shown = note->seq;
	}
	json_array_end(writer);
	json_put_int(writer, "last", (int64_t)(page.has_more ? shown : last));
	json_put_bool(writer, "more", page.has_more);
	notification_write_gap(writer, queue, after);
	if (consumer != NULL)
		json_put_int(writer, "parked", (int64_t)consumer_parked(consumer, false));
	request_done(request);
}

struct ack_args {
	int64_t seq;
	bool has_seq;
	int64_t up_to;
	bool has_up_to;
	const char *consumer;
	bool settle;
};

static const struct field ack_fields[] = {
    {FIELD_ROW(INT, struct ack_args, seq, "seq"),
	.given_offset = offsetof(struct ack_args, has_seq), .max = JSON_INT_MAX,
	.help = "The one to acknowledge."},
    {FIELD_ROW(INT, struct ack_args, up_to, "up_to"),
	.given_offset = offsetof(struct ack_args, has_up_to), .max = JSON_INT_MAX,
	.help = "Acknowledge all up to this one."},
    {FIELD_ROW(STRING, struct ack_args, consumer, "consumer"), .flags = FIELD_KEPT,
	.help = "For this named consumer; left out: the notification itself is settled."},
    {FIELD_ROW(BOOL, struct ack_args, settle, "settle"), .flags = FIELD_RARE, .preset = "true",
	.help =
	    "With false and a consumer, only the place of the consumer advances: the "
	    "notification is still delivered to its pane. For a consumer that copies the queue."},
    {.name = NULL},
};

static unsigned settle(struct queue *queue, uint64_t from, uint64_t to)
{
	const struct notification *note;
	unsigned count = 0;
	queue_begin(queue);
	for (note = queue_after(queue, from - 1); note != NULL && note->seq <= to;
	     note = queue_next(queue, note)) {
		if (note->state == NOTE_ACKNOWLEDGED || note->state == NOTE_CANCELLED)
			continue;
		count += queue_set_state(queue, note->seq, NOTE_ACKNOWLEDGED, NULL);
	}
	(void)queue_commit(queue);
	return count;
}

/* Finds the pane that an acknowledgement affects; none for a range, which may have many panes. */
static bool affects_acked(struct request *request, const void *data, struct pane_ref *ret_pane)
{
	const struct ack_args *args = data;
	const struct notification *note =
	    queue_find(request_daemon(request)->queue, (uint64_t)args->seq);
	if (note == NULL && !args->has_up_to)
		return role_affects_caller(request, data, ret_pane); /* the handler fails */
	pane_ref_clear(ret_pane);
	if (note != NULL && !args->has_up_to)
		*ret_pane = note->pane;
	return true;
}

static void ack_notification(struct request *request, const void *data)
{
	const struct ack_args *args = data;
	struct queue *queue = request_daemon(request)->queue;
	uint64_t number = (uint64_t)(args->has_seq ? args->seq : args->up_to);
	struct consumer *consumer;
	unsigned count;
	if (args->has_seq == args->has_up_to) {
		request_fail_field(request, "seq", "give either seq or up_to");
		return;
	}
	if (args->has_seq && queue_find(queue, number) == NULL && number > queue_last(queue)) {
		request_fail_field(
		    request, "seq", "there is no notification %" PRIu64 " yet", number);
		return;
	}
	if (args->consumer == NULL && !args->settle) {
		request_fail_field(request, "settle", "false goes with consumer");
		return;
	}
	if (args->consumer != NULL) {
		consumer = queue_get_consumer(request, args->consumer);
		if (consumer == NULL)
			return;
		count = args->settle ? consumer_acknowledge(consumer, number, args->has_up_to)
				     : consumer_pass(consumer, number, args->has_up_to);
	} else {
		count = settle(queue, args->has_seq ? number : 1, number);
	}
	json_put_int(request_result(request), "acknowledged", count);
	request_note_durable(request);
	request_done(request);
}

struct post_args {
	const char *text;
	const char *pane;
	const struct json *data;
	const char *key;
	int urgency;
	bool sync;
};

static const struct field post_fields[] = {
    {FIELD_ROW(STRING, struct post_args, text, "text"),
	.flags = FIELD_REQUIRED | FIELD_CONFIDENTIAL, .min = 1, .max = NOTIFICATION_TEXT_MAX,
	.help = "The text, one line: colours and other escape sequences are left out; "
		"control characters become spaces."},
    {FIELD_ROW(STRING, struct post_args, pane, "pane"),
	.help = "The pane whose agent is to be woken; left out: no pane is woken."},
    {FIELD_ROW(VALUE, struct post_args, data, "data"), .flags = FIELD_CONFIDENTIAL,
	.help = "An object that goes with it: at most 64 KiB, nested at most 32 deep.",
	.shape = "\"type\":\"object\""},
    {FIELD_ROW(STRING, struct post_args, key, "key"), .flags = FIELD_CONFIDENTIAL, .min = 1,
	.max = NOTIFICATION_KEY_MAX,
	.help = "Count this one into an older one for the same pane, with an equal key, that no "
		"reader has yet. Once one has it, the same post asked again within 24 hours is not "
		"done again."},
    {FIELD_ROW(CHOICE, struct post_args, urgency, "urgency"), .choices = urgency_choices,
	.preset = "\"normal\"",
	.help = "High goes before others, and is not counted into a normal one."},
    {FIELD_ROW(BOOL, struct post_args, sync, "sync"),
	.help = "Answer only when it survives a power cut."},
    {.name = NULL},
};

struct post_wait {
	struct request *request;
	uint64_t seq;
	char id[NOTIFICATION_ID_SIZE];
};

static void post_answer(struct request *request, uint64_t seq, const char *id, bool is_durable)
{
	const struct notification *note = queue_find(request_daemon(request)->queue, seq);
	struct json_writer *writer = request_result(request);
	json_put_int(writer, "seq", (int64_t)seq);
	json_put_str(writer, "id", id);
	json_put_bool(writer, "durable", is_durable);
	if (note != NULL)
		wake_write_other(request, &note->pane);
	request_done(request);
}

static void post_synced(void *data, bool is_durable)
{
	struct post_wait *wait = data;
	char more[64];
	if (is_durable) {
		post_answer(wait->request, wait->seq, wait->id, true);
	} else {
		snprintf(more, sizeof more, "\"seq\":%" PRIu64, wait->seq);
		request_fail_data(wait->request, MESSAGE_NOT_READY, more,
		    "notification %" PRIu64 " is queued, but the disk does not keep it: see status",
		    wait->seq);
	}
	mem_free(wait);
}

/*
 * Returns the data as text, which the caller frees, or NULL if there are none. If they are not
 * valid, fails the request and returns NULL with *ret_ok false.
 */
static char *post_data(struct request *request, const struct json *data, bool *ret_ok)
{
	char *text;
	*ret_ok = true;
	if (data == NULL)
		return NULL;
	text = json_text(data, DATA_MAX + JSON_SPARE);
	if (data->type == JSON_OBJECT && text != NULL && strlen(text) <= DATA_MAX &&
	    json_depth(data) <= JSON_DATA_DEPTH_MAX)
		return text;
	*ret_ok = false;
	mem_free(text);
	request_fail_field(request, "data",
	    "must be an object of at most %d bytes, nested at most %d deep", DATA_MAX,
	    JSON_DATA_DEPTH_MAX);
	return NULL;
}

/* Answers a post. is_synced: waits until the disk has everything up to the ticket. */
static void post_finish(
    struct request *request, uint64_t seq, const char *id, uint64_t ticket, bool is_synced)
{
	struct daemon *daemon = request_daemon(request);
	struct post_wait *wait;
	if (!is_synced) {
		post_answer(request, seq, id, ticket > 0);
		return;
	}
	wait = xcalloc(1, sizeof *wait);
	wait->request = request;
	wait->seq = seq;
	snprintf(wait->id, sizeof wait->id, "%s", id);
	store_when_durable(queue_store(daemon->queue), ticket, post_synced, wait);
}

/* Returns a number for the owner of a key: only posts of one owner are merged. */
static uint64_t key_owner(const struct request *request)
{
	const struct once *once = request_once(request);
	const char *owner = once != NULL ? once->owner : NULL;
	return owner != NULL ? hash_bytes(owner, strlen(owner)) : 0;
}

/*
 * Handles a post whose key was used before. Returns true if it is answered: readers may have got
 * the first post.
 */
static bool post_repeat(struct request *request, const struct post_args *args)
{
	struct queue *queue = request_daemon(request)->queue;
	const struct notification *note;
	struct notification_draft like = {.source = SOURCE_POST, .key = args->key};
	struct once_earlier earlier;
	uint64_t ticket;
	bool is_repeated;
	if (!repeat_find(request, "post_notification", args->key, &earlier))
		return false;
	/* The same key with other parameters is another post. */
	is_repeated = earlier.content == request_once(request)->content;
	note = queue_find_id(queue, earlier.id);
	if (note != NULL)
		like.pane = &note->pane;
	like.owner = key_owner(request);
	like.is_urgent = args->urgency == 1;
	if (is_repeated && (note == NULL || queue_unread(queue, &like) == NULL)) {
		request_key(request)->is_repeated = true;
		queue_begin(queue);
		once_keep(request_once(request), earlier.id);
		ticket = queue_commit(queue);
		if (note != NULL) {
			post_finish(request, note->seq, note->id, ticket, args->sync);
		} else { /* the notification is not kept any more */
			if (earlier.result != NULL)
				repeat_write_members(
				    request, earlier.result, strlen(earlier.result));
			request_done(request);
		}
	} else {
		is_repeated = false;
	}
	once_earlier_finish(&earlier);
	return is_repeated;
}

static char *post_text(const char *text)
{
	size_t len = strlen(text);
	struct buf plain;
	if (strchr(text, '\033') == NULL)
		return xstrdup(text);
	buf_init(&plain, len + 1);
	(void)stripper_lines(&plain, text, len);
	(void)buf_append_byte(&plain, '\0');
	return (char *)buf_steal(&plain, NULL);
}

static void post_notification(struct request *request, const void *args_data)
{
	const struct post_args *args = args_data;
	struct daemon *daemon = request_daemon(request);
	const struct muxbus_pane *pane;
	struct pane_ref ref;
	struct notification_draft draft = {
	    .source = SOURCE_POST,
	    .pane = &ref,
	    .key = args->key,
	    .is_urgent = args->urgency == 1,
	};
	uint64_t ticket, seq;
	char *data, *text, id[NOTIFICATION_ID_SIZE];
	bool is_ok;
	if (args->pane != NULL && requester_look_first(request, args->pane))
		return;
	if (post_repeat(request, args))
		return;
	pane_ref_clear(&ref);
	if (args->pane != NULL) {
		if (!target_pane(request, args->pane, &pane))
			return;
		pane_ref_of(daemon->tmux, pane->id, &ref);
	}
	data = post_data(request, args->data, &is_ok);
	if (!is_ok)
		return;
	draft.data = data;
	text = post_text(args->text);
	draft.text = text;
	draft.owner = key_owner(request);
	if (args->key != NULL && queue_unread(daemon->queue, &draft) != NULL)
		request_key(request)->is_repeated = true;
	queue_begin(daemon->queue);
	seq = queue_post(daemon->queue, &draft);
	strcpy(id, queue_find(daemon->queue, seq)->id);
	once_keep(request_once(request), id);
	/* the notification may be settled already if a request waited for it */
	ticket = queue_commit(daemon->queue);
	mem_free(data);
	mem_free(text);
	post_finish(request, seq, id, ticket, args->sync);
}

struct queue_cancel_args {
	int64_t seq;
};

static const struct field cancel_fields[] = {
    {FIELD_ROW(INT, struct queue_cancel_args, seq, "seq"), .flags = FIELD_REQUIRED, .min = 1,
	.max = JSON_INT_MAX, .help = "The notification that is not to be delivered."},
    {.name = NULL},
};

static bool affects_note(struct request *request, const void *data, struct pane_ref *ret_pane)
{
	const struct queue_cancel_args *args = data;
	const struct notification *note =
	    queue_find(request_daemon(request)->queue, (uint64_t)args->seq);
	if (note == NULL)
		return role_affects_caller(request, data, ret_pane); /* the handler fails */
	*ret_pane = note->pane;
	return true;
}

static void cancel_notification(struct request *request, const void *data)
{
	const struct queue_cancel_args *args = data;
	struct queue *queue = request_daemon(request)->queue;
	const struct notification *note = queue_find(queue, (uint64_t)args->seq);
	if (note == NULL) {
		request_fail_field(request, "seq", "there is no notification %" PRId64, args->seq);
		return;
	}
	if (note->state != NOTE_QUEUED) {
		request_fail(request, MESSAGE_REFUSED,
		    "notification %" PRId64 " is %s already: only a queued one can be cancelled",
		    args->seq, notification_state_names[note->state]);
		return;
	}
	(void)queue_set_state(queue, note->seq, NOTE_CANCELLED, NULL);
	json_put_int(request_result(request), "seq", args->seq);
	request_note_durable(request);
	request_done(request);
}

const struct method methods_queue[] = {
    {.name = METHOD("ack_notification", METHOD_TYPES | METHOD_SPEAKS_FOR | METHOD_WRITES),
	.title = "Acknowledge notifications",
	.summary = "Marks notifications as handled.",
	.help = "Acknowledging twice is harmless.",
	METHOD_CALL(ack_notification, ack_args, ack_fields, ack_results),
	.flags = METHOD_IDEMPOTENT | METHOD_LOOKS_ITSELF,
	.affects = affects_acked,
	.example = "{\"up_to\":12,\"consumer\":\"me\"}"},
    {.name = METHOD("cancel_notification", METHOD_TYPES | METHOD_SPEAKS_FOR | METHOD_WRITES),
	.title = "Cancel a notification",
	.summary = "Takes back a notification that is still queued.",
	METHOD_CALL(cancel_notification, queue_cancel_args, cancel_fields, cancel_results),
	.flags = METHOD_IDEMPOTENT | METHOD_LOOKS_ITSELF,
	.recheck = "list_notifications",
	.affects = affects_note,
	.example = "{\"seq\":12}"},
    {.name = METHOD("list_notifications", METHOD_READS | METHOD_SEES),
	.title = "List notifications",
	.summary = "Lists the notifications that are remembered.",
	METHOD_CALL(list_notifications, queue_list_args, list_fields, notification_list_results),
	.flags = METHOD_LOOKS_ITSELF | METHOD_OPEN_WORLD,
	.example = "{\"state\":\"queued\"}"},
    {.name = METHOD("post_notification", METHOD_TYPES | METHOD_WRITES),
	.title = "Post a notification",
	.summary = "Puts a notification into the queue; anything may post.",
	.help = "Answers when it survives kill -9 of the daemon.",
	METHOD_CALL(post_notification, post_args, post_fields, post_results),
	.flags = METHOD_COUNTS_KEYS | METHOD_LOOKS_ITSELF,
	.recheck = "list_notifications",
	.affects = role_affects_pane,
	.key_offset = offsetof(struct post_args, key),
	.example = "{\"text\":\"deployment finished\",\"pane\":\"%3\"}"},
    {.name = NULL},
};
