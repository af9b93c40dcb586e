/* SPDX-License-Identifier: ISC */
/*
 * Any bytes from a peer, up to where a handler would be called: lines, JSON, envelopes, the
 * parameters of every method. Accepted values must keep the promises of their fields; a refusal
 * must make an error that is valid JSON.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"
#include "daemon/methods/tables.h"
#include "daemon/server/method.h"
#include "wire/field.h"
#include "wire/json.h"
#include "wire/line.h"
#include "wire/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LINE_MAX_BYTES 4096

static struct json_reader *reader;
static struct json_reader *answer_reader;
static struct buf scratch;
static struct buf answer;
static void *args;

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void set_up(void)
{
	size_t args_size = 1;
	if (reader != NULL)
		return;
	tables_register();
	for (const struct method *m = method_next(NULL); m; m = method_next(m))
		args_size = m->args_size > args_size ? m->args_size : args_size;
	reader = json_reader_new(LINE_MAX_BYTES);
	answer_reader = json_reader_new((size_t)1 << 20);
	buf_init(&scratch, (size_t)1 << 20);
	buf_init(&answer, (size_t)1 << 20);
	args = xcalloc(1, args_size);
}

/* An error with this text must be one line of JSON that cannot drive a terminal. */
static void check_error(
    const struct json *id, enum message_error error, const char *text, const char *field)
{
	struct json_writer writer;
	struct json_error json_error;
	struct buf id_text, data;
	const struct json *value;
	buf_init(&id_text, 65536);
	buf_init(&data, 65536);
	json_writer_init(&writer, &id_text);
	message_write_id(&writer, id);
	if (field != NULL) {
		json_writer_init(&writer, &data);
		(void)json_put_text(&writer, "field", field, strnlen(field, 256));
	}
	must(*text != '\0');
	buf_clear(&answer);
	json_writer_init(&writer, &answer);
	message_write_error(&writer, (const char *)id_text.data, error, text,
	    data.data ? (const char *)data.data : NULL);
	must(!writer.is_cut && answer.len > 0 && answer.data[answer.len - 1] == '\n');
	for (size_t i = 0; i + 1 < answer.len; i++)
		must(answer.data[i] >= 0x20 && answer.data[i] != 0x7f);
	value = json_read(answer_reader, (const char *)answer.data, answer.len - 1, &json_error);
	must(value != NULL && json_member(value, "error") != NULL);
	buf_finish(&id_text);
	buf_finish(&data);
}

static void check_string(const char *string)
{
	must(utf8_is_valid(string, strlen(string)));
}

/* The value of a field must fit its row. */
static void check_field(const struct field *field, const char *member)
{
	const struct field_strings *strings = (const struct field_strings *)(const void *)member;
	bool is_bounded = field->min != 0 || field->max != 0;
	switch (field->type) {
	case FIELD_STRING:
		if (*(const char *const *)(const void *)member != NULL)
			check_string(*(const char *const *)(const void *)member);
		break;
	case FIELD_BOOL:
		must(*(const uint8_t *)member <= 1);
		break;
	case FIELD_INT: {
		int64_t value = *(const int64_t *)(const void *)member;
		must(value >= -((int64_t)1 << 53) && value <= (int64_t)1 << 53);
		must(!is_bounded || value == 0 || field->max < field->min ||
		    (double)value <= field->max);
		break;
	}
	case FIELD_NUMBER:
		must(isfinite(*(const double *)(const void *)member));
		break;
	case FIELD_CHOICE: {
		int index = *(const int *)(const void *)member;
		must(index >= -1);
		for (int i = 0; i <= index; i++)
			must(field->choices[i] != NULL);
		break;
	}
	case FIELD_STRINGS:
	case FIELD_KEYS:
		for (size_t i = 0; i < strings->count; i++)
			check_string(strings->strings[i]);
		must(strings->count == 0 || strings->strings[strings->count] == NULL);
		break;
	case FIELD_STRING_MAP:
	case FIELD_VALUE:
		break;
	}
}

static void read_params(
    const struct method *method, const struct json *params, const struct json *id)
{
	struct field_error error = {0};
	buf_clear(&scratch);
	if (field_read(method->fields, params, args, method->args_size, &scratch, &error) < 0) {
		check_error(id, MESSAGE_PARAMS, error.text, error.field);
		return;
	}
	for (const struct field *field = method->fields; field != NULL && field->name != NULL;
	     field++)
		if (!(field->flags & FIELD_ALIAS))
			check_field(field, (const char *)args + field->offset);
}

/* The same with the rules for agents, which are wider. */
static void read_tolerant(const struct method *method, const struct json *params)
{
	static const char *const ignored[] = {"wait_for_previous", NULL};
	static const struct field_tolerance tolerance = {.ignored = ignored};
	struct field_error error = {0};
	buf_clear(&scratch);
	if (field_read_tolerant(method->fields, &tolerance, params, args, method->args_size,
		&scratch, &error) < 0) {
		check_error(NULL, MESSAGE_PARAMS, error.text, error.field);
		return;
	}
	for (const struct field *field = method->fields; field != NULL && field->name != NULL;
	     field++)
		if (!(field->flags & FIELD_ALIAS))
			check_field(field, (const char *)args + field->offset);
}

/* A call of a tool: its arguments, for the named method. */
static void read_call(const struct json *params)
{
	const struct json *name = params != NULL ? json_member(params, "name") : NULL;
	const struct json *arguments = params != NULL ? json_member(params, "arguments") : NULL;
	const struct method *method =
	    name != NULL && name->type == JSON_STRING ? method_find(name->text) : NULL;
	if (method != NULL && arguments != NULL && arguments->type == JSON_OBJECT)
		read_tolerant(method, arguments);
}

static void read_line(const char *line, size_t len)
{
	struct json_error error;
	struct message message;
	char reason[256] = "";
	const struct json *value = json_read(reader, line, len, &error);
	const char *nearest;
	const struct method *method;
	if (value == NULL) {
		check_error(NULL, MESSAGE_PARSE, error.text, NULL);
		return;
	}
	if (message_read(value, &message, reason, sizeof reason) < 0) {
		check_error(message.id, MESSAGE_REQUEST, reason, NULL);
		return;
	}
	if (message.is_response)
		return;
	if (strcmp(message.method, "tools/call") == 0)
		read_call(message.params);
	method = method_find(message.method);
	if (method != NULL) {
		read_params(method, message.params, message.id);
		return;
	}
	nearest = method_nearest(message.method);
	must(nearest == NULL || method_find(nearest) != NULL);
	/* Parameters without a method are tried on every method. */
	for (method = method_next(NULL); method != NULL; method = method_next(method))
		read_params(method, message.params, message.id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct line_input input;
	const char *line;
	size_t len, piece;
	enum line_result result;
	set_up();
	line_input_init(&input, LINE_MAX_BYTES);
	/* The first byte chooses the pieces in which the rest comes. */
	piece = size > 0 && data[0] % 16 ? data[0] : size + 1;
	for (size_t at = size > 0; at < size; at += piece) {
		line_input_add(&input, data + at, size - at < piece ? size - at : piece);
		while ((result = line_input_next(&input, &line, &len)) != LINE_NONE)
			if (result == LINE_FOUND)
				read_line(line, len);
	}
	while ((result = line_input_end(&input, &line, &len)) != LINE_NONE)
		if (result == LINE_FOUND)
			read_line(line, len);
	must(!line_input_is_pending(&input));
	line_input_finish(&input);
	return 0;
}
