/* SPDX-License-Identifier: ISC */
/* A growing string of bytes with a maximum. data[len] is a NUL as soon as memory is allocated. */
#pragma once

#include "base/std.h"

struct buf {
	uint8_t *data; /* NULL until the first append */
	size_t len;
	size_t cap;
	size_t max; /* len never exceeds it */
};

enum buf_error {
	BUF_NOMEM = -1,
	BUF_FULL = -2, /* max would be exceeded; the content is unchanged */
};

/*
 * An empty buffer, as in: struct buf out = BUF(OUT_MAX). The maximum is at most SIZE_MAX - 1, so that
 * there is always room for the NUL after the content.
 */
#define BUF(max_) ((struct buf){.max = (max_) < SIZE_MAX ? (max_) : SIZE_MAX - 1})

void buf_init(struct buf *buf, size_t max);
void buf_finish(struct buf *buf); /* frees the content; the buffer may be used again */
void buf_clear(struct buf *buf); /* len 0, memory kept */
const char *buf_text(const struct buf *buf); /* the content as a string; "" if it is empty */
bool buf_is_equal(const struct buf *buf, const struct buf *other);
/* Gives back memory beyond keep bytes if the content needs less. */
void buf_shrink(struct buf *buf, size_t keep);

/* All return 0 or an enum buf_error. The bytes to append must not lie in the buffer itself. */
int buf_reserve(struct buf *buf, size_t extra); /* room for extra bytes after len */
int buf_append(struct buf *buf, const void *bytes, size_t len);
int buf_append_str(struct buf *buf, const char *string);
int buf_append_byte(struct buf *buf, uint8_t byte);
int buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
int buf_vprintf(struct buf *buf, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Removes len bytes (at most all) from the front. */
void buf_consume(struct buf *buf, size_t len);
/* Hands the content over as one block of mem_alloc() memory, ended by a NUL; NULL if empty.
 * ret_len may be NULL. */
uint8_t *buf_steal(struct buf *buf, size_t *ret_len);
