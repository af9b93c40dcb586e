/* SPDX-License-Identifier: ISC */
#include "lib/library.h"

#include "base/base.h"

#define LOG_LINE_MAX 1024

static muxbus_log_fn *log_function;
static void *log_data;

unsigned muxbus_version(void)
{
	return MUXBUS_VERSION;
}

void muxbus_set_allocator(const struct muxbus_allocator *allocator)
{
	if (allocator == NULL)
		mem_set_allocator(NULL, NULL, NULL);
	else
		mem_set_allocator(allocator->realloc, allocator->free, allocator->data);
}

void muxbus_set_log(muxbus_log_fn *log, void *data)
{
	log_function = log;
	log_data = data;
}

void library_log(enum muxbus_log_level level, const char *format, ...)
{
	char raw[LOG_LINE_MAX];
	struct buf visible;
	va_list args;
	int len;
	if (log_function == NULL)
		return;
	va_start(args, format);
	len = vsnprintf(raw, sizeof raw, format, args);
	va_end(args);
	if (len < 0)
		return;
	if ((size_t)len >= sizeof raw)
		len = (int)sizeof raw - 1;
	buf_init(&visible, 8 * LOG_LINE_MAX);
	if (str_append_visible(&visible, raw, (size_t)len) == 0)
		log_function(log_data, level, buf_text(&visible));
	buf_finish(&visible);
}
