/* SPDX-License-Identifier: ISC */
/*
 * Rows that say how a struct is kept: a table gives each member a name and a type, and the
 * same table writes the struct as a JSON object and reads that object back. A member that
 * is missing, of another type or out of range makes the whole object unreadable; members
 * that no row names are ignored.
 */
#pragma once

#include "wire/json.h"

enum record_type {
	RECORD_BOOL, /* bool */
	RECORD_INT, /* int, unsigned or int64_t within +-2^53; from 0 to below .values if not 0 */
	RECORD_NATURAL, /* the same, not below 0 */
	RECORD_UINT64, /* uint64_t, as a string: a JSON number is exact up to 2^53 only */
	RECORD_NAME, /* enum below .values: by its name */
	RECORD_PANE, /* struct pane_ref, without its thread; a cleared one is left out */
	RECORD_THREAD, /* the thread of that; its row follows the pane's; "" is left out */
	RECORD_WORD, /* char array: UTF-8 and its NUL */
	RECORD_BYTES, /* array in base64: with a count, or all before a NUL */
	RECORD_TEXT, /* char *: UTF-8; NULL is left out */
	RECORD_JSON, /* char *: the text of a JSON object; NULL is left out */
	RECORD_STRINGS, /* char **, NULL-terminated */
	RECORD_NUMBERS, /* uint64_t * with a count */
	RECORD_LIST, /* array of .values structs with a count, each by .rows */
};

struct record_field {
	const char *name;
	enum record_type type;
	bool is_optional; /* when missing, the member stays zero or cleared */
	size_t offset; /* of the member in the struct */
	size_t size; /* of the member in bytes */
	size_t count_offset; /* BYTES, NUMBERS, LIST: of a size_t; 0: none */
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
	const char *order_0_1; /* of the words of a record of release 0.1; NULL: it was JSON */
};

#define RECORD_ROWS(fields_, order_)                                            \
	&(const struct record_rows)                                             \
	{                                                                       \
		.fields = fields_, .count = sizeof fields_ / sizeof *(fields_), \
		.order_0_1 = order_                                             \
	}

/* Writes the members of an object that is open. */
void record_write(struct json_writer *writer, const struct record_rows *rows, const void *object);

/*
 * Fills object, whose members are zero, from a JSON object, or from a string with the words of
 * release 0.1. False if a member cannot be read; what was filled is freed then.
 */
bool record_read(const struct record_rows *rows, const struct json *value, void *object);

/* Frees what the members own, and sets those to NULL. */
void record_finish(const struct record_rows *rows, void *object);
