/* SPDX-License-Identifier: ISC */
/* The reader and its trees. yajl does not check its allocator for NULL: ours never returns it. */
#include "wire/json.h"

#include <yajl/yajl_parse.h>

#define QUOTE_BYTES 20

struct check {
	const char *line;
	size_t len, at, depth, depth_max;
	size_t values; /* upper bound of the number of values so far */
	const char *fault;
};

static void json_error_set(
    struct json_error *error, const char *line, size_t len, size_t offset, const char *what)
{
	size_t quote_len = len - offset < QUOTE_BYTES ? len - offset : QUOTE_BYTES;
	uint8_t memory[64] = "";
	struct buf quote;
	/* Do not quote half a character, which would look like an error in the line. */
	quote_len -= utf8_incomplete_tail(line + offset, quote_len);
	quote = (struct buf){.data = memory, .cap = sizeof memory, .max = sizeof memory - 1};
	(void)str_append_visible(&quote, line + offset, quote_len);

	error->offset = offset;
	if (quote_len)
		(void)snprintf(error->text, sizeof error->text, "%s at offset %zu: %s%s", what,
		    offset, buf_text(&quote), offset + quote_len < len ? "..." : "");
	else
		(void)snprintf(error->text, sizeof error->text, "%s at offset %zu", what, offset);
}

int32_t json_unit(const char *text, size_t len)
{
	int32_t unit = 0;
	if (len < 6 || text[0] != '\\' || text[1] != 'u')
		return -1;
	for (size_t i = 2; i < 6; i++) {
		int value = str_hex_digit(text[i]);
		if (value < 0)
			return -1;
		unit = unit << 4 | value;
	}
	return unit;
}

static bool unit_is_high(int32_t unit)
{
	return unit >= 0xd800 && unit <= 0xdbff;
}

static bool unit_is_low(int32_t unit)
{
	return unit >= 0xdc00 && unit <= 0xdfff;
}

/* Skips "\uXXXX", or a surrogate pair of two such escapes. */
static void pass_unicode_escape(struct check *check)
{
	const char *text = check->line + check->at;
	size_t left = check->len - check->at;
	int32_t unit = json_unit(text, left);
	if (unit < 0)
		check->fault = "\\u without four hexadecimal digits";
	else if (unit == 0)
		check->fault = "\\u0000 is not accepted";
	else if (unit_is_low(unit))
		check->fault = "a low surrogate without a high one";
	else if (unit_is_high(unit) && !unit_is_low(json_unit(text + 6, left - 6)))
		check->fault = "a high surrogate without a low one";
	else
		check->at += unit_is_high(unit) ? 12 : 6;
}

static void pass_escape(struct check *check)
{
	char c = check->at + 1 < check->len ? check->line[check->at + 1] : '\0';
	if (c == 'u')
		pass_unicode_escape(check);
	else if (c && strchr("\"\\/bfnrt", c))
		check->at += 2;
	else
		check->fault = "an unknown escape (a backslash is written \\\\)";
}

/* The meaning of a byte outside of strings. */
enum byte_class { BYTE_PLAIN, BYTE_QUOTE, BYTE_OPEN, BYTE_CLOSE, BYTE_COMMA, BYTE_CONTROL };

static const uint8_t byte_classes[256] = {
    [0x00 ... 0x08] = BYTE_CONTROL, /* 0x09 and 0x0a are tab and newline */
    [0x0b ... 0x0c] = BYTE_CONTROL, /* 0x0d is carriage return */
    [0x0e ... 0x1f] = BYTE_CONTROL,
    ['"'] = BYTE_QUOTE,
    ['['] = BYTE_OPEN,
    ['{'] = BYTE_OPEN,
    [']'] = BYTE_CLOSE,
    ['}'] = BYTE_CLOSE,
    [','] = BYTE_COMMA,
};

/* Bytes in a string that end the string, begin an escape, or are invalid. */
static const bool ends_run[256] = {[0x00 ... 0x1f] = true, ['"'] = true, ['\\'] = true};

static void pass_string(struct check *check)
{
	size_t start = check->at++;
	while (check->at < check->len) {
		size_t at = check->at;
		unsigned char c;
		while (at < check->len && !ends_run[(unsigned char)check->line[at]])
			at++;
		check->at = at;
		if (at == check->len)
			break;
		c = (unsigned char)check->line[at];
		if (c == '"') {
			check->at++;
			return;
		}
		if (c == '\\')
			pass_escape(check);
		else
			check->fault = "a control character in a string (a newline is written \\n)";
		if (check->fault != NULL)
			return;
	}
	check->at = start;
	check->fault = "an unterminated string";
}

static void pass_byte(struct check *check, enum byte_class class)
{
	check->depth += class == BYTE_OPEN;
	check->depth -= class == BYTE_CLOSE && check->depth > 0; /* yajl rejects excess brackets */
	check->values += class == BYTE_OPEN || class == BYTE_COMMA;
	if (class == BYTE_CONTROL)
		check->fault = "a control character";
	else if (check->depth > check->depth_max)
		check->fault = check->depth_max == JSON_DEPTH_MAX ? "more than 96 levels deep"
								  : "more than 64 levels deep";
	else if (check->values > JSON_VALUES_MAX)
		check->fault = "more than 262144 values";
	else
		check->at++;
}

_Static_assert(JSON_DEPTH_MAX == 96 && JSON_GIVEN_DEPTH_MAX == 64 && JSON_VALUES_MAX == 262144,
    "as the texts have it");

/* Returns false beyond a limit, and for faults that yajl may accept, such as invalid UTF-8. */
static bool json_check(const char *line, size_t len, size_t depth_max, struct json_error *ret_error)
{
	struct check check = {.line = line, .len = len, .depth_max = depth_max, .values = 1};
	size_t valid = utf8_valid_prefix(line, len);
	if (len >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
		check.fault = "a byte order mark";
	while (check.fault == NULL && check.at < valid) {
		enum byte_class class = byte_classes[(unsigned char)line[check.at]];
		if (class == BYTE_PLAIN)
			check.at++;
		else if (class == BYTE_QUOTE)
			pass_string(&check);
		else
			pass_byte(&check, class);
	}
	if (valid < len && (check.fault == NULL || check.at >= valid)) {
		check.fault = "a byte that is not UTF-8";
		check.at = valid;
	}
	if (check.fault != NULL)
		json_error_set(ret_error, line, len, check.at, check.fault);
	return check.fault == NULL;
}

#define ARENA_FIRST_BYTES ((size_t)16 * 1024)
#define ARENA_KEEP_BYTES ((size_t)256 * 1024)
#define ARENA_ALIGN 16
#define LINE_MAX_BYTES ((size_t)1 << 30) /* limit, so that yajl's sizes cannot overflow */
#define PAIRWISE_MAX 16 /* in an object with more names, equal names are found by sorting */

struct block {
	struct block *older;
	size_t size;
	size_t used;
	_Alignas(ARENA_ALIGN) unsigned char memory[];
};

/* The header of each allocation of yajl. The size is needed to resize the allocation. */
struct json_piece {
	_Alignas(ARENA_ALIGN) size_t size;
};

struct json_reader {
	size_t line_max, depth_max;
	struct block *block; /* the newest block */
	yajl_handle yajl;

	/* The current line. */
	const char *line;
	size_t len;
	struct json_error *error;
	bool has_error;
	bool is_ending; /* yajl has read the whole line and learns that it ends */
	size_t passed; /* offset behind the last accepted token */

	/* The tree so far: the open containers, and the last child of each container. */
	struct json *root, *open[JSON_DEPTH_MAX], *last[JSON_DEPTH_MAX];
	size_t depth;
	const char *name; /* name of the member whose value follows */
	size_t name_len;
};

static struct block *block_new(size_t size, struct block *older)
{
	struct block *block = xalloc(sizeof *block + size);
	block->older = older;
	block->size = size;
	block->used = 0;
	return block;
}

static void *arena_alloc(struct json_reader *reader, size_t size, size_t align)
{
	struct block *block = reader->block;
	size_t start = (block->used + align - 1) & ~(align - 1);
	if (start > block->size || size > block->size - start) {
		size_t twice = block->size * 2;
		block = block_new(size > twice ? size : twice, block);
		reader->block = block;
		start = 0;
	}
	block->used = start + size;
	return block->memory + start;
}

static void free_blocks(struct block *block)
{
	while (block != NULL) {
		struct block *older = block->older;
		mem_free(block);
		block = older;
	}
}

/* Empties the arena. One block of at most ARENA_KEEP_BYTES replaces several. */
static void arena_reset(struct json_reader *reader)
{
	size_t size = 0;
	for (struct block *block = reader->block; block != NULL; block = block->older)
		size += block->size;
	reader->block->used = 0;
	if (!reader->block->older)
		return;
	free_blocks(reader->block);
	reader->block = block_new(size < ARENA_KEEP_BYTES ? size : ARENA_KEEP_BYTES, NULL);
}

static const char *arena_text(struct json_reader *reader, const void *bytes, size_t len)
{
	char *text = arena_alloc(reader, len + 1, 1);
	memcpy(text, bytes, len);
	text[len] = '\0';
	return text;
}

static void *yajl_take(void *data, size_t size)
{
	struct json_piece *piece = arena_alloc(data, sizeof *piece + size, ARENA_ALIGN);
	piece->size = size;
	return piece + 1;
}

static void *yajl_retake(void *data, void *ptr, size_t size)
{
	size_t old_size;
	if (ptr == NULL)
		return yajl_take(data, size);
	old_size = ((struct json_piece *)ptr - 1)->size;
	if (size <= old_size)
		return ptr;
	return memcpy(yajl_take(data, size), ptr, old_size);
}

static void yajl_leave(void *data, void *ptr UNUSED)
{
	(void)data; /* the arena frees it */
}

/* Records an error at an offset. Returns 0, which stops yajl. */
static int refuse(struct json_reader *reader, size_t offset, const char *what)
{
	json_error_set(reader->error, reader->line, reader->len, offset, what);
	reader->has_error = true;
	return 0;
}

static size_t token_end(const struct json_reader *reader)
{
	return reader->is_ending ? reader->len : yajl_get_bytes_consumed(reader->yajl);
}

static struct json *add(struct json_reader *reader, enum json_type type)
{
	struct json *value = arena_alloc(reader, sizeof *value, _Alignof(struct json));
	struct json *parent;
	struct json **last;
	*value = (struct json){.type = type, .name = reader->name, .name_len = reader->name_len};
	reader->name = NULL;
	reader->name_len = 0;
	reader->passed = token_end(reader);
	if (reader->depth == 0) {
		reader->root = value;
		return value;
	}
	parent = reader->open[reader->depth - 1];
	last = &reader->last[reader->depth - 1];
	if (*last != NULL)
		(*last)->next = value;
	else
		parent->child = value;
	*last = value;
	parent->count++;
	return value;
}

static int on_null(void *data)
{
	(void)add(data, JSON_NULL);
	return 1;
}

static int on_boolean(void *data, int boolean)
{
	add(data, JSON_BOOL)->boolean = boolean;
	return 1;
}

static int on_number(void *data, const char *text, size_t len)
{
	struct json_reader *reader = data;
	struct json *value;
	if (len > JSON_NUMBER_MAX)
		return refuse(
		    reader, token_end(reader) - len, "a number of more than 128 characters");
	value = add(reader, JSON_NUMBER);
	value->text = arena_text(reader, text, len);
	value->len = len;
	return 1;
}

_Static_assert(JSON_NUMBER_MAX == 128, "as the text has it");

static int on_string(void *data, const unsigned char *text, size_t len)
{
	struct json *value = add(data, JSON_STRING);
	value->text = arena_text(data, text, len);
	value->len = len;
	return 1;
}

static int on_open(struct json_reader *reader, enum json_type type)
{
	struct json *value;
	if (reader->depth == JSON_DEPTH_MAX) /* does not happen: json_check() refuses this depth */
		return refuse(reader, reader->passed, "too deep");
	value = add(reader, type);
	reader->open[reader->depth] = value;
	reader->last[reader->depth] = NULL;
	reader->depth++;
	return 1;
}

static int on_start_object(void *data)
{
	return on_open(data, JSON_OBJECT);
}

static int on_start_array(void *data)
{
	return on_open(data, JSON_ARRAY);
}

static int on_name(void *data, const unsigned char *text, size_t len)
{
	struct json_reader *reader = data;
	reader->name = arena_text(reader, text, len);
	reader->name_len = len;
	reader->passed = token_end(reader);
	return 1;
}

static int compare_names(const void *a, const void *b)
{
	const struct json *one = *(const struct json *const *)a;
	const struct json *other = *(const struct json *const *)b;
	if (one->name_len != other->name_len)
		return one->name_len < other->name_len ? -1 : 1;
	return memcmp(one->name, other->name, one->name_len);
}

static const struct json *find_twin_pairwise(const struct json *object)
{
	json_each (one, object)
		for (const struct json *other = one->next; other != NULL; other = other->next)
			if (compare_names(&one, &other) == 0)
				return other;
	return NULL;
}

/* Finds a duplicate name by sorting: unlike a hash table, no choice of names makes sorting slow. */
static const struct json *find_twin_sorted(struct json_reader *reader, const struct json *object)
{
	const struct json **members =
	    arena_alloc(reader, object->count * sizeof *members, _Alignof(const struct json *));
	size_t count = 0;
	json_each (member, object)
		members[count++] = member;
	qsort(members, count, sizeof *members, compare_names);
	for (size_t i = 1; i < count; i++)
		if (compare_names(&members[i - 1], &members[i]) == 0)
			return members[i];
	return NULL;
}

static int refuse_twin(struct json_reader *reader, const struct json *twin)
{
	uint8_t memory[64] = "";
	struct buf name = {.data = memory, .cap = sizeof memory, .max = sizeof memory - 1};
	(void)str_append_visible(&name, twin->name, twin->name_len);
	reader->error->offset = reader->passed - 1;
	(void)snprintf(reader->error->text, sizeof reader->error->text,
	    "duplicate name \"%s\" in the object that ends at offset %zu", buf_text(&name),
	    reader->error->offset);
	reader->has_error = true;
	return 0;
}

static int on_end_object(void *data)
{
	struct json_reader *reader = data;
	const struct json *object = reader->open[--reader->depth], *twin;
	reader->passed = token_end(reader);
	twin = object->count <= PAIRWISE_MAX ? find_twin_pairwise(object)
					     : find_twin_sorted(reader, object);
	return twin == NULL ? 1 : refuse_twin(reader, twin);
}

static int on_end_array(void *data)
{
	struct json_reader *reader = data;
	reader->depth--;
	reader->passed = token_end(reader);
	return 1;
}

static const yajl_callbacks callbacks = {.yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_start_object,
    .yajl_map_key = on_name,
    .yajl_end_map = on_end_object,
    .yajl_start_array = on_start_array,
    .yajl_end_array = on_end_array};

static char byte_before(const struct json_reader *reader, size_t at)
{
	while (at > 0)
		if (!strchr(" \t\r\n", reader->line[--at]))
			return reader->line[at];
	return '\0';
}

static bool is_any_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static const char *guess(const struct json_reader *reader, size_t at)
{
	char c = reader->line[at], before = byte_before(reader, at);
	if (is_any_of(c, "]}") && before == ',')
		return "extra comma before this";
	if (is_any_of(c, "]},:"))
		return "something is missing before this, or this is extra";
	if (is_any_of(c, "0123456789") && before == '0' && reader->line[at - 1] == '0')
		return "a number must not begin with 0";
	if (before && !is_any_of(before, "[{,:"))
		return "a comma or a colon is missing before this";
	if (c == '\'')
		return "strings and names need double quotes";
	if (is_any_of(c, "/#"))
		return "comments are not allowed";
	if (is_any_of(c, "+-.0123456789"))
		return "invalid or misplaced number";
	if (is_any_of((char)(c | 0x20), "abcdefghijklmnopqrstuvwxyz"))
		return "only true, false, null and numbers go without quotes";
	return "unexpected character";
}

/* Explains yajl's error. stop is the offset behind the rejected token. */
static void explain(struct json_reader *reader, size_t stop)
{
	size_t at = reader->passed;
	while (at < reader->len && strchr(" \t\r\n,:", reader->line[at]))
		at++;
	if (at < reader->len && at >= stop && stop > reader->passed)
		at = stop - 1;
	if (reader->root != NULL && reader->depth == 0)
		(void)refuse(reader, at, "unexpected text after the value");
	else if (at == reader->len)
		(void)refuse(reader, at, at ? "the line ends inside the value" : "an empty line");
	else
		(void)refuse(reader, at, guess(reader, at));
}

struct json_reader *json_reader_new(size_t line_max)
{
	struct json_reader *reader = xcalloc(1, sizeof *reader);
	reader->line_max = line_max < LINE_MAX_BYTES ? line_max : LINE_MAX_BYTES;
	reader->depth_max = JSON_DEPTH_MAX;
	reader->block = block_new(ARENA_FIRST_BYTES, NULL);
	return reader;
}

void json_reader_limit_depth(struct json_reader *reader)
{
	reader->depth_max = JSON_GIVEN_DEPTH_MAX;
}

void json_reader_free(struct json_reader *reader)
{
	if (reader == NULL)
		return;
	free_blocks(reader->block);
	mem_free(reader);
}

static void parse(struct json_reader *reader)
{
	yajl_alloc_funcs functions = {
	    .malloc = yajl_take, .realloc = yajl_retake, .free = yajl_leave, .ctx = reader};
	yajl_status status;
	size_t stop;
	reader->yajl = yajl_alloc(&callbacks, &functions, reader);
	status = yajl_parse(reader->yajl, (const unsigned char *)reader->line, reader->len);
	stop = token_end(reader);
	if (status == yajl_status_ok) {
		reader->is_ending = true;
		status = yajl_complete_parse(reader->yajl);
		stop = reader->len;
	}
	if (status != yajl_status_ok && !reader->has_error)
		explain(reader, stop);
	reader->yajl = NULL; /* the arena owns it: no yajl_free() */
}

void json_reader_trim(struct json_reader *reader)
{
	arena_reset(reader);
}

const struct json *json_read(
    struct json_reader *reader, const char *line, size_t len, struct json_error *ret_error)
{
	if (len > reader->line_max) {
		ret_error->offset = reader->line_max;
		(void)snprintf(ret_error->text, sizeof ret_error->text,
		    "the line is longer than %zu bytes", reader->line_max);
		return NULL;
	}
	if (!json_check(line, len, reader->depth_max, ret_error))
		return NULL;
	arena_reset(reader);
	reader->line = line;
	reader->len = len;
	reader->error = ret_error;
	reader->has_error = false;
	reader->is_ending = false;
	reader->passed = 0;
	reader->root = NULL;
	reader->depth = 0;
	reader->name = NULL;
	reader->name_len = 0;
	parse(reader);
	return reader->has_error ? NULL : reader->root;
}

unsigned json_depth(const struct json *value)
{
	unsigned depth = 0;
	json_each (child, value) {
		unsigned inner = json_depth(child);
		depth = inner > depth ? inner : depth;
	}
	return depth + (value->type == JSON_ARRAY || value->type == JSON_OBJECT);
}

const struct json *json_member_of(const struct json *value, const char *name, size_t name_len)
{
	json_each_member (member, value)
		if (member->name_len == name_len && memcmp(member->name, name, name_len) == 0)
			return member;
	return NULL;
}

const char *json_get_str(const struct json *object, const char *name, const char *other)
{
	const struct json *value = json_member(object, name);
	return value != NULL && value->type == JSON_STRING ? value->text : other;
}

bool json_get_bool(const struct json *object, const char *name, bool other)
{
	const struct json *value = json_member(object, name);
	return value != NULL && value->type == JSON_BOOL ? value->boolean : other;
}

const char *json_type_name(enum json_type type)
{
	static const char *const names[] = {[JSON_NULL] = "null",
	    [JSON_BOOL] = "a boolean",
	    [JSON_NUMBER] = "a number",
	    [JSON_STRING] = "a string",
	    [JSON_ARRAY] = "an array",
	    [JSON_OBJECT] = "an object"};
	return names[type];
}
