/* SPDX-License-Identifier: ISC */
/* The log, also of libmuxbus, in a file of bounded size. A full file usually becomes FILE.old. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

#define LOG_FILE_BYTES_MAX (4 * 1024 * 1024)

/*
 * Logs to the file at path from now on; "": to standard error. path and program must last as long
 * as the log is used. Returns 0, or -1 with a reason.
 */
int log_file_open(const char *path, const char *program, int level, char *ret_reason, size_t size);

/*
 * Opens the log file again, after a program for log rotation has renamed it. Does nothing without a
 * log file.
 */
void log_file_reopen(void);

/* From now on, messages of libmuxbus go to the log. */
void library_log_take(void);

/* Writes a message of libmuxbus to the log, with the text about in front. */
void library_log_write(const char *about, enum muxbus_log_level level, const char *text);
