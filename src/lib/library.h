/* SPDX-License-Identifier: ISC */
/* The library's voice: its log, which is silent until muxbus_set_log() was called. */
#ifndef LIB_LIBRARY_H
#define LIB_LIBRARY_H

#include <muxbus.h>

/* Says one line. Bytes that are not printable are made visible; very long lines are cut. */
void library_log(enum muxbus_log_level level, const char *format, ...) MUXBUS_PRINTF(2, 3);

#endif
