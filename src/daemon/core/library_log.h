/* SPDX-License-Identifier: ISC */
/* The messages of libmuxbus, in the log of the daemon. */
#pragma once

#include <muxbus.h>

/* From now on. */
void library_log_take(void);

/* Writes one message; about stands before it. */
void library_log_write(const char *about, enum muxbus_log_level level, const char *text);
