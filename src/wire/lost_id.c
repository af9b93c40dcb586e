/* SPDX-License-Identifier: ISC */
/* Finds the id in a line that cannot be read. */
#include "wire/lost_id.h"

#include <string.h>

/* Where the next byte stands. In the object itself, unless its place is NESTED. */
enum place {
	BEFORE, /* the object */
	BEFORE_NAME, /* or the end of an empty object */
	NAME,
	BEFORE_COLON,
	BEFORE_VALUE,
	STRING, /* a value */
	WORD, /* a number, true, false, null */
	NESTED,
	NESTED_STRING,
	AFTER_VALUE,
	AFTER, /* the object */
	BROKEN,
};

static bool is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* A letter of a number, or of true, false and null. */
static bool is_in_word(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == 'E' ||
	    byte == '.' || byte == '-' || byte == '+';
}

/* Keeps a byte of the value of an id. */
static void keep(struct lost_id *lost, char byte)
{
	if (lost->text_len < LOST_ID_MAX)
		lost->text[lost->text_len] = byte;
	lost->text_len++;
}

/* The value of a member has ended. */
static void end_value(struct lost_id *lost)
{
	lost->place = AFTER_VALUE;
	if (!lost->is_id)
		return;
	lost->count++;
	lost->len = lost->text_len <= LOST_ID_MAX ? lost->text_len : 0;
	lost->text[lost->len] = '\0';
}

static void pass_string(struct lost_id *lost, char byte)
{
	static const char id[] = "id";
	if (lost->place == STRING && lost->is_id)
		keep(lost, byte);
	if (lost->place == NAME && (byte != '"' || lost->is_escaped)) {
		lost->is_id &= lost->text_len < 2 && byte == id[lost->text_len];
		lost->text_len++;
		if (byte == '\\')
			lost->count++; /* it could be the name in other letters */
	}
	if (lost->is_escaped || byte == '\\') {
		lost->is_escaped = !lost->is_escaped;
	} else if (byte == '"' && lost->place == NAME) {
		lost->is_id &= lost->text_len == 2;
		lost->place = BEFORE_COLON;
	} else if (byte == '"' && lost->place == STRING) {
		end_value(lost);
	} else if (byte == '"') {
		lost->place = NESTED;
	}
}

static void begin_name(struct lost_id *lost)
{
	lost->place = NAME;
	lost->is_id = true;
	lost->text_len = 0;
}

static void pass_nested(struct lost_id *lost, char byte)
{
	bool is_array = byte == ']';
	if (byte == '"') {
		lost->place = NESTED_STRING;
	} else if (byte == '{' || byte == '[') {
		lost->depth++;
		lost->brackets = lost->brackets << 1 | (byte == '[');
	} else if (byte == '}' || byte == ']') {
		if (lost->depth <= 64 && (lost->brackets & 1) != is_array)
			lost->place = BROKEN;
		else if (--lost->depth == 0)
			end_value(lost);
		lost->brackets >>= 1;
	}
}

static void begin_value(struct lost_id *lost, char byte)
{
	lost->text_len = 0;
	if (byte == '{' || byte == '[') {
		lost->place = NESTED;
		pass_nested(lost, byte);
	} else if (byte == '"' || is_in_word(byte)) {
		lost->place = byte == '"' ? STRING : WORD;
		if (lost->is_id)
			keep(lost, byte);
	} else {
		lost->place = BROKEN;
	}
}

/* After the name of a member, or after its value. */
static void pass_mark(struct lost_id *lost, char byte)
{
	if (is_space(byte))
		return;
	if (lost->place == BEFORE_COLON && byte == ':')
		lost->place = BEFORE_VALUE;
	else if (lost->place == AFTER_VALUE && byte == ',')
		lost->place = BEFORE_NAME;
	else if (lost->place == AFTER_VALUE && byte == '}')
		lost->place = AFTER;
	else if (lost->place == BEFORE && byte == '{')
		lost->place = BEFORE_NAME;
	else
		lost->place = BROKEN;
}

/* Of what comes behind a fault only another id means something. */
static void pass_broken(struct lost_id *lost, char byte)
{
	memmove(lost->last, lost->last + 1, sizeof lost->last - 1);
	lost->last[sizeof lost->last - 1] = byte;
	if (memcmp(lost->last, "\"id\"", sizeof lost->last) == 0)
		lost->count++;
}

static void pass(struct lost_id *lost, char byte)
{
	switch ((enum place)lost->place) {
	case NAME:
	case STRING:
	case NESTED_STRING:
		pass_string(lost, byte);
		break;
	case NESTED:
		pass_nested(lost, byte);
		break;
	case BEFORE_NAME:
		if (byte == '"')
			begin_name(lost);
		else if (!is_space(byte))
			lost->place = BROKEN;
		break;
	case BEFORE_VALUE:
		if (!is_space(byte))
			begin_value(lost, byte);
		break;
	case WORD:
		if (!is_in_word(byte)) {
			end_value(lost);
			pass_mark(lost, byte);
		} else if (lost->is_id) {
			keep(lost, byte);
		}
		break;
	case BROKEN:
		break;
	default:
		pass_mark(lost, byte);
	}
	if (lost->place == BROKEN)
		pass_broken(lost, byte);
}

void lost_id_add(struct lost_id *lost, const char *bytes, size_t len)
{
	for (size_t at = 0; at < len; at++)
		pass(lost, bytes[at]);
}

const char *lost_id_get(const struct lost_id *lost)
{
	return lost->count == 1 && lost->len > 0 ? lost->text : NULL;
}
