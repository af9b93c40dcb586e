/* SPDX-License-Identifier: ISC */
#include "daemon/server/repeat.h"

#include "base/hash.h"
#include "daemon/core/config.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "daemon/server/peer.h"
#include "daemon/server/peer_pane.h"
#include "daemon/server/request.h"
#include "daemon/tmux/tmux.h"

/*
 * Returns a checksum of a member. The order of members in an object does not change the checksum,
 * unless the object is in an array.
 */
static uint64_t member_content(const struct json *member)
{
	struct json_writer writer;
	struct buf text;
	uint64_t sum = 0;
	json_start_object(&writer, &text, SIZE_MAX / 4);
	json_each_member (inner, member)
		sum += member_content(inner);
	if (member->type == JSON_OBJECT)
		json_put_int(&writer, member->name, (int64_t)sum);
	else
		json_put_value(&writer, member->name, member);
	json_object_end(&writer);
	sum = (uint64_t)crc32c(0, text.data, text.len) << 32 | crc32c(1, text.data, text.len);
	buf_finish(&text);
	return sum;
}

uint64_t repeat_content(const struct json *params)
{
	uint64_t sum = 0;
	if (params == NULL || json_member(params, "key") == NULL)
		return 0;
	json_each_member (member, params)
		if (strcmp(member->name, "key") != 0)
			sum += member_content(member);
	return sum;
}

void repeat_write_members(struct request *request, const char *json, size_t len)
{
	bool counts = request_method(request)->flags & METHOD_COUNTS_KEYS;
	struct json_reader *reader = json_reader_new(STORE_VALUE_MAX);
	struct json_writer *writer = request_result(request);
	struct json_error error;
	const struct json *object = json_read(reader, json, len, &error);
	/* request_done() writes the member durable, except with METHOD_COUNTS_KEYS. */
	json_each_member (member, object)
		if (strcmp(member->name, "durable") != 0 || counts)
			json_put_value(writer, member->name, member);
	json_reader_free(reader);
}

/* Notes the pane or the thread that makes the request, if it is known with certainty. */
static void note_caller(struct request *request)
{
	struct tmux *tmux = request_daemon(request)->tmux;
	struct peer *peer = request_peer(request);
	const char *thread = request_origin(request)->thread;
	struct request_key *key = request_key(request);
	struct pane_ref ref;
	bool is_weak = false;
	uint32_t pane;
	if (peer == NULL || tmux == NULL || !tmux_is_live(tmux))
		return;
	pane = request_peer_pane(request, &is_weak);
	if (thread[0] != '\0') {
		snprintf(key->caller, sizeof key->caller, "%s", thread);
	} else if (is_weak || peer_pane_of(peer)->is_early) {
		return;
	} else if (pane != MUXBUS_NO_ID) {
		pane_ref_of(tmux, pane, &ref);
		snprintf(key->caller, sizeof key->caller, "%%%u/%d/%" PRIu64, pane,
		    (int)ref.server_pid, ref.server_start);
	}
	key->once.caller = key->caller;
}

bool repeat_find(
    struct request *request, const char *space, const char *key, struct once_earlier *ret_earlier)
{
	struct once_set *onces = request_daemon(request)->onces;
	struct request_key *own = request_key(request);
	if (key == NULL || onces == NULL)
		return false;
	if (own->text == NULL)
		own->text = xstrdup(key);
	if (request_role(request) != ROLE_FULL) {
		note_caller(request);
		own->once.owner = own->caller[0] == '%' ? own->caller : "%";
	}
	own->once.set = onces;
	own->once.space = space;
	own->once.method = request_method(request)->name;
	own->once.key = own->text;
	return once_find(&own->once, ret_earlier);
}

void repeat_answer_id(struct request *request, const void *args UNUSED, const char *id)
{
	const char *recheck = request_method(request)->recheck;
	struct json_writer *writer = request_result(request);
	char message[200];
	snprintf(message, sizeof message,
	    "This was done already, but its result is not known any more%s%s.",
	    recheck != NULL ? ": see " : "", recheck != NULL ? recheck : "");
	json_put_str(writer, "id", id);
	json_put_str(writer, "message", message);
	request_done(request);
}

static void fail_unknown(struct request *request, const char *error)
{
	const char *recheck = request_method(request)->recheck;
	request_fail_data(request, MESSAGE_GONE, "\"repeated\":true",
	    "a request with this key was begun, and %s%s: the effect is unknown%s%s",
	    error != NULL ? "failed with " : "the daemon ended before its answer",
	    error != NULL ? error : "", recheck != NULL ? "; see " : "",
	    recheck != NULL ? recheck : "");
}

static bool is_method(const struct method *method, const char *first)
{
	const struct method *found = method_find(first);
	return strcmp(method->name, first) == 0 ||
	    (found != NULL && found->handle == method->handle && method_is_built_in(first));
}

/* Returns the length of the pane in a caller, as in "%3/790/5120"; 0: it is a thread. */
static int pane_len(const char *caller)
{
	return caller[0] == '%' ? (int)strcspn(caller, "/") : 0;
}

static bool refuse_other(struct request *request, const struct once_earlier *first)
{
	const struct once *once = request_once(request);
	const char *method = first->method != NULL ? first->method : once->method;
	char what[64];
	if (!is_method(request_method(request), method))
		snprintf(what, sizeof what, "another method");
	else if (first->content != once->content)
		snprintf(what, sizeof what, "with other parameters");
	else if (first->caller == NULL || once->caller == NULL ||
	    strcmp(first->caller, once->caller) == 0)
		return false;
	else if (pane_len(first->caller) > 0)
		snprintf(
		    what, sizeof what, "from pane %.*s", pane_len(first->caller), first->caller);
	else
		snprintf(what, sizeof what, "from elsewhere");
	request_fail_field(request, "key",
	    "it was used for %s, %s: give each request a key of its own", method, what);
	return true;
}

static void answer_again(
    struct request *request, const void *args, const struct once_earlier *first)
{
	const struct method *method = request_method(request);
	request_key(request)->is_repeated = true;
	if (first->result != NULL) {
		repeat_write_members(request, first->result, strlen(first->result));
		request_done(request);
	} else if (method->begun != NULL) {
		method->begun(request, args, first->id);
	} else if (!request_join(request)) {
		fail_unknown(request, first->error);
	}
}

/*
 * Returns true if a request may run: its key is stored on the disk, or need not be. Returns false
 * after failing the request.
 */
static bool may_forget(struct request *request)
{
	return !request_daemon(request)->config->audit_refuses ||
	    !queue_is_degraded(request_daemon(request)->queue) ||
	    request_fail(request, MESSAGE_LIMIT,
		"its key cannot be kept, because the disk is full or fails; "
		"-o audit_full_disk=mark does without");
}

bool repeat_admit(struct request *request, const void *args)
{
	const struct method *method = request_method(request);
	struct once_earlier first;
	struct repeat_args own;
	if (method->key_offset == 0 || method->flags & METHOD_COUNTS_KEYS ||
	    request_key(request)->is_done_once)
		return true; /* there is no key to check, or the handler is called again */
	memcpy(&own, (const char *)args + method->key_offset, sizeof own);
	if (own.key != NULL)
		note_caller(request);
	if (!repeat_find(request, "", own.key, &first)) {
		request_begin_once(request);
		return own.key == NULL || may_forget(request);
	}
	if (!refuse_other(request, &first))
		answer_again(request, args, &first);
	once_earlier_finish(&first);
	return false;
}
