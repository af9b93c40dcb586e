/* SPDX-License-Identifier: ISC */
#include "wire/redaction.h"

#include "wire/field.h"

/* Writes the size of a value in place of the value: "(12 bytes)" or "(3 values)". */
static void write_size(struct json_writer *writer, const char *name, const struct json *value)
{
	bool is_list = value->type == JSON_ARRAY || value->type == JSON_OBJECT;
	char text[1 + STR_U64_SIZE + sizeof " values)"] = "(";
	size_t len = str_put_u64(text + 1, is_list ? value->count : value->len, 1);
	strcpy(text + 1 + len, is_list ? " values)" : " bytes)");
	json_put_str(writer, name, text);
}

/* Returns true if an element of an array is a flag ("-t") or a tmux id ("%3"). */
static bool is_plain_word(const struct json *value)
{
	const char *text = value->text;
	if (value->type != JSON_STRING || value->len < 2 || value->len > PANE_DIGITS_MAX)
		return false;
	return (value->len == 2 && text[0] == '-') ||
	    (strchr("$%@", text[0]) != NULL && strspn(text + 1, "0123456789") == value->len - 1);
}

/* Writes a parameter for a record. Returns true if some of its value was left out. */
static bool write_recorded(
    struct json_writer *writer, const struct field *fields, const struct json *value)
{
	static const unsigned confidential = FIELD_CONFIDENTIAL | FIELD_CONFIDENTIAL_REST;
	const struct field *row = fields != NULL ? field_find(fields, value) : NULL;
	unsigned flags =
	    row != NULL ? row->flags | field_principal(row)->flags : FIELD_CONFIDENTIAL;
	bool is_number = row != NULL && value->type == JSON_NUMBER &&
	    (row->type == FIELD_INT || row->type == FIELD_NUMBER);
	bool is_short = value->type == JSON_BOOL || value->type == JSON_NULL || is_number;
	if (!(flags & confidential) || is_short) {
		json_put_value(writer, value->name, value);
		return false;
	}
	if (flags & FIELD_CONFIDENTIAL_REST && value->type == JSON_ARRAY && value->child != NULL) {
		json_array_begin(writer, value->name);
		json_put_value(writer, NULL, value->child);
		for (const struct json *rest = value->child->next; rest; rest = rest->next)
			if (is_plain_word(rest))
				json_put_value(writer, NULL, rest);
			else
				write_size(writer, NULL, rest);
		json_array_end(writer);
	} else {
		write_size(writer, value->name, value);
	}
	return true;
}

bool redaction_write(
    struct json_writer *writer, const struct field *fields, const struct json *params)
{
	bool is_masked = false;
	if (params != NULL && params->type != JSON_OBJECT) {
		write_size(writer, NULL, params);
		return true;
	}
	json_object_begin(writer, NULL);
	json_each (value, params)
		is_masked |= write_recorded(writer, fields, value);
	json_object_end(writer);
	return is_masked;
}
