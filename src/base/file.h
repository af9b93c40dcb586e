/* SPDX-License-Identifier: ISC */
/* Files as a whole: all that can be read from a descriptor, and all of a text written to one. */
#pragma once

#include "base/buf.h"

/* Appends all up to the end. Returns 0, or -1 with errno; EFBIG: the buffer has no room for it. */
int file_read_all(int fd, struct buf *out);

/* Writes all bytes; the descriptor blocks. Returns 0, or -1 with errno. */
int file_write_all(int fd, const void *bytes, size_t len);
