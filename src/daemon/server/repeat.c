/* SPDX-License-Identifier: ISC */
/* Repeated requests: answered from what the first one left. */
#include "daemon/server/repeat.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/crc.h"
#include "base/xalloc.h"
#include "daemon/queue/store.h"
#include "daemon/server/method.h"
#include "daemon/server/request.h"
#include "wire/json.h"

/* The checksum of one parameter with its name. */
static uint64_t member_content(const struct json *member)
{
	struct json_writer writer;
	struct buf text;
	uint64_t sum;
	buf_init(&text, SIZE_MAX / 4);
	json_writer_init(&writer, &text);
	json_object_begin(&writer, NULL);
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
	for (const struct json *member = params->child; member != NULL; member = member->next) {
		if (strcmp(member->name, "key") != 0)
			sum += member_content(member);
	}
	return sum;
}

void repeat_write_members(struct request *request, const char *json, size_t len)
{
	struct json_reader *reader = json_reader_new(STORE_VALUE_MAX);
	struct json_writer *writer = request_result(request);
	struct json_error error;
	const struct json *object = json_read(reader, json, len, &error);
	if (object != NULL && object->type == JSON_OBJECT)
		for (const struct json *member = object->child; member != NULL;
		     member = member->next)
			json_put_value(writer, member->name, member);
	json_reader_free(reader);
}

bool repeat_find(
    struct request *request, const char *method, const char *key, struct once_earlier *ret_earlier)
{
	const struct once *once = request_set_key(request, method, key);
	return once != NULL && once_find(once, ret_earlier);
}

enum repeat repeat_check(
    struct request *request, const char *method, const char *key, char ret_id[NOTIFICATION_ID_SIZE])
{
	struct once_earlier earlier;
	bool has_result;
	if (!repeat_find(request, method, key, &earlier))
		return REPEAT_NEW;
	request_set_repeated(request, earlier.content != request_once(request)->content);
	memcpy(ret_id, earlier.id, NOTIFICATION_ID_SIZE);
	has_result = earlier.result != NULL;
	if (has_result) {
		repeat_write_members(request, earlier.result, strlen(earlier.result));
		request_done(request);
	}
	once_earlier_finish(&earlier);
	return has_result ? REPEAT_ANSWERED : REPEAT_BEGUN;
}

void repeat_answer_id(struct request *request, const char *id)
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

/* The first request was begun, and how it ended is not known. */
static void fail_unknown(struct request *request, const char *error)
{
	const char *recheck = request_method(request)->recheck;
	request_fail_data(request, MESSAGE_GONE, "\"repeated\":true",
	    "a request with this key was begun, and %s%s: the effect is unknown%s%s",
	    error != NULL ? "failed with " : "the daemon ended before its answer",
	    error != NULL ? error : "", recheck != NULL ? "; see " : "",
	    recheck != NULL ? recheck : "");
}

bool repeat_admit(struct request *request, const void *args)
{
	const struct method *method = request_method(request);
	struct once_earlier earlier;
	struct repeat_args own;
	if (method->key_offset == 0 || request_once(request) != NULL)
		return true; /* the handler knows keys itself, or runs again */
	memcpy(&own, (const char *)args + method->key_offset, sizeof own);
	if (!repeat_find(request, method->name, own.key, &earlier)) {
		request_begin_once(request);
		return true;
	}
	request_set_repeated(request, earlier.content != request_once(request)->content);
	if (earlier.result != NULL) {
		repeat_write_members(request, earlier.result, strlen(earlier.result));
		request_done(request);
	} else if (!request_join(request)) {
		fail_unknown(request, earlier.error);
	}
	once_earlier_finish(&earlier);
	return false;
}
