/* SPDX-License-Identifier: ISC */
#include "base/log.h"

#include "base/clock.h"
#include "base/str.h"

#define LOG_MESSAGE_BYTES 2048
#define LOG_LINE_BYTES 8192

static struct {
	int fd;
	const char *program;
	enum log_level level;
	unsigned long long written;
	unsigned long long max_bytes;
	void (*full)(void);
} log_state = {.fd = STDERR_FILENO, .program = "muxbus", .level = LOG_LEVEL_INFO};

static const char *const level_names[] = {"error", "warning", "info", "debug"};

void log_open(int fd, const char *program, enum log_level level)
{
	log_state.fd = fd;
	log_state.program = program;
	log_state.level = level;
	log_state.written = 0;
}

void log_limit(unsigned long long max_bytes, void (*full)(void))
{
	log_state.max_bytes = max_bytes;
	log_state.full = full;
}

enum log_level log_level(void)
{
	return log_state.level;
}

/* Returns a buffer in existing memory. The buffer allocates none, as its max is below its cap. */
static struct buf buf_on(uint8_t *memory, size_t size)
{
	memory[0] = '\0';
	return (struct buf){.data = memory, .cap = size, .max = size - 1};
}

void log_write(enum log_level level, const char *format, ...)
{
	int saved_errno = errno;
	char message[LOG_MESSAGE_BYTES], time[CLOCK_TEXT_SIZE];
	uint8_t memory[LOG_LINE_BYTES];
	struct buf line = buf_on(memory, sizeof memory);
	ssize_t written;
	va_list args;
	if (level > log_state.level)
		return;
	va_start(args, format);
	if (vsnprintf(message, sizeof message, format, args) < 0)
		message[0] = '\0';
	va_end(args);
	clock_format(clock_real_ms(), time);

	line.max--; /* room for the newline */
	(void)buf_printf(&line, "%s %s: %s: ", time, log_state.program, level_names[level]);
	(void)str_append_visible(&line, message, strlen(message));
	line.max++;
	(void)buf_append_byte(&line, '\n');
	written = write(log_state.fd, line.data, line.len);
	if (written > 0) /* a failure cannot be reported anywhere */
		log_state.written += (unsigned long long)written;
	if (log_state.max_bytes > 0 && log_state.written >= log_state.max_bytes)
		log_state.full();
	errno = saved_errno;
}
