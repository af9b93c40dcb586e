/* SPDX-License-Identifier: ISC */
/* Reads contexts (OSC 3008). */
#include "daemon/pane/osc_context.h"

#include <string.h>

#include "daemon/tmux/osc_text.h"

static const char prefix[] = "3008;";

static const char word_characters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-";

static const struct row {
	const char *key;
	size_t offset;
	size_t size;
	bool is_text;
} rows[] = {
#define ROW(key_, member_, is_text_)                                     \
	{                                                                \
		key_, offsetof(struct osc_context, member_),             \
		    sizeof(((struct osc_context *)0)->member_), is_text_ \
	}
    ROW("agent", agent, false),
    ROW("end", id, false),
    ROW("muxbus", token, false),
    ROW("question", question, true),
    ROW("session", session, false),
    ROW("start", id, false),
    ROW("state", state, false),
    ROW("to", to, false),
    ROW("wake", wake, true),
#undef ROW
};

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *found =
	    c != '\0' ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
	return found != NULL ? (int)(found - digits) : -1;
}

/* Replaces each \xHH by its byte. */
static void unescape(struct buf *out, struct osc_part value)
{
	for (size_t at = 0; at < value.len; at++) {
		bool is_escape = value.len - at >= 4 && value.at[at] == '\\' &&
		    value.at[at + 1] == 'x' && hex_digit(value.at[at + 2]) >= 0 &&
		    hex_digit(value.at[at + 3]) >= 0;
		uint8_t byte = (uint8_t)value.at[at];
		if (is_escape) {
			byte = (uint8_t)(16 * hex_digit(value.at[at + 2]) +
			    hex_digit(value.at[at + 3]));
			at += 3;
		}
		(void)buf_append_byte(out, byte);
	}
}

static void take_value(struct osc_context *context, const struct row *row, struct osc_part value)
{
	char *out = (char *)context + row->offset;
	struct buf plain;
	buf_init(&plain, value.len);
	unescape(&plain, value);
	out[0] = '\0';
	if (row->is_text)
		osc_text_copy(out, row->size, plain.data, plain.len);
	else if (plain.len > 0 && plain.len < row->size &&
	    strspn((const char *)plain.data, word_characters) == plain.len)
		memcpy(out, plain.data, plain.len + 1);
	buf_finish(&plain);
}

static void take_pair(struct osc_context *context, struct osc_part pair)
{
	struct osc_part key;
	if (!osc_part_next(&pair, '=', &key) || pair.at == NULL)
		return;
	for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
		if (osc_part_is(key, rows[at].key))
			take_value(context, &rows[at], pair);
	}
}

bool osc_context_read(const char *string, size_t len, struct osc_context *ret_context)
{
	struct osc_part rest = {string, len}, pair;
	bool is_start;
	*ret_context = (struct osc_context){0};
	if (len < sizeof prefix || memcmp(string, prefix, sizeof prefix - 1) != 0)
		return false;
	rest.at += sizeof prefix - 1;
	rest.len -= sizeof prefix - 1;
	is_start = rest.len > 6 && memcmp(rest.at, "start=", 6) == 0;
	ret_context->is_end = rest.len > 4 && memcmp(rest.at, "end=", 4) == 0;
	while ((is_start || ret_context->is_end) && osc_part_next(&rest, ';', &pair))
		take_pair(ret_context, pair);
	return is_start || ret_context->is_end;
}
