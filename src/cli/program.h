/* SPDX-License-Identifier: ISC */
/* Runs another program and reads its output. */
#pragma once

#include "base/base.h"

/* Writes the path of a program: beside our own, else in PATH. Returns false if it is not found. */
bool program_find(const char *name, char *out, size_t size);

/* Searches PATH only; relative entries do not count. */
bool program_find_in_path(const char *name, char *out, size_t size);

enum program_stream { PROGRAM_STDOUT = 1, PROGRAM_STDERR = 2 };

/*
 * Runs a program without input and reads its output on one stream (the other is discarded) until
 * all writers have closed it. Output beyond the buffer is dropped. argv is NULL-terminated.
 * Returns the exit status, 128 + the signal that ended it, or -1 with errno: it cannot be run, or
 * (ETIMEDOUT) was killed after timeout_ms.
 */
int program_run(const char *path, char *const *argv, enum program_stream stream, int timeout_ms,
    struct buf *out);
