/* SPDX-License-Identifier: ISC */
/* The log of the library. Without muxbus_set_log() nothing is logged. */
#pragma once

#include <muxbus.h>

/* Logs one line. Control characters become visible; long lines are cut. */
void library_log(enum muxbus_log_level level, const char *format, ...) MUXBUS_PRINTF(2, 3);
