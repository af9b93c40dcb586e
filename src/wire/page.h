/* SPDX-License-Identifier: ISC */
/* Writes a page of a list: as many entries as are wanted and fit. The first entry always stays. */
#pragma once

#include "wire/field.h"

struct page {
	struct json_writer *writer;
	size_t max; /* maximum bytes in the writer's buffer, with room for the end of the answer */
	int64_t skip, limit; /* entries before the page; maximum number of entries in the page */
	int64_t place; /* number of entries so far, including skipped ones */
	bool has_more;
	struct json_writer before; /* the writer before the last entry */
	size_t len; /* length of the writer's buffer before the last entry */
};

/* PAGE_OFFSET: the parameter offset of lists. PAGE_RESULTS: the results last and more. */
#define PAGE_OFFSET(struct_)                                                           \
	{                                                                              \
		FIELD_ROW(INT, struct struct_, offset, "offset"),                      \
		    .flags = FIELD_RARE, .max = JSON_INT_MAX,                          \
		    .help = "Skip this many entries: last of an answer that has more." \
	}
#define PAGE_RESULTS                                                     \
	{"last", "integer", "offset of the next entry"},                 \
	{                                                                \
		"more", "boolean", "whether entries follow the last one" \
	}

/* Begins the array `name`. */
void page_begin(struct page *page, struct json_writer *writer, const char *name, size_t max,
    int64_t skip, int64_t limit);
/* Returns true if the caller must write the next entry. */
bool page_takes(struct page *page);
/* Call after each entry. Returns false if the entry was removed; the first is always kept. */
bool page_keeps(struct page *page);
/* Ends the array, and writes the results "last" and "more". */
void page_end(struct page *page);
