/* SPDX-License-Identifier: ISC */
/* Passing on the messages of libmuxbus. */
#include "daemon/core/library_log.h"

#include <muxbus.h>

#include "base/log.h"

static void on_library_log(void *data, enum muxbus_log_level level, const char *text)
{
	(void)data;
	switch (level) {
	case MUXBUS_LOG_ERROR:
		log_error("%s", text);
		break;
	case MUXBUS_LOG_WARNING:
		log_warning("%s", text);
		break;
	case MUXBUS_LOG_INFO:
		log_info("%s", text);
		break;
	case MUXBUS_LOG_DEBUG:
		log_debug("%s", text);
		break;
	}
}

void library_log_take(void)
{
	muxbus_set_log(on_library_log, NULL);
}
