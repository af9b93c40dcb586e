/* SPDX-License-Identifier: ISC */
/* Records of release 0.1 that are not JSON but words in a fixed order. */
#include "daemon/queue/record_0_1.h"

#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "wire/json.h"

static const char digits[] = "0123456789";

/* Writes a list of numbers. Returns where it ends. */
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
		(void)sscanf(word + 2 * at, "%2hhx", &bytes[at]); /* two digits: it reads them */
	json_put_base64(writer, name, bytes, len / 2);
	return len % 2 == 0;
}

/* Writes a word that is no list. False if it has another form. */
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

/* Reads the words. False if the text has another form. */
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

bool record_0_1_translate(const char *order, const char *text, size_t len, struct buf *out)
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
