/* SPDX-License-Identifier: ISC */
/* Notices: requests to a host whose notifications the fleet posts to a pane of any host. */
#include "base/hash.h"
#include "daemon/fleet/fleet_name.h"
#include "daemon/fleet/fleet_parts.h"
#include "daemon/fleet/host.h"
#include "daemon/queue/record.h"
#include "daemon/server/peer.h"
#include "daemon/server/peer_pane.h"
#include "daemon/server/repeat.h"
#include "daemon/server/request.h"
#include "io/loop_timer.h"

enum {
	NAME_SIZE = FLEET_KEY_SIZE,
	HOST_SIZE = 2 * HOST_NAME_BYTES + 2,
	PANE_SIZE = 256,
	ID_SIZE = 64,
	METHOD_SIZE = 64,
	/* maximum bytes of a notification's member source; a longer one is left out */
	SOURCE_MAX = 32,
	KEY_SIZE = NOTIFICATION_KEY_MAX + 1,
	PARAMS_MAX = 256 * 1024,
	ANSWER_MS = 10000, /* the request fails if its host has not answered by then */
	AGAIN_MS = 2000, /* delay before a failed step is retried */
	/* delay in which the caller can begin to wait for the notification itself */
	WAITED_MS = 1000,
	POLL_SEC = 3600,
	ACK_MS = 24 * 3600 * 1000,
	STRANDED_MAX = 20,
	DATA_MAX = NOTIFICATION_DATA_MAX - 1024, /* leaves room for the other members */
};

struct fleet_notice {
	struct fleet_part part; /* part.host is the host of the last call */
	struct fleet *fleet;
	char name[NAME_SIZE];
	/* The next members are stored. */
	char from[HOST_SIZE]; /* host of the request, as "B/work" */
	char to[HOST_SIZE]; /* host of the pane, as "B/work" */
	char pane[PANE_SIZE];
	char method[METHOD_SIZE];
	char key[KEY_SIZE];
	char *params; /* parameters of the request, including the key */
	char id[ID_SIZE]; /* of the job or the like on `from`; "" until known */
	uint64_t after; /* number of the last notification that was handled */
	bool is_repeated; /* the request may cause several notifications */
	/* Checksums of the ssh addresses of both hosts, which find a renamed host; 0: unknown. */
	uint64_t from_place, to_place;
	/*
	 * The notification that is posted, and the name of its host in the post. Stored, because a
	 * repetition of the post after a restart must be equal.
	 */
	uint64_t seq; /* number on `from` */
	char said[HOST_SIZE];
	/* Not stored. */
	struct request *request; /* waits for the answer of `from`; NULL: none */
	struct loop_timer *answer; /* the timeout of that answer */
	struct loop_timer *again;
	char *post; /* parameters of the pending post_notification, or NULL */
	bool is_last;
	bool is_lost; /* the host has no notification `seq` */
};

static const struct record_field notice_fields[] = {
    {RECORD_ROW(WORD, struct fleet_notice, from, "from")},
    {RECORD_ROW(WORD, struct fleet_notice, to, "to")},
    {RECORD_ROW(WORD, struct fleet_notice, pane, "pane")},
    {RECORD_ROW(WORD, struct fleet_notice, method, "method")},
    {RECORD_ROW(WORD, struct fleet_notice, key, "key")},
    {RECORD_ROW(JSON, struct fleet_notice, params, "params")},
    {RECORD_ROW(WORD, struct fleet_notice, id, "id")},
    {RECORD_ROW(UINT64, struct fleet_notice, after, "after")},
    {RECORD_ROW(BOOL, struct fleet_notice, is_repeated, "repeated")},
    {RECORD_ROW(UINT64, struct fleet_notice, from_place, "from_place"), .is_optional = true},
    {RECORD_ROW(UINT64, struct fleet_notice, to_place, "to_place"), .is_optional = true},
    {RECORD_ROW(UINT64, struct fleet_notice, seq, "seq"), .is_optional = true},
    {RECORD_ROW(WORD, struct fleet_notice, said, "said"), .is_optional = true},
};

static const struct record_kind notice_kind = {
    .prefix = "notice/",
    .noun = "a notice to another host",
    .rows = RECORD_ROWS(notice_fields, NULL),
    .source = SOURCE_POST,
};

static void step(void *data);
static void on_unanswered(void *data);

static struct fleet_notice *notice_new(struct fleet *fleet)
{
	struct fleet_notice *notice =
	    list_entry(fleet_part_new(fleet->notices, NULL), struct fleet_notice, part);
	notice->fleet = fleet;
	notice->again = loop_timer_new(fleet->base, step, notice);
	notice->answer = loop_timer_new(fleet->base, on_unanswered, notice);
	return notice;
}

static void clear_notice(struct fleet_part *part)
{
	struct fleet_notice *notice = list_entry(part, struct fleet_notice, part);
	loop_timer_free(notice->answer);
	loop_timer_free(notice->again);
	mem_free(notice->params);
	mem_free(notice->post);
}

static struct host *find(const struct fleet *fleet, const char *name)
{
	return fleet_name_host(fleet->hosts, name);
}

static bool is_full(const struct fleet *fleet)
{
	return list_count(&fleet->notices->parts) >= FLEET_NOTICES_MAX;
}

static void name_host(const struct host *host, char out[HOST_SIZE])
{
	(void)snprintf(out, HOST_SIZE, "%s/%s", host->spec.name, host->spec.server);
}

/* Returns a checksum of the host's address; `other` if it is unknown, or this machine. */
static uint64_t place_of(const struct fleet *fleet, const char *name, uint64_t other)
{
	const struct host *host = find(fleet, name);
	const char *ssh = host != NULL ? host_destination(&host->spec) : "";
	if (host == NULL || host->spec.socket != NULL)
		return other;
	return 1ull << 32 |
	    crc32c(crc32c(0, ssh, strlen(ssh) + 1), host->spec.server, strlen(host->spec.server));
}

/* Finds by its address a host that was renamed while the fleet was not running. */
static void follow(const struct fleet *fleet, char name[HOST_SIZE], uint64_t place)
{
	char other[HOST_SIZE];
	if (place == 0 || place_of(fleet, name, 0) == place)
		return;
	host_each (fleet->hosts, host) {
		name_host(host, other);
		if (place_of(fleet, other, 0) == place)
			(void)snprintf(name, HOST_SIZE, "%s", other);
	}
}

static void keep(struct fleet_notice *notice)
{
	notice->from_place = place_of(notice->fleet, notice->from, notice->from_place);
	notice->to_place = place_of(notice->fleet, notice->to, notice->to_place);
	record_put(notice->fleet->store, &notice_kind, notice->name, notice);
}

static void forget(struct fleet_notice *notice)
{
	record_delete(notice->fleet->store, &notice_kind, notice->name);
	fleet_part_end(&notice->part);
}

static bool load(void *data, const char *name, const struct json *value)
{
	struct fleet *fleet = data;
	struct fleet_notice *notice;
	if (strlen(name) >= NAME_SIZE || is_full(fleet))
		return false;
	notice = notice_new(fleet);
	if (!record_read(notice_kind.rows, value, notice)) {
		notice->params = NULL;
		fleet_part_end(&notice->part);
		return false;
	}
	(void)snprintf(notice->name, sizeof notice->name, "%s", name);
	follow(fleet, notice->from, notice->from_place);
	follow(fleet, notice->to, notice->to_place);
	loop_timer_arm(notice->again, 0);
	return true;
}

void fleet_notices_load(struct fleet *fleet)
{
	struct record_lost lost = {.count = 0};
	record_load(fleet->store, &notice_kind, load, fleet, &lost);
	while (lost.count > 0)
		mem_free(lost.keys[--lost.count]); /* record_load() has logged them */
}

static struct request *take_request(struct fleet_notice *notice)
{
	struct request *request = notice->request;
	loop_timer_disarm(notice->answer);
	notice->request = NULL;
	return request;
}

static void on_cancelled(void *data)
{
	(void)take_request(data);
}

/* Fails the request, as its time is over. The notice is kept, as the host may answer later. */
static void on_unanswered(void *data)
{
	struct fleet_notice *notice = data;
	struct request *request = take_request(notice);
	request_fail(request, MESSAGE_TIMEOUT,
	    "%s has not answered %s yet: the request is kept, and done once when %s answers; "
	    "asked again with the key \"%s\" it is the same request",
	    notice->from, notice->method, notice->from, notice->key);
}

static void call(struct fleet_notice *notice, struct host *host, const char *method,
    const char *params, unsigned flags)
{
	notice->part.host = host;
	fleet_part_call(&notice->part,
	    &(struct host_order){.method = method, .params = params, .flags = flags});
}

/* Writes the answer of the host, with our own text about the pane that will be woken. */
static void put_begun(const struct fleet_notice *notice, struct json_writer *writer,
    const struct host *host, const struct json *result)
{
	static const char *const told[] = {"message", "wake", NULL};
	const struct host *to = find(notice->fleet, notice->to);
	const char *message = json_get_str(result, "message", ""),
		   *its = strstr(message, " Its notification ");
	char text[HOST_SIZE + PANE_SIZE + 32];
	char *whole;
	(void)snprintf(text, sizeof text, "posted to %s:%s when it comes",
	    to != NULL ? to->label : notice->to, notice->pane);
	whole = xasprintf("%.*s Its notification %s:%s is %s.",
	    its != NULL ? (int)(its - message) : 0, message, host->label, notice->id, text);
	fleet_name_put_rest(writer, host, result, told);
	json_put_str(writer, "message", its != NULL ? whole : whole + 1);
	json_object_begin(writer, "wake");
	json_put_str(writer, "way", "posted");
	json_put_str(writer, "text", text);
	json_object_end(writer);
	fleet_name_put_host(writer, host);
	mem_free(whole);
}

static void on_begun(struct fleet_notice *notice, const struct json *message)
{
	const struct host *host = notice->part.host;
	const struct json *result = json_member(message, "result");
	const struct json *id = json_member(result, "id");
	struct request *request = take_request(notice);
	bool is_begun = fleet_name_is_id(id, sizeof notice->id);
	bool may_pass = result == NULL && fleet_error_may_pass(message) &&
	    (request == NULL || strcmp(fleet_error_kind(message), "gone") == 0);
	if (is_begun) {
		(void)snprintf(notice->id, sizeof notice->id, "%s", id->text);
		keep(notice);
	}
	if (request == NULL && result == NULL && !may_pass) {
		log_warning("a request that was kept for %s failed", host->label);
	} else if (request != NULL && result == NULL) {
		fleet_fail(request, host, json_member(message, "error"));
	} else if (request != NULL) {
		if (is_begun)
			put_begun(notice, request_result(request), host, result);
		else
			fleet_name_put_members(request_result(request), host, result);
		request_done(request);
	}
	if (is_begun)
		loop_timer_arm(notice->again, WAITED_MS);
	else if (may_pass)
		loop_timer_arm(notice->again, AGAIN_MS); /* the request may have succeeded */
	else
		forget(notice); /* no notification will come */
}

static bool is_last(const struct fleet_notice *notice, const struct json *entry)
{
	static const char *const ends[] = {
	    "timeout", "cancelled", "replaced", "gone", "limit", "error", NULL};
	return !notice->is_repeated ||
	    str_is_in(json_get_str(json_member(entry, "data"), "reason", ""), ends);
}

/* Makes the parameters of the post. Data that are too large or too deep are left out. */
static void write_post(
    struct fleet_notice *notice, const char *source, const char *said, const struct json *data)
{
	struct json_writer writer;
	char *text = xasprintf("%.64s:%s %s: %s", notice->said, notice->id, source, said);
	char *clean = notification_clean_text(text, strlen(text));
	char key[ID_SIZE + 48];
	struct buf out;
	/* The id of the job or the like tells the keys of different requests apart. */
	(void)snprintf(key, sizeof key, "fleet/%08" PRIx32 "/%s/%" PRIu64,
	    crc32c(0, notice->said, strlen(notice->said)), notice->id, notice->seq);
	json_start_object(&writer, &out, 2 * PARAMS_MAX);
	json_put_str(&writer, "text", clean);
	json_put_str(&writer, "pane", notice->pane);
	json_put_str(&writer, "key", key);
	json_object_begin(&writer, "data");
	json_put_str(&writer, "host", notice->said);
	json_put_str(&writer, "source", source);
	json_put_str(&writer, "id", notice->id);
	json_put_int(&writer, "seq", (int64_t)notice->seq);
	if (data != NULL && json_depth(data) < JSON_DATA_DEPTH_MAX && json_fits(data, DATA_MAX))
		json_put_value(&writer, "data", data);
	json_object_end(&writer);
	json_object_end(&writer);
	mem_free(text);
	mem_free(clean);
	notice->post = (char *)buf_steal(&out, NULL);
}

static void go_on(struct fleet_notice *notice)
{
	if (notice->is_last) {
		forget(notice);
		return;
	}
	notice->after = notice->seq;
	mem_free(notice->post);
	notice->post = NULL;
	keep(notice);
	step(notice);
}

/* Returns true if a request on the host waited, not a consumer: then no pane is woken. */
static bool is_waited(const struct json *entry)
{
	const struct json *delivery = json_member(entry, "delivery");
	return strcmp(json_get_str(delivery, "way", ""), "waited") == 0 &&
	    json_member(delivery, "consumer") == NULL;
}

static void note_post(struct fleet_notice *notice, uint64_t seq)
{
	if (notice->seq == seq)
		return;
	notice->seq = seq;
	(void)snprintf(notice->said, HOST_SIZE, "%s", notice->from);
	keep(notice);
}

/* The message is a notification, the timeout of the call, or an error. */
static void on_entry(struct fleet_notice *notice, const struct json *message)
{
	const struct json *error = json_member(message, "error");
	const struct json *list = json_member(json_member(message, "result"), "notifications");
	const struct json *entry = list != NULL && list->type == JSON_ARRAY ? list->child : NULL;
	const struct json *number = json_member(entry, "seq");
	const char *source = json_get_str(entry, "source", "");
	int64_t seq;
	if (error != NULL && !fleet_error_may_pass(message)) {
		note_post(notice, notice->after + 1);
		/* the host does not know the request any more */
		notice->is_last = notice->is_lost = true;
		write_post(notice, "lost", fleet_error_text(error), NULL);
	} else if (!json_int(number, &seq) || seq <= (int64_t)notice->after) {
		loop_timer_arm(notice->again, AGAIN_MS);
		return;
	} else {
		note_post(notice, (uint64_t)seq);
		notice->is_last = is_last(notice, entry);
		if (is_waited(entry) ||
		    strcmp(json_get_str(entry, "state", ""), "cancelled") == 0) {
			go_on(notice);
			return;
		}
		write_post(notice, strlen(source) <= SOURCE_MAX ? source : "",
		    json_get_str(entry, "text", ""), json_member(entry, "data"));
	}
	step(notice);
}

static void on_posted(struct fleet_notice *notice, const struct json *message)
{
	struct host *from;
	if (json_member(message, "result") == NULL && fleet_error_may_pass(message)) {
		loop_timer_arm(notice->again, AGAIN_MS);
		return;
	}
	from = notice->is_lost ? NULL : find(notice->fleet, notice->from);
	if (json_member(message, "result") != NULL && from != NULL)
		host_tell(from, "ack_notification", HOST_CALL_READS, ACK_MS,
		    "{\"seq\":%" PRIu64 "}", notice->seq);
	else if (json_member(message, "result") == NULL)
		log_warning("%s:%s cannot be notified of %s:%s: %.200s", notice->to, notice->pane,
		    notice->from, notice->id,
		    json_get_str(json_member(message, "error"), "message", ""));
	go_on(notice);
}

static void on_answered(struct fleet_part *part, const struct json *message)
{
	struct fleet_notice *notice = list_entry(part, struct fleet_notice, part);
	if (notice->post != NULL)
		on_posted(notice, message);
	else if (notice->id[0] == '\0')
		on_begun(notice, message);
	else
		on_entry(notice, message);
}

const struct fleet_ask_kind fleet_notice_kind = {.size = sizeof(struct fleet_ask),
    .part_size = sizeof(struct fleet_notice),
    .answered = on_answered,
    .clear_part = clear_notice};

static void step(void *data)
{
	struct fleet_notice *notice = data;
	struct host *from = find(notice->fleet, notice->from),
		    *to = find(notice->fleet, notice->to);
	char params[128];
	if (notice->part.call != NULL || (from != NULL && !host_may_notify(from)))
		return;
	if (notice->post != NULL) {
		if (to != NULL)
			call(notice, to, "post_notification", notice->post, HOST_CALL_KEYED);
	} else if (from != NULL && notice->id[0] == '\0') {
		call(notice, from, notice->method, notice->params,
		    HOST_CALL_KEYED | (notice->request != NULL ? HOST_CALL_URGENT : 0));
	} else if (from != NULL) {
		(void)snprintf(params, sizeof params,
		    "{\"id\":\"%s\",\"after\":%" PRIu64 ",\"limit\":1,\"timeout_sec\":%d}",
		    notice->id, notice->after, POLL_SEC);
		call(notice, from, "next_notification", params, HOST_CALL_READS | HOST_CALL_WAITS);
	}
}

void fleet_notices_state(struct fleet *fleet)
{
	list_each (struct fleet_notice, notice, &fleet->notices->parts, part.link)
		if (notice->part.call == NULL && !loop_timer_is_armed(notice->again))
			loop_timer_arm(notice->again, 0);
}

void fleet_notices_renamed(void *data, struct host *host, const char *before)
{
	struct fleet *fleet = data;
	list_each (struct fleet_notice, notice, &fleet->notices->parts, part.link) {
		bool is_from = strcmp(notice->from, before) == 0;
		bool is_to = strcmp(notice->to, before) == 0;
		if (is_from)
			name_host(host, notice->from);
		if (is_to)
			name_host(host, notice->to);
		if (is_from || is_to)
			keep(notice);
	}
}

void fleet_notices_write_stranded(const struct fleet *fleet, struct json_writer *writer)
{
	unsigned count = 0;
	list_each (const struct fleet_notice, notice, &fleet->notices->parts, part.link) {
		const struct host *from = find(fleet, notice->from);
		bool may = from == NULL || host_may_notify(from);
		const char *lost = from == NULL || !may ? notice->from : notice->to;
		char *text;
		if ((may && find(fleet, lost) != NULL) || count++ >= STRANDED_MAX)
			continue;
		text = xasprintf("%s on %s is to wake %s:%s, but %s %s%s", notice->method,
		    notice->from, notice->to, notice->pane,
		    may ? "there is no host" : "the line of", lost,
		    may ? ": add it again by that name" : " has no may=notify");
		json_object_begin(writer, NULL);
		json_put_int(writer, "line", 0);
		json_put_str(writer, "text", text);
		json_object_end(writer);
		mem_free(text);
	}
}

/*
 * Finds the requester's pane if its tmux server is a host of the fleet on this machine. Returns
 * that host, or NULL; then do not use pane.
 */
static const struct host *find_own_pane(
    const struct fleet *fleet, struct request *request, char pane[PANE_SIZE])
{
	const struct peer *peer = request_peer(request);
	if (peer == NULL)
		return NULL;
	host_each (fleet->hosts, host) {
		const char *path = host->spec.socket;
		/* the daemon's socket is that of tmux with a suffix */
		const char *end = path != NULL ? strrchr(path, '.') : NULL;
		char *tmux = end != NULL ? xmemdup(path, (size_t)(end - path)) : NULL;
		uint32_t id = tmux != NULL ? peer_pane_claimed(peer_pid(peer), tmux) : MUXBUS_NO_ID;
		mem_free(tmux);
		(void)snprintf(pane, PANE_SIZE, "%%%" PRIu32, id);
		if (id != MUXBUS_NO_ID)
			return host;
	}
	return NULL;
}

static struct fleet_notice *find_earlier(const struct fleet_notice *like)
{
	list_each (struct fleet_notice, notice, &like->fleet->notices->parts, part.link)
		if (notice != like && strcmp(notice->key, like->key) == 0 &&
		    strcmp(notice->from, like->from) == 0)
			return notice;
	return NULL;
}

static bool read_notice(struct fleet_notice *notice, struct request *request,
    const struct host *host, const struct json *params)
{
	const struct json *notify = json_given(params, "notify");
	const struct json *key = json_given(params, "key");
	char own[PANE_SIZE];
	const char *rest = own;
	const struct host *to = notify == NULL ? find_own_pane(notice->fleet, request, own)
	    : notify->type == JSON_STRING
	    ? fleet_name_split(notice->fleet->hosts, notify->text, &rest)
	    : NULL;
	if (to == NULL || *rest == '\0' || strlen(rest) >= PANE_SIZE)
		return request_fail_field(request, "notify",
		    "must be a pane of a host: HOST:%%3; this one is %s", host->label);
	if (key != NULL && (key->type != JSON_STRING || key->len >= KEY_SIZE || key->len == 0))
		return request_fail_field(request, "key", "must be a text of at most 128 bytes");
	if (!host_may_notify(host))
		return request_fail(request, MESSAGE_FORBIDDEN,
		    "%s may not notify panes of other hosts: write may=notify into its line of the "
		    "hosts file, if you trust what it says",
		    host->label);
	fleet_new_key(notice->name);
	(void)snprintf(notice->pane, sizeof notice->pane, "%s", rest);
	(void)snprintf(notice->method, sizeof notice->method, "%s", request_method(request)->name);
	(void)snprintf(
	    notice->key, sizeof notice->key, "%s", key != NULL ? key->text : notice->name);
	name_host(host, notice->from);
	name_host(to, notice->to);
	notice->is_repeated =
	    !json_get_bool(params, "once", true) || json_get_bool(params, "recurring", false);
	return true;
}

/* Makes the parameters for the host, with the key and without notify. Fails if too long. */
static bool write_params(
    struct fleet_notice *notice, struct request *request, const struct buf *text)
{
	struct json_reader *reader = json_reader_new(text->len);
	struct json_error error;
	const struct json *params = json_read(reader, (const char *)text->data, text->len, &error);
	struct json_writer writer;
	struct buf out;
	json_start_object(&writer, &out, PARAMS_MAX);
	json_each_member (member, params)
		if (strcmp(member->name, "notify") != 0 && strcmp(member->name, "key") != 0)
			json_put_value(&writer, member->name, member);
	json_put_str(&writer, "key", notice->key);
	json_object_end(&writer);
	json_reader_free(reader);
	notice->params = (char *)buf_steal(&out, NULL);
	return !writer.is_cut ||
	    request_fail_field(request, "notify", "the request is too long to be kept");
}

static uint64_t params_content(const struct fleet_notice *notice)
{
	struct json_reader *reader = json_reader_new(PARAMS_MAX);
	struct json_error error;
	uint64_t content =
	    repeat_content(json_read(reader, notice->params, strlen(notice->params), &error));
	json_reader_free(reader);
	return content;
}

/* If a request with the key of an earlier one has other parameters, fails it and returns false. */
static bool check_same(
    const struct fleet_notice *notice, const struct fleet_notice *earlier, struct request *request)
{
	return (strcmp(notice->method, earlier->method) == 0 &&
		   strcmp(notice->to, earlier->to) == 0 &&
		   strcmp(notice->pane, earlier->pane) == 0 &&
		   (earlier->params == NULL ||
		       params_content(notice) == params_content(earlier))) ||
	    request_fail_field(request, "key",
		"it was used for %s, with other parameters: give each request a key of its own",
		earlier->method);
}

static void wait_for_answer(struct fleet_notice *notice, struct request *request)
{
	struct request *before = take_request(notice);
	if (before != NULL)
		request_fail(before, MESSAGE_CANCELLED, "another request with this key came");
	notice->request = request;
	loop_timer_arm(notice->answer, ANSWER_MS);
	request_on_cancel(request, on_cancelled, notice, NULL);
}

static void answer_again(
    const struct fleet_notice *notice, struct request *request, const struct host *host)
{
	struct json_writer *writer = request_result(request);
	char id[sizeof host->label + ID_SIZE];
	(void)snprintf(id, sizeof id, "%s:%s", host->label, notice->id);
	json_put_str(writer, "id", id);
	fleet_name_put_host(writer, host);
	json_put_bool(writer, "repeated", true);
	request_done(request);
}

/*
 * Handles a request that is invalid, is repeated, or whose host is unreachable. Returns false for
 * any other one.
 */
static bool is_settled(struct fleet_notice *notice, struct request *request, struct host *host,
    const struct json *params, const struct buf *text)
{
	struct fleet_notice *earlier;
	if (!read_notice(notice, request, host, params) || !write_params(notice, request, text))
		return true;
	earlier = find_earlier(notice);
	if (earlier == NULL && host_is_unreachable(host))
		request_fail(request, MESSAGE_NOT_READY, "%s cannot be reached: %s", host->label,
		    host->reason);
	else if (earlier == NULL)
		return false;
	else if (!check_same(notice, earlier, request))
		return true;
	else if (earlier->id[0] == '\0')
		wait_for_answer(earlier, request);
	else
		answer_again(earlier, request, host);
	return true;
}

bool fleet_notice_take(struct fleet *fleet, struct request *request, struct host *host,
    const char *address, const struct json *params, const struct buf *text)
{
	struct fleet_notice *notice;
	char pane[PANE_SIZE];
	if (json_given(params, "notify") == NULL &&
	    (address == NULL || !host_may_notify(host) || json_given(params, address) != NULL ||
		find_own_pane(fleet, request, pane) == NULL))
		return false;
	if (address == NULL) {
		(void)request_fail_field(request, "notify", "%s has no end that notifies",
		    request_method(request)->name);
		return true;
	}
	if (is_full(fleet)) {
		request_fail(request, MESSAGE_LIMIT,
		    "%d requests wait to notify panes of other hosts already", FLEET_NOTICES_MAX);
		return true;
	}
	notice = notice_new(fleet);
	if (is_settled(notice, request, host, params, text)) {
		fleet_part_end(&notice->part);
		return true;
	}
	keep(notice);
	wait_for_answer(notice, request);
	step(notice);
	return true;
}
