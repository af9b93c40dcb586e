/* SPDX-License-Identifier: ISC */
/* A growing byte string with a maximum length. A NUL follows the content if memory is allocated. */
#pragma once

#include "base/std.h"

struct buf {
	uint8_t *data; /* NULL while no memory is allocated */
	size_t len, cap;
	size_t max; /* maximum of len */
};

enum buf_error {
	BUF_NOMEM = -1,
	BUF_FULL = -2, /* max would be exceeded, or vsnprintf() failed */
};

/* An empty buffer: struct buf out = BUF(max). SIZE_MAX: no limit. */
#define BUF(max_) ((struct buf){.max = (max_) < SIZE_MAX ? (max_) : SIZE_MAX - 1})

void buf_init(struct buf *buf, size_t max);
void buf_finish(struct buf *buf); /* frees the content; the buffer can be used again */
void buf_clear(struct buf *buf); /* sets len to 0 and keeps the memory */
const char *buf_text(const struct buf *buf); /* the content as a string; "" if it is empty */
bool buf_is_equal(const struct buf *buf, const struct buf *other);
/* Shrinks larger memory to `keep` bytes if the content is shorter; 0: frees it if buf is empty. */
void buf_shrink(struct buf *buf, size_t keep);

/* Return 0, or an enum buf_error without a change. The appended bytes must not be part of buf. */
int buf_reserve(struct buf *buf, size_t extra); /* makes room for extra bytes after len */
int buf_append(struct buf *buf, const void *bytes, size_t len);
int buf_append_str(struct buf *buf, const char *string);
int buf_append_byte(struct buf *buf, uint8_t byte);
int buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
int buf_vprintf(struct buf *buf, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Removes len bytes (at most all) from the front. */
void buf_consume(struct buf *buf, size_t len);
/* Empties buf, and returns its content with a NUL, for mem_free(); NULL if it was empty. */
uint8_t *buf_steal(struct buf *buf, size_t *ret_len);
