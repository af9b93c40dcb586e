/* SPDX-License-Identifier: ISC */
/* Running another program and reading what it says. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Writes the path of a program: beside our own, else in PATH. False if there is none. */
bool program_find(const char *name, char *out, size_t size);

/* The same in PATH alone; entries that are not absolute do not count. */
bool program_find_in_path(const char *name, char *out, size_t size);

enum program_stream {
	PROGRAM_STDOUT = 1,
	PROGRAM_STDERR = 2,
};

/*
 * Runs it without input and reads what it writes to one stream (the other is discarded) until
 * all who hold that have ended; what exceeds the buffer is dropped. argv is NULL-ended, path a
 * path. Returns its exit status, 128 + the signal that ended it, or -1 with errno: it cannot be
 * run, or (ETIMEDOUT) was ended after timeout_ms.
 */
int program_run(const char *path, char *const *argv, enum program_stream stream, int timeout_ms,
    struct buf *out);

#endif
