/* SPDX-License-Identifier: ISC */
/* The log of the programs: lines on standard error or in a file. Control characters are escaped. */
#pragma once

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Writes messages up to this level to fd. fd must stay open, and program must stay valid. */
void log_open(int fd, const char *program, enum log_level level);
enum log_level log_level(void);

/* After max_bytes (0: none) since log_open(), a message calls full(), which may call log_open(). */
void log_limit(unsigned long long max_bytes, void (*full)(void));

#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
