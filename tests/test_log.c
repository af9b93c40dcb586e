/* SPDX-License-Identifier: ISC */
/* The log: one line a message, nothing in it that acts on a terminal, and no failure. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "fail_alloc.h"
#include "tap.h"

static int fds[2];
static char line[20000];

/* The log's output since the last call. */
static const char *written(void)
{
	ssize_t len = read(fds[0], line, sizeof line - 1);
	line[len > 0 ? len : 0] = '\0';
	return line;
}

static void test_lines(void)
{
	log_open(fds[1], "prog", LOG_LEVEL_INFO);
	log_warning("%s is %d", "it", 42);
	ok(strcmp(written() + 24, " prog: warning: it is 42\n") == 0, "a line");
	ok(line[10] == 'T' && line[23] == 'Z', "begins with the time");
	log_debug("not this");
	is_str(written(), "", "a less severe message is left out");
	log_error("a\nb\x1b[2J\xff");
	ok(strcmp(written() + 24, " prog: error: a\\nb\\x1b[2J\\xff\n") == 0,
	    "text from outside is made visible");
	is_int(log_level(), LOG_LEVEL_INFO, "the level can be asked for");
}

static void test_long(void)
{
	static char text[10000];
	size_t len;
	memset(text, '\x1b', sizeof text - 1);
	log_info("%s", text);
	len = strlen(written());
	ok(len > 2000 && len < 9000 && line[len - 1] == '\n' && !strchr(line, '\x1b'),
	    "a long message is cut short (%zu bytes)", len);
}

static void test_trouble(void)
{
	int full;
	errno = EDOM;
	fail_alloc_arm(0);
	log_info("no memory");
	is_int(fail_alloc_count(), 0, "the log allocates no memory");
	(void)fail_alloc_disarm();
	ok(strstr(written(), "no memory"), "and writes without memory");
	log_open(-1, "prog", LOG_LEVEL_INFO);
	log_info("nowhere");
	full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	log_open(full, "prog", LOG_LEVEL_INFO);
	log_info("no room");
	is_int(errno, EDOM, "a log that cannot be written causes no error, and errno is kept");
	close(full);
}

int main(void)
{
	if (pipe2(fds, O_NONBLOCK | O_CLOEXEC) < 0)
		skip_all("no pipe");
	test_lines();
	test_long();
	test_trouble();
	return done_testing();
}
