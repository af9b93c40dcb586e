/* SPDX-License-Identifier: ISC */
/* Error texts, and the library's log. */
#include <muxbus.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/library.h"
#include "tap.h"

static const int errors[] = {
    MUXBUS_OK,
    MUXBUS_ERR_NOMEM,
    MUXBUS_ERR_INVALID,
    MUXBUS_ERR_SYNTAX,
    MUXBUS_ERR_LIMIT,
    MUXBUS_ERR_NOT_FOUND,
    MUXBUS_ERR_COMMAND,
    MUXBUS_ERR_SKIPPED,
    MUXBUS_ERR_CANCELLED,
    MUXBUS_ERR_UNAVAILABLE,
    MUXBUS_ERR_GONE,
    MUXBUS_ERR_FATAL,
    MUXBUS_ERR_SYSTEM,
    MUXBUS_ERR_NO_SERVER,
    MUXBUS_ERR_NO_SESSION,
    MUXBUS_ERR_CLOSED,
    MUXBUS_ERR_TIMEOUT,
    MUXBUS_ERR_VERSION,
    MUXBUS_ERR_SPAWN,
    MUXBUS_ERR_PROTOCOL,
};

#define ERRORS (sizeof errors / sizeof errors[0])

static void test_texts(void)
{
	const char *unknown = muxbus_strerror(-4711);
	is_str(unknown, "unknown error", "an unknown number");
	errno = EMFILE;
	is_str(
	    muxbus_strerror(MUXBUS_ERR_SYSTEM), strerror(EMFILE), "a failed system call says why");
	errno = 0;
	for (size_t i = 0; i < ERRORS; i++) {
		const char *text = muxbus_strerror(errors[i]);
		ok(text[0] != '\0' && strchr(text, '\n') == NULL && strcmp(text, unknown) != 0,
		    "%d: %s", errors[i], text);
		for (size_t j = 0; j < i; j++) {
			if (strcmp(text, muxbus_strerror(errors[j])) == 0)
				ok(false, "%d and %d have the same text", errors[i], errors[j]);
		}
	}
}

static void test_fatal(void)
{
	ok(!muxbus_error_is_fatal(0) && !muxbus_error_is_fatal(7), "success is not fatal");
	ok(!muxbus_error_is_fatal(MUXBUS_ERR_COMMAND), "a refused command is not");
	ok(!muxbus_error_is_fatal(MUXBUS_ERR_NOMEM), "nor is lack of memory");
	ok(muxbus_error_is_fatal(MUXBUS_ERR_SYSTEM), "a failed system call is");
	ok(muxbus_error_is_fatal(MUXBUS_ERR_CLOSED), "and so is the end of the connection");
}

struct heard {
	int count;
	enum muxbus_log_level level;
	char text[16384];
};

static void hear(void *data, enum muxbus_log_level level, const char *text)
{
	struct heard *heard = data;
	heard->count++;
	heard->level = level;
	strncpy(heard->text, text, sizeof heard->text - 1);
}

static void test_log(void)
{
	struct heard heard = {0};
	char *long_text = malloc(5001);
	memset(long_text, 'x', 5000);
	long_text[5000] = '\0';
	library_log(MUXBUS_LOG_ERROR, "no log function");
	muxbus_set_log(hear, &heard);
	library_log(MUXBUS_LOG_WARNING, "a %s line %d", "b\n\033[31m", 7);
	is_int(heard.count, 1, "one line is logged");
	is_int(heard.level, MUXBUS_LOG_WARNING, "with its level");
	is_str(heard.text, "a b\\n\\x1b[31m line 7", "made visible");
	library_log(MUXBUS_LOG_INFO, "%s", long_text);
	is_int((long long)strlen(heard.text), 1023, "a long line is cut");
	library_log(MUXBUS_LOG_INFO, "%s", "");
	is_int(heard.count, 3, "an empty line is one");
	is_str(heard.text, "", "and is empty");
	muxbus_set_log(NULL, NULL);
	library_log(MUXBUS_LOG_ERROR, "no log function again");
	is_int(heard.count, 3, "silence again");
	free(long_text);
}

static int allocations;

static void *count_realloc(void *data, void *ptr, size_t size)
{
	allocations += data == &allocations && ptr == NULL;
	return realloc(ptr, size);
}

static void count_free(void *data, void *ptr)
{
	allocations -= data == &allocations && ptr != NULL;
	free(ptr);
}

static void test_allocator(void)
{
	static const struct muxbus_allocator counting = {count_realloc, count_free, &allocations};
	static const struct muxbus_parser_handlers none = {0};
	struct muxbus_parser *parser = NULL;
	muxbus_set_allocator(&counting);
	is_int(muxbus_parser_new(&none, NULL, &parser), 0, "a parser from another allocator");
	ok(allocations > 0, "all memory comes from there");
	muxbus_parser_free(parser);
	is_int(allocations, 0, "and goes back there");
	muxbus_set_allocator(NULL);
	is_int(muxbus_parser_new(&none, NULL, &parser), 0, "a parser from the C library's");
	is_int(allocations, 0, "nothing comes from the other any more");
	muxbus_parser_free(parser);
}

int main(void)
{
	test_texts();
	test_fatal();
	test_log();
	test_allocator();
	return done_testing();
}
