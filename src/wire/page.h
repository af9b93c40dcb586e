/* SPDX-License-Identifier: ISC */
/*
 * Lists of which an answer holds a page: the entries that fit into its bytes. The one that does not
 * fit is taken back.
 */
#pragma once

#include "wire/field.h"

struct page {
	struct json_writer *writer;
	size_t max; /* bytes of the answer */
	int64_t skip, limit; /* entries before the page, and in it at most */
	int64_t place; /* entries so far, with the skipped ones */
	bool has_more;
	struct json_writer before; /* the writer as it was when the last entry began */
	size_t len; /* of its buffer then */
};

/* A row of parameters of a list without numbers of its own, and rows of results. */
#define PAGE_OFFSET(struct_)                                                                    \
	{                                                                                       \
		FIELD_ROW(INT, struct struct_, offset, "offset"),                               \
		    .flags = FIELD_RARE, .max = JSON_INT_MAX,                                   \
		    .help = "Begin behind so many: last of an answer that had not all of them." \
	}
#define PAGE_RESULTS                                                                \
	{"last", "integer", "the offset to go on from"},                            \
	{                                                                           \
		"more", "boolean", "whether there are others than the answer holds" \
	}

/* Opens the array of a name. */
void page_begin(struct page *page, struct json_writer *writer, const char *name, size_t max,
    int64_t skip, int64_t limit);
/* Whether the next entry is to be written. */
bool page_takes(struct page *page);
/* After that. False: it did not fit, and was taken back; the first entry of a page is not. */
bool page_keeps(struct page *page);
/* Closes the array, and writes last and more. */
void page_end(struct page *page);
