/* SPDX-License-Identifier: ISC */
/* Runs another program and reads its output. */
#pragma once

#include "base/base.h"

/* Finds the path of a program: beside this program, or else in PATH. Returns false without one. */
bool program_find(const char *name, char *out, size_t size);

/* Finds the path of a program in PATH; ignores relative entries. */
bool program_find_in_path(const char *name, char *out, size_t size);

enum program_stream { PROGRAM_STDOUT = 1, PROGRAM_STDERR = 2 };

/*
 * Runs a program without input, and reads one stream until all its writers have closed it; discards
 * the other, and output beyond the buffer's limit. argv is NULL-terminated. Returns the exit
 * status, 128 + the signal that ended the program, or -1 with errno if the program cannot be run
 * or its output took longer than timeout_ms (ETIMEDOUT; the program is then killed).
 */
int program_run(const char *path, char *const *argv, enum program_stream stream, int timeout_ms,
    struct buf *out);
