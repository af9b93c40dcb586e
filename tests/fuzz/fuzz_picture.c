/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as the screen of a pane, of any size, as a picture of either kind: the picture is
 * UTF-8 without control characters, its tags fit, and everything except our own tags is text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "daemon/render/picture.h"

#define OUT_MAX ((size_t)16 * 1024 * 1024)
#define DEPTH_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The lengths and beginnings of the names of the open tags. */
struct open {
	const char *names[DEPTH_MAX];
	size_t lens[DEPTH_MAX];
	size_t depth;
};

static void read_tag(struct open *open, const char *tag, size_t len)
{
	size_t name = strcspn(tag + 1, " />");
	if (tag[1] == '!' || tag[len - 1] == '/')
		return;
	if (tag[1] == '/') {
		if (open->depth-- == 0 || open->lens[open->depth] != len - 2 ||
		    memcmp(open->names[open->depth], tag + 2, len - 2) != 0)
			abort();
		return;
	}
	if (open->depth == DEPTH_MAX || memchr(tag + 1, '<', len - 1))
		abort();
	open->names[open->depth] = tag + 1;
	open->lens[open->depth++] = name;
}

static void check(const struct buf *out)
{
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
	struct open open = {.depth = 0};
	const char *at = (const char *)out->data, *end = at + out->len;
	if (!utf8_is_valid(at, out->len))
		abort();
	for (; at < end; at++) {
		size_t known = 0;
		if (((uint8_t)*at < ' ' && *at != '\n') || *at == 0x7f || *at == '>')
			abort();
		for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++)
			known += strncmp(at, entities[i], strlen(entities[i])) == 0;
		if (*at == '&' && known == 0)
			abort();
		if (*at == '<') {
			size_t len = strcspn(at, ">");
			read_tag(&open, at, len);
			at += len;
		}
	}
	if (open.depth != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct picture picture = {.cursor_row = -1};
	struct buf out;
	char title[16] = "";
	if (size < 4)
		return 0;
	picture.columns = data[0];
	picture.rows = data[1] % 64;
	picture.first = data[2] % 8;
	picture.cursor_row = data[3] % 16 - 1;
	picture.cursor_column = data[3];
	picture.is_light = data[2] & 0x80;
	picture.has_frame = data[2] & 0x40;
	picture.text = data + 4;
	picture.len = size - 4;
	memcpy(title, data, size < sizeof title ? size : sizeof title - 1);
	picture.title = title;
	buf_init(&out, OUT_MAX);
	if (picture_svg(&out, &picture) == 0)
		check(&out);
	buf_clear(&out);
	if (picture_html(&out, &picture) == 0)
		check(&out);
	buf_finish(&out);
	return 0;
}
