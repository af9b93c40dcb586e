/* SPDX-License-Identifier: ISC */
/*
 * Reads and writes JSON. The reader checks each line before yajl sees the line, so that no line can
 * crash or exhaust us, whatever version of yajl is installed. The writer keeps its text complete
 * JSON on one line, even if the buffer becomes full. Strings cannot control a terminal.
 */
#pragma once

#include "base/base.h"

/* Maximum levels of arrays and objects. An answer may contain parts of its request, more deeply. */
#define JSON_DEPTH_MAX 96 /* of any line */
#define JSON_GIVEN_DEPTH_MAX 64 /* of a line for the daemon */
#define JSON_DATA_DEPTH_MAX 32 /* of "data" in such a line */
#define JSON_VALUES_MAX 262144 /* values in one line; limits the size of its tree */

struct json_error {
	size_t offset; /* of the error in the line */
	char text[160]; /* without a newline */
};

#define JSON_NUMBER_MAX 128 /* characters */

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
	enum json_type type;
	bool boolean;
	const char *text; /* of a string: decoded UTF-8; of a number: as written; NUL-terminated */
	size_t len; /* of text */
	const char *name; /* of an object's member, NUL-terminated; else NULL */
	size_t name_len;
	struct json *child; /* first element or member */
	struct json *next;
	size_t count;
};

/* Makes a reader for lines of at most line_max bytes. Ends the process if out of memory. */
struct json_reader *json_reader_new(size_t line_max);
void json_reader_free(struct json_reader *reader);
/* Makes the reader refuse more than JSON_GIVEN_DEPTH_MAX levels from now on. */
void json_reader_limit_depth(struct json_reader *reader);
/* Frees the memory that a huge line needed. The tree becomes invalid. */
void json_reader_trim(struct json_reader *reader);

/*
 * Reads one value. Returns the value, lent until the reader is used again, or NULL with *ret_error.
 * The caller of a failed read says that the text is not JSON; ret_error says why. Errors are also
 * duplicate names, a line over line_max, more than JSON_VALUES_MAX values or JSON_DEPTH_MAX levels
 * (or the limit of the reader), numbers longer than JSON_NUMBER_MAX, "\u0000" and a BOM.
 */
const struct json *json_read(
    struct json_reader *reader, const char *line, size_t len, struct json_error *ret_error);

/* Returns the member with a name, or NULL. value may be NULL or not an object. */
const struct json *json_member_of(const struct json *value, const char *name, size_t name_len);
static inline const struct json *json_member(const struct json *value, const char *name)
{
	return json_member_of(value, name, strlen(name));
}

/* Like json_member(), but returns NULL also if the member is null. */
static inline const struct json *json_given(const struct json *value, const char *name)
{
	const struct json *member = json_member(value, name);
	return member != NULL && member->type != JSON_NULL ? member : NULL;
}

/* Return the value of a member, or other if the member is absent or is no such value. */
const char *json_get_str(const struct json *object, const char *name, const char *other);
int64_t json_get_int(const struct json *object, const char *name, int64_t other);
double json_get_double(const struct json *object, const char *name); /* other is 0 */
bool json_get_bool(const struct json *object, const char *name, bool other);

/* Loops over the elements or members of a value. value may be NULL. */
#define json_each(at, value) \
	for (const struct json *at = json_first(value); at != NULL; at = at->next)
static inline const struct json *json_first(const struct json *value)
{
	return value != NULL ? value->child : NULL;
}

/* Loops over the members of an object. Does nothing for another value. */
#define json_each_member(at, value) \
	for (const struct json *at = json_first_member(value); at != NULL; at = at->next)
static inline const struct json *json_first_member(const struct json *value)
{
	return value != NULL && value->type == JSON_OBJECT ? value->child : NULL;
}

/* Returns the levels of arrays and objects in a value; 0 for other types. */
unsigned json_depth(const struct json *value);

const char *json_type_name(enum json_type type); /* for messages, such as "a string" */

/*
 * Convert numbers by their value: 1e3 and 2.0 are integers. json_int() is exact, and returns false
 * for NULL, other values and numbers outside of +-JSON_INT_MAX. json_double() rounds, and returns
 * false for NULL, other values and numbers that are too large.
 */
#define JSON_INT_MAX 9007199254740991.0 /* 2^53-1: up to here doubles are exact */
bool json_int(const struct json *value, int64_t *ret_number);
/* Returns true for a number without a fraction, however large. */
bool json_is_integer(const struct json *value);
bool json_double(const struct json *value, double *ret_number);

enum { JSON_DOUBLE_SIZE = 32 };
/* Writes a finite value as a text of up to 17 digits that reads as the same. Returns its length. */
size_t json_format_double(char out[JSON_DOUBLE_SIZE], double value);

#define JSON_PATH_MAX 8 /* maximum names of objects in the path of a cut value */
#define JSON_CUT_BYTES 224 /* bytes of the list of cut values; "..." stands for further ones */
/* A text is not cut if its length, its depth and this together are below the buffer's maximum. */
#define JSON_SPARE 320
/* Maximum bytes of JSON for one byte of a text: DEL, for example, is written as six bytes. */
#define JSON_GROWTH 6

/*
 * The writer adds commas, and ends the process if out of memory. When all brackets are closed, its
 * text is complete JSON, even if the buffer became full. A string without room is cut, so that some
 * room stays for later values. A value of which not even a part has room is left out, with all
 * values behind it. An outermost object then ends with "truncated":true and
 * "cut":["path.to.member",...], unless it has such members; but its "truncated" becomes true. If
 * the maximum of the buffer is below JSON_SPARE, this end may exceed the maximum. A caller that
 * needs the whole text looks at is_cut.
 */
struct json_writer {
	struct buf *buf;
	bool is_cut; /* a value was cut or left out */
	bool needs_comma; /* before the next value */
	/* The members below are private. */
	bool is_full; /* all further values are left out */
	bool has_members; /* members, written or left out, at depth 0 */
	bool has_mark, mark_comma; /* the mark "truncated" is written; a comma was due before it */
	bool has_cut_member;
	unsigned depth;
	unsigned skipped; /* number of open brackets that were left out */
	size_t value; /* offset of the last value, or of its name if it has one */
	size_t mark; /* offset of the mark */
	size_t truncated_at; /* offset of the value of a member "truncated"; 0: no such member */
	size_t cut_len;
	size_t path[JSON_PATH_MAX]; /* offsets of the open brackets, or of their names */
	char cut[JSON_CUT_BYTES]; /* the elements of "cut" */
};

void json_writer_init(struct json_writer *writer, struct buf *buf);
/* Initializes the buffer out for max bytes, and the writer for it. The caller frees out. */
void json_start(struct json_writer *writer, struct buf *out, size_t max);
/* As json_start(), but reuses the memory of out. */
void json_restart(struct json_writer *writer, struct buf *out, size_t max);
/* Calls json_start(), and begins an object. */
void json_start_object(struct json_writer *writer, struct buf *out, size_t max);
void json_object_begin(struct json_writer *writer, const char *name);
void json_object_end(struct json_writer *writer);
void json_array_begin(struct json_writer *writer, const char *name);
void json_array_end(struct json_writer *writer);
/* name is the name of the member, or NULL for an element of an array or an outermost value. */
void json_put_null(struct json_writer *writer, const char *name);
void json_put_bool(struct json_writer *writer, const char *name, bool value);
void json_put_int(struct json_writer *writer, const char *name, int64_t value);
void json_put_known_int(struct json_writer *writer, const char *name, bool is_known, int64_t value);
void json_put_double(
    struct json_writer *writer, const char *name, double value); /* writes null if not finite */
void json_put_str(
    struct json_writer *writer, const char *name, const char *string); /* NULL writes null */
void json_put_given(
    struct json_writer *writer, const char *name, const char *string); /* NULL writes nothing */
/* Writes a string, with U+FFFD for NUL and invalid UTF-8. Returns true if bytes were replaced. */
bool json_put_text(struct json_writer *writer, const char *name, const void *bytes, size_t len);
void json_put_base64(struct json_writer *writer, const char *name, const void *bytes, size_t len);
void json_put_time(
    struct json_writer *writer, const char *name, int64_t real_ms); /* as RFC 3339; 0 writes null */
/* Writes an id such as "%3"; null for UINT32_MAX. */
void json_put_id(struct json_writer *writer, const char *name, char sigil, uint32_t id);
/* Ends the line with a newline; another document may follow. is_cut stays set. */
void json_end_line(struct json_writer *writer);
/* Writes the JSON text of a value, or of members (name NULL); whole or not at all. */
void json_put_raw(struct json_writer *writer, const char *name, const void *json, size_t len);
/* Writes a tree, with numbers as they were read; NULL writes null. */
void json_put_value(struct json_writer *writer, const char *name, const struct json *value);
/* Appends the text of a tree to a buffer. Returns false if the text was cut. */
bool json_append(struct buf *out, const struct json *value);
/* Returns the text of a tree for the caller to free; NULL if a buffer of max bytes is too small. */
char *json_text(const struct json *value, size_t max);
/* Returns true if the text of a tree has at most max bytes. */
bool json_fits(const struct json *value, size_t max);

/*
 * Appends bytes as the content of a JSON string: escapes '"', '\\', C0, DEL, C1, U+2028, U+2029 and
 * bidi controls. U+FFFD replaces NUL and invalid UTF-8; then *lossy becomes true. Returns 0, or an
 * enum buf_error with nothing appended.
 */
int json_escape(struct buf *out, const void *bytes, size_t len, bool *lossy);
/* Reads "\uXXXX" at the start of a text. Returns its UTF-16 unit, or -1 for other texts. */
int32_t json_unit(const char *text, size_t len);
/* Returns how many bytes fit, escaped to *ret_escaped bytes, into room; splits no character. */
size_t json_escape_fit(const void *bytes, size_t len, size_t room, size_t *ret_escaped);
