/* SPDX-License-Identifier: ISC */
/*
 * Tables that say how a struct is stored: a row has the name and the type of a member. The same
 * table writes the struct as a JSON object, and reads it back. Reading fails if a member has
 * another type, is out of range, or is missing and not optional. Members without a row are ignored.
 */
#pragma once

#include "wire/json.h"

enum record_type {
	RECORD_BOOL,
	RECORD_INT, /* int, unsigned (as int) or int64_t within +-2^53; with .values: below these */
	RECORD_NATURAL, /* like RECORD_INT, not negative */
	RECORD_UINT64, /* uint64_t, as a string: a JSON number is exact only up to 2^53 */
	RECORD_NAME, /* an enum below .values, by its name in .names */
	RECORD_PANE, /* struct pane_ref without its thread; not written if it is cleared */
	/* the thread of a struct pane_ref, in the row behind its RECORD_PANE; not written if "" */
	RECORD_THREAD,
	RECORD_WORD, /* char array: UTF-8 with NUL */
	RECORD_BYTES, /* array of bytes, as base64; without a count, the bytes before a NUL */
	RECORD_TEXT, /* char *: UTF-8; not written if NULL */
	RECORD_JSON, /* char *: text of a JSON object; not written if NULL */
	RECORD_STRINGS, /* char **, NULL-terminated */
	RECORD_NUMBERS, /* uint64_t * with a count */
	RECORD_LIST, /* an array of up to .values structs with a count; .rows describes a struct */
};

struct record_field {
	const char *name;
	enum record_type type;
	bool is_optional; /* the member may be missing; then it stays zero or cleared */
	size_t offset; /* of the member in the struct */
	size_t size; /* of the member, in bytes */
	size_t count_offset; /* BYTES, NUMBERS, LIST: of the size_t with the count; 0: none */
	int values; /* INT, NAME, LIST */
	const char *const *names; /* NAME */
	const struct record_rows *rows; /* LIST */
};

#define RECORD_ROW(type_, struct_, member_, name_)                                   \
	.name = name_, .type = RECORD_##type_, .offset = offsetof(struct_, member_), \
	.size = sizeof(((struct_ *)0)->member_)

struct record_rows {
	const struct record_field *fields;
	size_t count;
	const char *order_0_1; /* the words of release 0.1 (record_0_1_translate()); NULL: JSON */
};

#define RECORD_ROWS(fields_, order_)                                            \
	&(const struct record_rows)                                             \
	{                                                                       \
		.fields = fields_, .count = sizeof fields_ / sizeof *(fields_), \
		.order_0_1 = order_                                             \
	}

/* Writes the members of object into the JSON object that is open. */
void record_write(struct json_writer *writer, const struct record_rows *rows, const void *object);

/*
 * Fills object from a JSON object, or from a string with words of release 0.1. The pointers in
 * object must be NULL before. Returns false, and frees the memory of object, if a member cannot be
 * read. After true, the caller must call record_finish().
 */
bool record_read(const struct record_rows *rows, const struct json *value, void *object);

/* Frees the memory that the members own, and sets their pointers to NULL. */
void record_finish(const struct record_rows *rows, void *object);
