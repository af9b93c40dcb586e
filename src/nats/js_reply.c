/* SPDX-License-Identifier: ISC */
/* A reply of JetStream's API. */
#include "nats/js_reply.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/xalloc.h"
#include "wire/json.h"

enum { REPLY_MAX = 1024 * 1024 }; /* bytes */

static void fail(struct js_reply *out, const char *text)
{
	struct buf visible;
	out->is_error = true;
	buf_init(&visible, sizeof out->text - 1);
	(void)str_append_visible(&visible, text, strlen(text));
	(void)snprintf(out->text, sizeof out->text, "%.*s", (int)visible.len,
	    visible.data != NULL ? (char *)visible.data : "");
	buf_finish(&visible);
}

void js_reply_read(struct js_reply *out, const struct broker_message *reply, const char *reason)
{
	static struct json_reader *reader;
	const struct json *value, *error, *text;
	struct json_error parse_error;
	*out = (struct js_reply){0};
	if (reply == NULL) {
		fail(out, reason);
		return;
	}
	if (reader == NULL)
		reader = json_reader_new(REPLY_MAX);
	value = json_read(reader, reply->payload, reply->len, &parse_error);
	error = json_member(value, "error");
	if (value == NULL) {
		fail(out, "the reply is not JSON");
	} else if (error != NULL) {
		text = json_member(error, "description");
		(void)json_int(json_member(error, "err_code"), &out->err_code);
		fail(out, text != NULL && text->type == JSON_STRING ? text->text : "an error");
	} else {
		(void)json_int(json_member(value, "seq"), &out->seq);
	}
}
