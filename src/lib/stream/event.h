/* SPDX-License-Identifier: ISC */
/* Parses one % line with the table of known events. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/*
 * Parses a line that begins with % and has no newline; line[len] must be a NUL. scratch has room
 * for len + 1 bytes. The event points into line and scratch. A line with unexpected arguments
 * becomes MUXBUS_EVENT_UNKNOWN.
 */
void event_parse(const char *line, size_t len, char *scratch, struct muxbus_event *ret_event);
