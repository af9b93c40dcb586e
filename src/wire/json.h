/* SPDX-License-Identifier: ISC */
/*
 * JSON in and out. json.c is the only file that knows yajl.
 *
 * In: one value from one line, read into a tree that lives in the reader's arena until the next
 * parse. The line is checked before yajl sees it (strict UTF-8, paired surrogates, no NUL, no other
 * control characters), so no line can crash or exhaust us, whatever version of yajl is installed.
 * Out: a writer that appends to a buffer, with an escaper of our own. The output is always complete
 * JSON on one line, however full the buffer, and cannot control a terminal.
 */
#pragma once

#include "base/base.h"

/*
 * Levels of arrays and objects. Lines for the daemon have fewer than all readers take, and data
 * that it keeps has still fewer: an answer that holds it nests it deeper.
 */
#define JSON_DEPTH_MAX 96
#define JSON_GIVEN_DEPTH_MAX 64
#define JSON_DATA_DEPTH_MAX 32
#define JSON_VALUES_MAX 262144 /* in one line: bounds the size of its tree */

struct json_error {
	size_t offset; /* in the line */
	char text[160]; /* the error; no newline */
};

#define JSON_NUMBER_MAX 128 /* characters */

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
	enum json_type type;
	bool boolean;
	const char *text; /* string: UTF-8, decoded; number: as written; NUL-terminated */
	size_t len; /* of text */
	const char *name; /* of a member of an object, NULL of others; NUL-terminated */
	size_t name_len;
	struct json *child; /* first element or member */
	struct json *next; /* sibling */
	size_t count; /* of children */
};

/* For programs: ends the process if out of memory. line_max bounds the length of lines. */
struct json_reader *json_reader_new(size_t line_max);
void json_reader_free(struct json_reader *reader);
/* From now on refuses what is deeper than JSON_GIVEN_DEPTH_MAX. */
void json_reader_limit_depth(struct json_reader *reader);
/* Frees the memory of a huge line before the next one; the tree becomes invalid. */
void json_reader_trim(struct json_reader *reader);

/*
 * Reads one value. Returns it, or NULL and fills *ret_error. Refused: anything after the value,
 * duplicate keys, depth over JSON_DEPTH_MAX, more than JSON_VALUES_MAX values, numbers of more than
 * JSON_NUMBER_MAX characters, "\u0000", a BOM, and everything that the file comment names. White
 * space around the value is accepted, an empty line is not. The tree is lent until the next call.
 */
const struct json *json_read(
    struct json_reader *reader, const char *line, size_t len, struct json_error *ret_error);

/* A member by name, or NULL; also NULL if value is NULL or not an object. */
const struct json *json_member_of(const struct json *value, const char *name, size_t name_len);
static inline const struct json *json_member(const struct json *value, const char *name)
{
	return json_member_of(value, name, strlen(name));
}

/* The value of a member; other, if the member is absent or has another type. */
const char *json_get_str(const struct json *object, const char *name, const char *other);
int64_t json_get_int(const struct json *object, const char *name, int64_t other);
double json_get_double(const struct json *object, const char *name); /* other: 0 */
bool json_get_bool(const struct json *object, const char *name, bool other);

/* The elements or members of a value, one after the other; none if it is NULL. */
#define json_each(at, value) \
	for (const struct json *at = json_first(value); at != NULL; at = at->next)
static inline const struct json *json_first(const struct json *value)
{
	return value != NULL ? value->child : NULL;
}

/* The members of an object, which have names; none of another value. */
#define json_each_member(at, value) \
	for (const struct json *at = json_first_member(value); at != NULL; at = at->next)
static inline const struct json *json_first_member(const struct json *value)
{
	return value != NULL && value->type == JSON_OBJECT ? value->child : NULL;
}

/* How many levels of arrays and objects a value has; 0: it is neither. */
unsigned json_depth(const struct json *value);

/* The name of a type in messages: "a string". */
const char *json_type_name(enum json_type type);

/*
 * Numbers, by value and not by notation. json_int(): exact; 1e3 and 2.0 are whole, 1.5 is
 * not; false if the value is NULL, not a number, not whole or not within +-JSON_INT_MAX.
 * json_double(): the nearest double; false if the value is not a number or too large; a
 * number too small becomes 0. The result is never NaN.
 */
#define JSON_INT_MAX 9007199254740991.0 /* 2^53-1: no other number is read as it */
bool json_int(const struct json *value, int64_t *ret_number);
bool json_double(const struct json *value, double *ret_number);

enum { JSON_DOUBLE_SIZE = 32 };
/* The shortest text that reads back as the same value. Returns its length. */
size_t json_format_double(char out[JSON_DOUBLE_SIZE], double value);

#define JSON_PATH_MAX 8 /* names of objects in the path of what was cut; deeper ones are left out */
#define JSON_CUT_BYTES 224 /* of the list of what was cut; "..." stands for the rest */
/* A buffer holds a text whole if its maximum is larger by so much, and by the depth. */
#define JSON_SPARE 320

/*
 * The writer puts the commas. It ends the process if out of memory. Its text is complete
 * whenever all brackets are closed, also when the buffer was full: strings are cut at a
 * character, everything after the first value without room is left out, and
 * "truncated":true,"cut":["path.to.member",...] says so at the end of the outermost object, or
 * of the members if they are written without one. A member "truncated" that is there becomes true.
 * Only these closing parts can exceed the buffer's maximum, if it is below JSON_SPARE.
 *
 * Where a part is worse than nothing, as in records, is_cut tells.
 */
struct json_writer {
	struct buf *buf;
	bool is_cut; /* something was cut or left out */
	bool needs_comma; /* before the next value */
	/* The rest is the writer's own. */
	bool is_full; /* all further values are left out */
	bool has_members; /* at depth 0 */
	bool has_mark, mark_comma; /* the mark ends the members; a comma was due before it */
	bool has_cut_member;
	unsigned depth;
	unsigned skipped; /* brackets that were left out and are not closed yet */
	size_t value; /* where the last value begins, with its name */
	size_t mark; /* where the mark begins */
	size_t truncated_at; /* the value of a member "truncated"; 0: there is none */
	size_t cut_len;
	size_t path[JSON_PATH_MAX]; /* where the open brackets begin, with their names */
	char cut[JSON_CUT_BYTES]; /* the elements of "cut" */
};

void json_writer_init(struct json_writer *writer, struct buf *buf);
/* buf_init() for at most max bytes, to write into. The caller frees the buffer. */
void json_start(struct json_writer *writer, struct buf *out, size_t max);
/* The same in a buffer that may have memory from before. */
void json_restart(struct json_writer *writer, struct buf *out, size_t max);
/* json_start(), and an object begins in it. */
void json_start_object(struct json_writer *writer, struct buf *out, size_t max);
void json_object_begin(struct json_writer *writer, const char *name);
void json_object_end(struct json_writer *writer);
void json_array_begin(struct json_writer *writer, const char *name);
void json_array_end(struct json_writer *writer);
/* In all of these, name is that of the member; NULL in an array. */
void json_put_null(struct json_writer *writer, const char *name);
void json_put_bool(struct json_writer *writer, const char *name, bool value);
void json_put_int(struct json_writer *writer, const char *name, int64_t value);
void json_put_known_int(struct json_writer *writer, const char *name, bool is_known,
    int64_t value); /* null if not known */
void json_put_double(
    struct json_writer *writer, const char *name, double value); /* null if not finite */
void json_put_str(
    struct json_writer *writer, const char *name, const char *string); /* NULL: null */
/* Writes U+FFFD in place of invalid UTF-8. Returns whether bytes were replaced. */
bool json_put_text(struct json_writer *writer, const char *name, const void *bytes, size_t len);
void json_put_base64(struct json_writer *writer, const char *name, const void *bytes, size_t len);
void json_put_time(
    struct json_writer *writer, const char *name, int64_t real_ms); /* RFC 3339; 0: null */
/* "%3"; null for UINT32_MAX, which is no id. */
void json_put_id(struct json_writer *writer, const char *name, char sigil, uint32_t id);
/* Ends a line after the document; another may follow. is_cut stays for both. */
void json_end_line(struct json_writer *writer);
/* A value that is already JSON, or members; left out as a whole. */
void json_put_raw(struct json_writer *writer, const char *name, const void *json, size_t len);
/* Writes a tree back, numbers as they were written. value NULL: null. */
void json_put_value(struct json_writer *writer, const char *name, const struct json *value);

/*
 * The escaper: appends bytes as the inside of a JSON string. *lossy is set to true if
 * U+FFFD replaced invalid UTF-8 or a NUL, else left alone. Escaped are '"',
 * '\\', C0, DEL, C1, U+2028, U+2029 and bidi controls. Returns 0 or an enum buf_error.
 */
int json_escape(struct buf *out, const void *bytes, size_t len, bool *lossy);
/* The length of the longest prefix, of whole characters, that is escaped to at most room bytes. */
size_t json_escape_fit(const void *bytes, size_t len, size_t room, size_t *ret_escaped);
