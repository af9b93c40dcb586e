/* SPDX-License-Identifier: ISC */
/* read_rest: reads the part of an answer that was cut. */
#include "daemon/server/rest.h"

#include "daemon/methods/tables.h"
#include "daemon/server/request.h"

#define PIECE_MAX 32000 /* maximum bytes; MCP shows fewer, and says from where to read on */

struct rest_args {
	const char *id;
	int64_t after;
	int64_t to;
};

static const struct field rest_fields[] = {
    {FIELD_ROW(INT, struct rest_args, after, "after"), .min = 0, .max = -1,
	.help = "The byte to go on from; left out, the first."},
    {FIELD_ROW(STRING, struct rest_args, id, "id"), .flags = FIELD_REQUIRED,
	.help = "As the answer says."},
    {FIELD_ROW(INT, struct rest_args, to, "to"), .flags = FIELD_RARE, .min = 0, .max = -1,
	.help = "The byte to end before; left out, none."},
    {.name = NULL},
};

static const struct field_result rest_results[] = {
    {"text", "string", "the part"},
    {"from", "integer", "where it begins"},
    {"to", "integer", "where it ends, to read on from"},
    {"size", "integer", "of the whole text"},
    {NULL, NULL, NULL},
};

static size_t whole_offset(const char *text, size_t len, int64_t offset)
{
	size_t at = offset < (int64_t)len ? (size_t)offset : len;
	while (at > 0 && at < len && ((uint8_t)text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

static void handle_rest(struct request *request, const void *data)
{
	const struct rest_args *args = data;
	size_t len, from, to;
	const char *text = rest_find(rest_set_of(request), args->id, &len);
	struct json_writer *writer;
	if (text == NULL) {
		request_fail_data(request, MESSAGE_GONE, "\"field\":\"id\"",
		    "id: the answer \"%.40s\" is kept no longer: repeat the call that it was of",
		    args->id);
		return;
	}
	from = whole_offset(text, len, args->after);
	to = args->to > 0 ? whole_offset(text, len, args->to) : len;
	to = to < from ? from : to;
	to = to - from > PIECE_MAX ? whole_offset(text, len, (int64_t)from + PIECE_MAX) : to;
	writer = request_result(request);
	(void)json_put_text(writer, "text", text + from, to - from);
	json_put_int(writer, "from", (int64_t)from);
	json_put_int(writer, "to", (int64_t)to);
	json_put_int(writer, "size", (int64_t)len);
	request_done(request);
}

const struct method methods_rest[] = {
    {.name = METHOD("read_rest", METHOD_READS | METHOD_SEES),
	.title = "Read on",
	.summary = "Reads on in an answer that was cut, as it says.",
	METHOD_CALL(handle_rest, rest_args, rest_fields, rest_results),
	.flags = METHOD_OPEN_WORLD | METHOD_TOOL | METHOD_UNNOTED | METHOD_WITHOUT_TMUX,
	.example = "{\"id\":\"R1C0FFEE0\",\"after\":8990}"},
    {.name = NULL},
};
