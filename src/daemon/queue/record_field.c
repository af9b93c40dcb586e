/* SPDX-License-Identifier: ISC */
#include "daemon/queue/record_field.h"

#include <muxbus.h>

#include "daemon/core/pane_ref.h"
#include "daemon/queue/store.h"

static const char digits[] = "0123456789";

static const char *put_numbers(struct json_writer *writer, const char *name, const char *text)
{
	size_t len;
	json_array_begin(writer, name);
	for (text += strspn(text, " "); (len = strspn(text, digits)) > 0;
	     text += strspn(text, " ")) {
		json_put_raw(writer, NULL, text, len);
		text += len;
	}
	json_array_end(writer);
	return text;
}

static bool put_hex(struct json_writer *writer, const char *name, const char *word, size_t len)
{
	uint8_t bytes[256];
	if (len / 2 > sizeof bytes || strspn(word, "0123456789abcdef") < len)
		return false;
	for (size_t at = 0; at < len / 2; at++)
		(void)sscanf(word + 2 * at, "%2hhx", &bytes[at]);
	json_put_base64(writer, name, bytes, len / 2);
	return len % 2 == 0;
}

static bool put_word(
    struct json_writer *writer, char sigil, const char *name, const char *word, size_t len)
{
	size_t sign = len > 1 && word[0] == '-';
	switch (sigil) {
	case '?':
		json_put_bool(writer, name, word[0] == '1');
		return len == 1 && (word[0] == '0' || word[0] == '1');
	case '#':
		json_put_raw(writer, name, word, len);
		return len > sign && strspn(word + sign, digits) >= len - sign;
	case '%':
		return put_hex(writer, name, word, len);
	case '$':
		if (len == 1 && word[0] == '-')
			return true;
		break;
	default:
		break;
	}
	return !json_put_text(writer, name, word, len);
}

static bool put_words(
    struct json_writer *writer, const char *order, const char *text, const char *end)
{
	while (*order != '\0') {
		char sigil = *order++;
		size_t name_len = strspn(order, "abcdefghijklmnopqrstuvwxyz_"), len;
		char name[32] = "";
		const char *next;
		if (strchr("#?$=%&", sigil) == NULL) {
			if (text == end || *text++ != sigil)
				return false;
			continue;
		}
		strncat(name, order, name_len < sizeof name - 1 ? name_len : sizeof name - 1);
		order += name_len;
		if (sigil == '&') {
			text = put_numbers(writer, name, text);
			continue;
		}
		if (*order == '&')
			next = text + strspn(text, digits);
		else
			next = *order == '\0' ? end : memchr(text, *order, (size_t)(end - text));
		if (next == NULL)
			return false;
		len = (size_t)(next - text);
		if (!put_word(writer, sigil, name, text, len))
			return false;
		text = next;
	}
	return text == end;
}

/*
 * Translates words of release 0.1 to JSON. order describes the words of a text by a sign and a name
 * for each word, as in "#stage #created_ms $pane\n=text". The signs: '#' a number, '?' 0 or 1, '='
 * a string, '$' a string or "-" for none, '%' bytes in hex, '&' a list of numbers with the spaces
 * around them. The last word goes to the end of the text. Returns false if the text has another
 * form.
 */
static bool record_0_1_translate(const char *order, const char *text, size_t len, struct buf *out)
{
	char *copy = xmemdup(text, len); /* with a NUL */
	struct json_writer writer;
	bool is_read;
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	is_read = strlen(copy) == len && put_words(&writer, order, copy, copy + len);
	json_object_end(&writer);
	mem_free(copy);
	return is_read && !writer.is_cut;
}

static void *member(const struct record_field *field, const void *object)
{
	return (char *)(uintptr_t)object + field->offset;
}

static size_t *member_count(const struct record_field *field, const void *object)
{
	return (size_t *)(void *)((char *)(uintptr_t)object + field->count_offset);
}

static char *list_element(const struct record_field *field, const void *object, size_t at)
{
	return (char *)member(field, object) + at * (field->size / (size_t)field->values);
}

static void write_text(
    struct json_writer *writer, const struct record_field *field, const char *text)
{
	if (text == NULL)
		return;
	if (field->type == RECORD_JSON)
		json_put_raw(writer, field->name, text, strlen(text));
	else
		(void)json_put_text(writer, field->name, text, strlen(text));
}

static void write_array(
    struct json_writer *writer, const struct record_field *field, const void *object)
{
	size_t count = field->type == RECORD_STRINGS ? 0 : *member_count(field, object);
	void *at = member(field, object);
	json_array_begin(writer, field->name);
	for (char **string = *(char ***)at; field->type == RECORD_STRINGS && *string != NULL;
	     string++)
		(void)json_put_text(writer, NULL, *string, strlen(*string));
	for (size_t i = 0; i < count; i++) {
		if (field->type == RECORD_NUMBERS) {
			json_put_int(writer, NULL, (int64_t)(*(uint64_t **)at)[i]);
			continue;
		}
		json_object_begin(writer, NULL);
		record_write(writer, field->rows, list_element(field, object, i));
		json_object_end(writer);
	}
	json_array_end(writer);
}

static void write_field(
    struct json_writer *writer, const struct record_field *field, const void *object)
{
	void *at = member(field, object);
	char text[PANE_REF_TEXT_SIZE];
	switch (field->type) {
	case RECORD_BOOL:
		json_put_bool(writer, field->name, *(bool *)at);
		break;
	case RECORD_INT:
	case RECORD_NATURAL:
		json_put_int(
		    writer, field->name, field->size == sizeof(int) ? *(int *)at : *(int64_t *)at);
		break;
	case RECORD_UINT64:
		(void)str_put_u64(text, *(uint64_t *)at, 1);
		json_put_str(writer, field->name, text);
		break;
	case RECORD_NAME:
		json_put_str(writer, field->name, field->names[*(int *)at]);
		break;
	case RECORD_PANE:
		if (((struct pane_ref *)at)->pane == MUXBUS_NO_ID)
			break;
		pane_ref_format(at, text);
		json_put_str(writer, field->name, text);
		break;
	case RECORD_THREAD:
		if (((struct pane_ref *)at)->thread[0] != '\0')
			json_put_str(writer, field->name, ((struct pane_ref *)at)->thread);
		break;
	case RECORD_BYTES:
		json_put_base64(writer, field->name, at,
		    field->count_offset > 0 ? *member_count(field, object) : strlen(at));
		break;
	case RECORD_WORD:
		write_text(writer, field, at);
		break;
	case RECORD_TEXT:
	case RECORD_JSON:
		write_text(writer, field, *(char **)at);
		break;
	case RECORD_STRINGS:
	case RECORD_NUMBERS:
	case RECORD_LIST:
		write_array(writer, field, object);
		break;
	}
}

void record_write(struct json_writer *writer, const struct record_rows *rows, const void *object)
{
	for (size_t at = 0; at < rows->count; at++)
		write_field(writer, &rows->fields[at], object);
}

static bool read_int(const struct json *value, const struct record_field *field, void *at)
{
	int64_t number;
	if (!json_int(value, &number) || (field->type == RECORD_NATURAL && number < 0) ||
	    (field->values > 0 && (number < 0 || number >= field->values)))
		return false;
	if (field->size == sizeof number)
		*(int64_t *)at = number;
	else if (number < INT_MIN || number > INT_MAX)
		return false;
	else
		*(int *)at = (int)number;
	return true;
}

static bool read_name(const struct json *value, const struct record_field *field, int *ret_value)
{
	for (int at = 0; at < field->values; at++) {
		if (strcmp(value->text, field->names[at]) != 0)
			continue;
		*ret_value = at;
		return true;
	}
	return false;
}

static bool read_bytes(const struct json *value, const struct record_field *field, void *object)
{
	struct buf bytes = BUF(field->count_offset > 0 ? field->size : field->size - 1);
	bool is_read;
	is_read = base64_decode(&bytes, value->text, value->len) == 0;
	if (is_read && bytes.len > 0)
		memcpy(member(field, object), bytes.data, bytes.len);
	if (is_read && field->count_offset > 0)
		*member_count(field, object) = bytes.len;
	buf_finish(&bytes);
	return is_read;
}

static bool read_word(const struct json *value, size_t size, char *out)
{
	if (value->len >= size)
		return false;
	memcpy(out, value->text, value->len + 1);
	return true;
}

static bool read_string(const struct json *value, const struct record_field *field, void *object)
{
	void *at = member(field, object);
	if (value->type != JSON_STRING)
		return false;
	switch (field->type) {
	case RECORD_NAME:
		return read_name(value, field, at);
	case RECORD_PANE: /* release 0.1 wrote "-" for no pane */
		return strcmp(value->text, "-") == 0 || pane_ref_parse(value->text, at);
	case RECORD_WORD:
		return read_word(value, field->size, at);
	case RECORD_THREAD:
		return read_word(value, PANE_REF_THREAD_SIZE, ((struct pane_ref *)at)->thread);
	case RECORD_BYTES:
		return read_bytes(value, field, object);
	default:
		*(char **)at = xstrdup(value->text);
		return true;
	}
}

static bool read_json(const struct json *value, char **ret_text)
{
	*ret_text = value->type == JSON_OBJECT ? json_text(value, STORE_VALUE_MAX) : NULL;
	return *ret_text != NULL;
}

static bool read_strings(const struct json *value, char **strings)
{
	for (; value != NULL && value->type == JSON_STRING; value = value->next)
		*strings++ = xstrdup(value->text);
	return value == NULL;
}

static bool read_numbers(const struct json *value, uint64_t *numbers, size_t *ret_count)
{
	int64_t number;
	for (; value != NULL && json_int(value, &number) && number >= 0; value = value->next)
		numbers[(*ret_count)++] = (uint64_t)number;
	return value == NULL;
}

static bool read_list(const struct json *value, const struct record_field *field, void *object)
{
	size_t *count = member_count(field, object);
	for (; value != NULL && *count < (size_t)field->values; value = value->next) {
		if (!record_read(field->rows, value, list_element(field, object, *count)))
			return false;
		++*count;
	}
	return value == NULL;
}

static bool read_array(const struct json *value, const struct record_field *field, void *object)
{
	void **at = member(field, object);
	/* Release 0.1 wrote a list of one element without the array. */
	if (field->type == RECORD_LIST && field->values == 1 && value->type == JSON_OBJECT) {
		*member_count(field, object) = 1;
		return record_read(field->rows, value, at);
	}
	if (value->type != JSON_ARRAY)
		return false;
	if (field->type == RECORD_LIST)
		return read_list(value->child, field, object);
	*at = xcalloc(value->count + 1, sizeof(uint64_t));
	return field->type == RECORD_STRINGS
	    ? read_strings(value->child, *at)
	    : read_numbers(value->child, *at, member_count(field, object));
}

static bool read_field(const struct json *value, const struct record_field *field, void *object)
{
	void *at = member(field, object);
	switch (field->type) {
	case RECORD_BOOL:
		*(bool *)at = value->boolean;
		return value->type == JSON_BOOL;
	case RECORD_INT:
	case RECORD_NATURAL:
		return read_int(value, field, at);
	case RECORD_UINT64: /* release 0.1 wrote a number */
		return (value->type == JSON_STRING || value->type == JSON_NUMBER) &&
		    str_parse_u64(value->text, value->len, at);
	case RECORD_JSON:
		return read_json(value, at);
	case RECORD_STRINGS:
	case RECORD_NUMBERS:
	case RECORD_LIST:
		return read_array(value, field, object);
	default:
		return read_string(value, field, object);
	}
}

static bool read_fields(const struct record_rows *rows, const struct json *value, void *object)
{
	if (value == NULL || value->type != JSON_OBJECT)
		return false;
	for (size_t at = 0; at < rows->count; at++) {
		const struct record_field *field = &rows->fields[at];
		const struct json *found = json_given(value, field->name);
		if (field->type == RECORD_PANE)
			pane_ref_clear(member(field, object));
		if (found != NULL ? !read_field(found, field, object) : !field->is_optional)
			return false;
	}
	return true;
}

static bool read_words(const struct record_rows *rows, const struct json *value, void *object)
{
	struct json_reader *reader = json_reader_new(STORE_VALUE_MAX);
	struct json_error error;
	struct buf text = BUF(STORE_VALUE_MAX);
	bool is_read = record_0_1_translate(rows->order_0_1, value->text, value->len, &text) &&
	    read_fields(rows, json_read(reader, (const char *)text.data, text.len, &error), object);
	buf_finish(&text);
	json_reader_free(reader);
	return is_read;
}

bool record_read(const struct record_rows *rows, const struct json *value, void *object)
{
	bool is_words = value != NULL && value->type == JSON_STRING && rows->order_0_1 != NULL;
	if (is_words ? read_words(rows, value, object) : read_fields(rows, value, object))
		return true;
	record_finish(rows, object);
	return false;
}

static void finish_field(const struct record_field *field, void *object)
{
	void **owned = member(field, object);
	char **string = *owned;
	for (; field->type == RECORD_STRINGS && string != NULL && *string != NULL; string++)
		mem_free(*string);
	mem_free(*owned);
	*owned = NULL;
}

void record_finish(const struct record_rows *rows, void *object)
{
	for (size_t at = 0; at < rows->count; at++) {
		const struct record_field *field = &rows->fields[at];
		if (field->type == RECORD_TEXT || field->type == RECORD_JSON ||
		    field->type == RECORD_STRINGS || field->type == RECORD_NUMBERS)
			finish_field(field, object);
		for (int i = 0; field->type == RECORD_LIST && i < field->values; i++)
			record_finish(field->rows, list_element(field, object, (size_t)i));
	}
}
