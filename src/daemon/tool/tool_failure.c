/* SPDX-License-Identifier: ISC */
/* The reason of a call without a result. */
#include "daemon/tool/tool_failure.h"

#include <stdarg.h>
#include <stdio.h>

bool tool_fail(struct tool_failure *ret_failure, enum message_error error, const char *format, ...)
{
	va_list args;
	ret_failure->error = error;
	va_start(args, format);
	(void)vsnprintf(ret_failure->text, sizeof ret_failure->text, format, args);
	va_end(args);
	return false;
}
