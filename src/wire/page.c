/* SPDX-License-Identifier: ISC */
#include "wire/page.h"

enum { END_BYTES = 1024 }; /* room for the end of an answer, behind its entries */

void page_begin(struct page *page, struct json_writer *writer, const char *name, size_t max,
    int64_t skip, int64_t limit)
{
	*page = (struct page){.writer = writer, .max = max, .skip = skip, .limit = limit};
	json_array_begin(writer, name);
}

bool page_takes(struct page *page)
{
	bool is_before = page->place < page->skip;
	page->place += is_before;
	page->has_more = page->has_more || page->place - page->skip == page->limit;
	if (is_before || page->has_more)
		return false;
	page->before = *page->writer;
	page->len = page->writer->buf->len;
	return true;
}

bool page_keeps(struct page *page)
{
	struct buf *buf = page->writer->buf;
	if (page->place == page->skip ||
	    (!page->writer->is_cut && buf->len + END_BYTES <= page->max)) {
		page->place++;
		return true;
	}
	*page->writer = page->before;
	buf->len = page->len;
	buf->data[buf->len] = '\0';
	page->has_more = true;
	return false;
}

void page_end(struct page *page)
{
	json_array_end(page->writer);
	json_put_int(page->writer, "last", page->place);
	json_put_bool(page->writer, "more", page->has_more);
}
