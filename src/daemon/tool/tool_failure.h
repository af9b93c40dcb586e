/* SPDX-License-Identifier: ISC */
/* Why a call of a declared tool has no result. */
#ifndef DAEMON_TOOL_TOOL_FAILURE_H
#define DAEMON_TOOL_TOOL_FAILURE_H

#include <stdbool.h>

#include "wire/message.h"

#define TOOL_ERROR_MAX 4096 /* bytes of a program's or server's own text that an error quotes */

struct tool_failure {
	enum message_error error;
	char text[TOOL_ERROR_MAX + 512];
};

/* Fills it in. Returns false. */
bool tool_fail(struct tool_failure *ret_failure, enum message_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
