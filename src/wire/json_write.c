/* SPDX-License-Identifier: ISC */
/* The writer: cuts or leaves out values without room, and keeps room to complete the JSON. */
#include "wire/json.h"

#include <math.h>

/* A cut string leaves this room for later values, or a quarter of what is left if that is less. */
#define TAIL_BYTES 8192

#define SHORT_BYTES 256 /* longer texts always go to the escaper */

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte)) /* a word with this value in each byte */

#define FIRST_BYTES 1000 /* initial memory in json_start_object() */

#define NAME_BYTES 40 /* open_plain() takes names up to this length */

#define NAME_SHOWN_MAX 40 /* longer names, and those that are not plain, are "*" in a path */

static const char cut_begin[] = "\"cut\":[";
static const char truncated[] = "\"truncated\":true";

/* The mark with its commas, the bracket of its list, and the newline after the document. */
#define MARK_BYTES (sizeof truncated + sizeof cut_begin + JSON_CUT_BYTES + 4)

_Static_assert(MARK_BYTES + JSON_PATH_MAX < JSON_SPARE, "the spare room holds the mark");

void json_writer_init(struct json_writer *writer, struct buf *buf)
{
	/* path and cut, the last members, need no zeros, since they have counts. */
	memset(writer, 0, offsetof(struct json_writer, path));
	writer->buf = buf;
}

static void check_memory(int r)
{
	if (r == BUF_NOMEM)
		xalloc_fail();
}

/* Returns the room for a value. Room for closing brackets and the mark is kept. */
static size_t room(const struct json_writer *writer)
{
	size_t left = writer->buf->max - writer->buf->len;
	size_t kept = MARK_BYTES + writer->depth;
	return left > kept ? left - kept : 0;
}

/* Appends len bytes. The caller has checked the room. */
static inline void put(struct json_writer *writer, const void *bytes, size_t len)
{
	struct buf *buf = writer->buf;
	if (buf->cap - buf->len <= len)
		check_memory(buf_reserve(buf, len));
	if (len)
		memcpy(buf->data + buf->len, bytes, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

/* Appends text that completes the JSON. Raises the maximum of the buffer if needed. */
static void put_end(struct json_writer *writer, const char *text, size_t len)
{
	struct buf *buf = writer->buf;
	if (buf->max - buf->len < len)
		buf->max = buf->len + len;
	put(writer, text, len);
}

static inline void put_byte(struct json_writer *writer, char byte)
{
	struct buf *buf = writer->buf;
	if (buf->cap - buf->len < 2 || buf->max == buf->len) {
		put_end(writer, &byte, 1);
		return;
	}
	buf->data[buf->len++] = (uint8_t)byte;
	buf->data[buf->len] = '\0';
}

/* Returns the top bit of each byte that is 0. May also set the top bit of the byte behind a 0. */
static inline uint64_t zeros(uint64_t word)
{
	return (word - EACH(0x01)) & ~word;
}

/* Returns true if all eight bytes are ASCII and need no escape. */
static inline bool is_plain_word(uint64_t word)
{
	return ((word | (word - EACH(0x20)) | zeros(word ^ EACH('"')) | zeros(word ^ EACH('\\')) |
		    zeros(word ^ EACH(0x7f))) &
		   EACH(0x80)) == 0;
}

static inline uint64_t load(const char *bytes, size_t len)
{
	uint64_t word = 0;
	memcpy(&word, bytes, len);
	return word;
}

static inline bool is_plain(const char *text, size_t len)
{
	if (len >= 8) {
		for (size_t i = 0; i + 8 < len; i += 8)
			if (!is_plain_word(load(text + i, 8)))
				return false;
		return is_plain_word(load(text + len - 8, 8));
	}
	if (len >= 4)
		return is_plain_word(load(text, 4) << 32 | load(text + len - 4, 4));
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] >= 0x7f ||
		    text[i] == '"' || text[i] == '\\')
			return false;
	return true;
}

static void add_to_path(struct json_writer *writer, const char *name, size_t len)
{
	char *to = writer->cut + writer->cut_len;
	bool is_first = writer->cut_len > 0 && to[-1] == '"';
	if (!is_plain(name, len) || len > NAME_SHOWN_MAX) {
		name = "*";
		len = 1;
	}
	if (writer->cut_len + !is_first + len + sizeof "\",\"...\"" > JSON_CUT_BYTES)
		return;
	if (!is_first)
		*to++ = '.';
	memcpy(to, name, len);
	writer->cut_len = (size_t)(to - writer->cut) + len;
}

static void note_cut(struct json_writer *writer, const char *name)
{
	static const char more[] = ",\"...\"";
	size_t start = writer->cut_len, len;
	writer->is_cut = true;
	if (start + NAME_SHOWN_MAX + 2 * sizeof more > JSON_CUT_BYTES) {
		if (start >= sizeof more && memcmp(writer->cut + start - 4, "...", 3) == 0)
			return;
		memcpy(writer->cut + start, more, sizeof more - 1);
		writer->cut_len += sizeof more - 1;
		return;
	}
	if (start > 0)
		writer->cut[writer->cut_len++] = ',';
	writer->cut[writer->cut_len++] = '"';
	for (size_t i = 0; i < writer->depth && i < JSON_PATH_MAX; i++) {
		const char *at = (const char *)writer->buf->data + writer->path[i];
		if (*at == '"')
			add_to_path(writer, at + 1, (size_t)(strchr(at + 1, '"') - at - 1));
	}
	if (name != NULL)
		add_to_path(writer, name, strlen(name));
	writer->cut[writer->cut_len++] = '"';
	/* All cut elements of one array have the same path: keep the first. */
	len = writer->cut_len - start;
	if (start >= len - 1 && start > 0 &&
	    memcmp(writer->cut + start - (len - 1), writer->cut + start + 1, len - 1) == 0)
		writer->cut_len = start;
}

/* Returns true at the depth of the mark: 1 in a document, 0 for members without brackets. */
static bool is_at_mark(const struct json_writer *writer)
{
	return writer->depth == !writer->has_members;
}

static void put_mark(struct json_writer *writer)
{
	writer->mark = writer->buf->len;
	writer->mark_comma = writer->needs_comma;
	writer->has_mark = true;
	if (writer->truncated_at > 0) {
		uint8_t *value = writer->buf->data + writer->truncated_at;
		if (memcmp(value, "false", 5) == 0)
			memcpy(value, "true ", 5);
	} else {
		put_end(writer, ",", writer->needs_comma);
		put_end(writer, truncated, sizeof truncated - 1);
		writer->needs_comma = true;
	}
	if (writer->has_cut_member)
		return;
	put_end(writer, ",", writer->needs_comma);
	put_end(writer, cut_begin, sizeof cut_begin - 1);
	put_end(writer, writer->cut, writer->cut_len);
	put_end(writer, "]", 1);
	writer->needs_comma = true;
}

/* Removes the mark from the end of members, as another member follows. */
static void lift_mark(struct json_writer *writer)
{
	writer->has_mark = false;
	writer->buf->len = writer->mark;
	writer->needs_comma = writer->mark_comma;
}

/* Called after each value, since members without brackets end with the mark if one was cut. */
static inline void close_value(struct json_writer *writer)
{
	if (writer->is_cut && writer->has_members && writer->depth == 0)
		put_mark(writer);
}

static void leave_out(struct json_writer *writer, const char *name)
{
	if (writer->skipped == 0)
		note_cut(writer, name);
	writer->is_full = true;
	close_value(writer);
}

static inline void note_member(struct json_writer *writer, const char *name)
{
	if (!is_at_mark(writer))
		return;
	if (name[0] == 't' && strcmp(name, "truncated") == 0)
		writer->truncated_at = writer->buf->len;
	else if (name[0] == 'c' && strcmp(name, "cut") == 0)
		writer->has_cut_member = true;
}

static const bool plain_bytes[256] = {
    [' ' ... '"' - 1] = true, ['"' + 1 ... '\\' - 1] = true, ['\\' + 1 ... '~'] = true};

/* The fast form of open_value(), for short plain names and ample room. False: not written. */
static inline bool open_plain(struct json_writer *writer, const char *name, size_t len)
{
	struct buf *buf = writer->buf;
	size_t need = NAME_BYTES + len + 4, at = 0;
	uint8_t *to;
	if (buf->cap - buf->len <= need || room(writer) < need || writer->is_full ||
	    writer->has_mark)
		return false;
	to = buf->data + buf->len;
	if (name != NULL) {
		uint8_t *byte = to + writer->needs_comma;
		*byte++ = '"';
		while (plain_bytes[(uint8_t)name[at]] && at < NAME_BYTES)
			*byte++ = (uint8_t)name[at++];
		if (name[at] != '\0') {
			*to = '\0';
			return false;
		}
		*byte++ = '"';
		*byte++ = ':';
		*byte = '\0';
		at += 3;
	}
	if (writer->needs_comma)
		*to = ',';
	writer->value = buf->len + writer->needs_comma;
	buf->len = writer->value + at;
	writer->needs_comma = true;
	if (name == NULL)
		return true;
	writer->has_members |= writer->depth == 0;
	note_member(writer, name);
	return true;
}

/* The form of open_value() for any name and any room. Returns false if the value is left out. */
static __attribute__((noinline)) bool open_measured(
    struct json_writer *writer, const char *name, size_t len)
{
	size_t name_len = name != NULL ? strlen(name) : 0, escaped = 0;
	struct buf *buf = writer->buf;
	bool is_lossy;
	if (buf_reserve(buf, NAME_BYTES + len + 4) == 0 && open_plain(writer, name, len))
		return true;
	if (name != NULL)
		(void)json_escape_fit(name, name_len, SIZE_MAX, &escaped);
	if (writer->has_mark)
		lift_mark(writer);
	writer->has_members = writer->has_members || (writer->depth == 0 && name != NULL);
	if (writer->is_full || room(writer) < escaped + len + 4) {
		leave_out(writer, name);
		return false;
	}
	if (buf->cap - buf->len <= escaped + len + 4)
		check_memory(buf_reserve(buf, escaped + len + 4));
	buf->data[buf->len] = ',';
	buf->len += writer->needs_comma;
	writer->needs_comma = true;
	writer->value = buf->len;
	if (name == NULL)
		return true;
	buf->data[buf->len++] = '"';
	check_memory(json_escape(buf, name, name_len, &is_lossy));
	put(writer, "\":", 2);
	note_member(writer, name);
	return true;
}

static bool open_value(struct json_writer *writer, const char *name, size_t len)
{
	return open_plain(writer, name, len) || open_measured(writer, name, len);
}

static void put_token(struct json_writer *writer, const char *name, const char *token, size_t len)
{
	if (!open_value(writer, name, len))
		return;
	put(writer, token, len);
	close_value(writer);
}

static void begin(struct json_writer *writer, const char *name, char bracket)
{
	bool is_first = writer->depth == 0 && name == NULL && !writer->is_full;
	if (writer->skipped > 0 || (!is_first && !open_value(writer, name, 1))) {
		writer->skipped++;
		return;
	}
	if (is_first) { /* written even without room, since the mark needs an object */
		if (writer->needs_comma)
			put_byte(writer, ',');
		writer->value = writer->buf->len;
	}
	put_byte(writer, bracket);
	if (writer->depth < JSON_PATH_MAX)
		writer->path[writer->depth] = writer->value;
	writer->depth++;
	writer->needs_comma = false;
}

static void end(struct json_writer *writer, char bracket)
{
	if (writer->skipped > 0) {
		writer->skipped--;
		return;
	}
	if (writer->is_cut && writer->depth == 1 && !writer->has_members && bracket == '}')
		put_mark(writer);
	put_byte(writer, bracket);
	writer->has_mark = false;
	writer->depth--;
	writer->needs_comma = true;
	close_value(writer);
}

void json_end_line(struct json_writer *writer)
{
	bool is_cut = writer->is_cut;
	put_byte(writer, '\n');
	json_writer_init(writer, writer->buf);
	writer->is_cut = is_cut;
}

void json_start(struct json_writer *writer, struct buf *out, size_t max)
{
	buf_init(out, max);
	json_writer_init(writer, out);
}

void json_restart(struct json_writer *writer, struct buf *out, size_t max)
{
	buf_clear(out);
	out->max = max;
	json_writer_init(writer, out);
}

void json_start_object(struct json_writer *writer, struct buf *out, size_t max)
{
	json_start(writer, out, max);
	(void)buf_reserve(out, max < FIRST_BYTES ? max : FIRST_BYTES); /* the next write retries */
	json_object_begin(writer, NULL);
}

void json_object_begin(struct json_writer *writer, const char *name)
{
	begin(writer, name, '{');
}

void json_object_end(struct json_writer *writer)
{
	end(writer, '}');
}

void json_array_begin(struct json_writer *writer, const char *name)
{
	begin(writer, name, '[');
}

void json_array_end(struct json_writer *writer)
{
	end(writer, ']');
}

void json_put_null(struct json_writer *writer, const char *name)
{
	put_token(writer, name, "null", 4);
}

void json_put_bool(struct json_writer *writer, const char *name, bool value)
{
	if (value)
		put_token(writer, name, "true", 4);
	else
		put_token(writer, name, "false", 5);
}

void json_put_int(struct json_writer *writer, const char *name, int64_t value)
{
	char text[STR_U64_SIZE + 1] = "-";
	size_t sign = value < 0;
	size_t len = str_put_u64(text + sign, sign ? 0 - (uint64_t)value : (uint64_t)value, 1);
	put_token(writer, name, text, sign + len);
}

size_t json_format_double(char out[JSON_DOUBLE_SIZE], double value)
{
	int len = 0;
	if (!signbit(value) && value < 1e15 && value == (double)(uint64_t)value)
		return str_put_u64(out, (uint64_t)value, 1);
	for (int precision = 15; precision <= 17; precision++) {
		len = snprintf(out, JSON_DOUBLE_SIZE, "%.*g", precision, value);
		if (strtod(out, NULL) == value)
			break;
	}
	return (size_t)len;
}

void json_put_double(struct json_writer *writer, const char *name, double value)
{
	char text[JSON_DOUBLE_SIZE];
	if (isfinite(value))
		put_token(writer, name, text, json_format_double(text, value));
	else
		json_put_null(writer, name);
}

void json_put_str(struct json_writer *writer, const char *name, const char *string)
{
	if (string != NULL)
		(void)json_put_text(writer, name, string, strlen(string));
	else
		json_put_null(writer, name);
}

void json_put_given(struct json_writer *writer, const char *name, const char *string)
{
	if (string != NULL)
		json_put_str(writer, name, string);
}

/* Escapes into at most max bytes, all or nothing. */
static int escape_within(
    struct json_writer *writer, size_t max, const void *bytes, size_t len, bool *lossy)
{
	struct buf *buf = writer->buf;
	size_t whole_max = buf->max;
	int r;
	buf->max = buf->len + max;
	r = json_escape(buf, bytes, len, lossy);
	buf->max = whole_max;
	check_memory(r);
	return r;
}

static size_t cut_room(size_t room)
{
	return room - (room / 4 < TAIL_BYTES ? room / 4 : TAIL_BYTES);
}

/* Writes a plain text with quotes. The caller has checked the room. */
static void put_quoted(struct json_writer *writer, const char *text, size_t len)
{
	struct buf *buf = writer->buf;
	uint8_t *to;
	if (buf->cap - buf->len <= len + 2)
		check_memory(buf_reserve(buf, len + 2));
	to = buf->data + buf->len;
	*to++ = '"';
	if (len > 0)
		memcpy(to, text, len);
	to[len] = '"';
	to[len + 1] = '\0';
	buf->len += len + 2;
}

bool json_put_text(struct json_writer *writer, const char *name, const void *bytes, size_t len)
{
	bool is_lossy = false;
	size_t left, escaped;
	if (!open_value(writer, name, 2))
		return false;
	left = room(writer) - 1;
	if (len < left && len <= SHORT_BYTES && is_plain(bytes, len)) {
		put_quoted(writer, bytes, len);
		close_value(writer);
		return false;
	}
	put(writer, "\"", 1);
	left = room(writer) - 1;
	if (escape_within(writer, left, bytes, len, &is_lossy) == BUF_FULL) {
		len = json_escape_fit(bytes, len, cut_room(left), &escaped);
		(void)escape_within(writer, left, bytes, len, &is_lossy);
		note_cut(writer, name);
	}
	put(writer, "\"", 1);
	close_value(writer);
	return is_lossy;
}

void json_put_base64(struct json_writer *writer, const char *name, const void *bytes, size_t len)
{
	size_t left;
	if (!open_value(writer, name, 2))
		return;
	put(writer, "\"", 1);
	left = room(writer) - 1;
	if (left / 4 < len / 3 + 1) {
		len = cut_room(left) / 4 * 3;
		note_cut(writer, name);
	}
	check_memory(base64_encode(writer->buf, bytes, len));
	put(writer, "\"", 1);
	close_value(writer);
}

void json_put_known_int(struct json_writer *writer, const char *name, bool is_known, int64_t value)
{
	if (is_known)
		json_put_int(writer, name, value);
	else
		json_put_null(writer, name);
}

void json_put_time(struct json_writer *writer, const char *name, int64_t real_ms)
{
	char text[CLOCK_TEXT_SIZE];
	if (real_ms == 0) {
		json_put_null(writer, name);
		return;
	}
	clock_format(real_ms, text);
	json_put_str(writer, name, text);
}

void json_put_id(struct json_writer *writer, const char *name, char sigil, uint32_t id)
{
	char text[STR_U64_SIZE + 1] = {sigil};
	(void)str_put_u64(text + 1, id, 1);
	json_put_str(writer, name, id != UINT32_MAX ? text : NULL);
}

void json_put_raw(struct json_writer *writer, const char *name, const void *json, size_t len)
{
	put_token(writer, name, json, len);
}

/* The recursion is limited, since a tree has at most JSON_DEPTH_MAX levels. */
void json_put_value(struct json_writer *writer, const char *name, const struct json *value)
{
	bool is_object = value != NULL && value->type == JSON_OBJECT;
	switch (value != NULL ? value->type : JSON_NULL) {
	case JSON_NULL:
		json_put_null(writer, name);
		return;
	case JSON_BOOL:
		json_put_bool(writer, name, value->boolean);
		return;
	case JSON_NUMBER:
		json_put_raw(writer, name, value->text, value->len);
		return;
	case JSON_STRING:
		(void)json_put_text(writer, name, value->text, value->len);
		return;
	case JSON_ARRAY:
	case JSON_OBJECT:
		break;
	}
	begin(writer, name, is_object ? '{' : '[');
	json_each (child, value)
		json_put_value(writer, child->name, child);
	end(writer, is_object ? '}' : ']');
}

bool json_append(struct buf *out, const struct json *value)
{
	struct json_writer writer;
	json_writer_init(&writer, out);
	json_put_value(&writer, NULL, value);
	return !writer.is_cut;
}

char *json_text(const struct json *value, size_t max)
{
	struct buf text = BUF(max);
	if (json_append(&text, value))
		return (char *)buf_steal(&text, NULL);
	buf_finish(&text);
	return NULL;
}

bool json_fits(const struct json *value, size_t max)
{
	char *text = json_text(value, max + JSON_SPARE);
	bool fits = text != NULL && strlen(text) <= max;
	mem_free(text);
	return fits;
}
