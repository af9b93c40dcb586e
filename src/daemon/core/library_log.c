/* SPDX-License-Identifier: ISC */
/* Passing on the messages of libmuxbus. */
#include "daemon/core/library_log.h"

#include "base/log.h"

void library_log_write(const char *about, enum muxbus_log_level level, const char *text)
{
	switch (level) {
	case MUXBUS_LOG_ERROR:
		log_error("%s%s", about, text);
		break;
	case MUXBUS_LOG_WARNING:
		log_warning("%s%s", about, text);
		break;
	case MUXBUS_LOG_INFO:
		log_info("%s%s", about, text);
		break;
	case MUXBUS_LOG_DEBUG:
		log_debug("%s%s", about, text);
		break;
	}
}

static void on_library_log(void *data, enum muxbus_log_level level, const char *text)
{
	(void)data;
	library_log_write("", level, text);
}

void library_log_take(void)
{
	muxbus_set_log(on_library_log, NULL);
}
