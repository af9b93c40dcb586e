/* SPDX-License-Identifier: ISC */
/* The log of the library, which is silent before muxbus_set_log(). */
#pragma once

#include <muxbus.h>

/* Logs one line. Control characters are made visible; very long lines are cut. */
void library_log(enum muxbus_log_level level, const char *format, ...) MUXBUS_PRINTF(2, 3);
