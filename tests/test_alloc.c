/* SPDX-License-Identifier: ISC */
/* Memory: refused sizes, and the end of a program without memory. */
#include "base/alloc.h"
#include "base/xalloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail_alloc.h"
#include "tap.h"

static void test_copies(void)
{
	char *text = mem_strdup("a text");
	char *bytes;
	is_str(text, "a text", "mem_strdup() copies");
	mem_free(text);
	bytes = mem_memdup("a\0b", 3);
	is_mem(bytes, 4, "a\0b", 4, "mem_memdup() copies and puts a NUL behind");
	mem_free(bytes);
	bytes = mem_memdup(NULL, 0);
	is_str(bytes, "", "nothing copied is an empty string");
	mem_free(bytes);
	text = xasprintf("%s-%d", "x", 42);
	is_str(text, "x-42", "xasprintf() formats");
	mem_free(text);
}

static void test_sizes(void)
{
	volatile size_t half = SIZE_MAX / 2;
	unsigned char *zeroed;
	bool is_zero;
	void *ptr;
	ok(mem_calloc(half, 3) == NULL, "a product that overflows is refused");
	ok(mem_memdup("", SIZE_MAX) == NULL, "a size without room for the NUL is refused");
	ptr = mem_alloc(0);
	ok(ptr != NULL, "an empty size is not out of memory");
	mem_free(ptr);
	zeroed = mem_calloc(7, 3);
	is_zero = true;
	for (size_t i = 0; i < 21; i++)
		is_zero &= zeroed[i] == 0;
	ok(is_zero, "mem_calloc() zeroes");
	mem_free(zeroed);
	mem_free(NULL);
}

static void test_failure(void)
{
	char *larger, *text;
	fail_alloc_arm(0);
	text = mem_strdup("x");
	ok(fail_alloc_disarm() && text == NULL, "a failed allocation is NULL");
	fail_alloc_arm(1);
	text = mem_alloc(1);
	larger = mem_realloc(text, 1000);
	ok(larger == NULL, "a failed mem_realloc() is NULL");
	mem_free(text);
	is_int(fail_alloc_live(), 0, "and the old block was still there to be freed");
	(void)fail_alloc_disarm();
}

/* Runs xalloc() with no memory in a child. Returns its exit status; its message is in out. */
static int run_without_memory(char *out, size_t size)
{
	int fds[2], status;
	ssize_t len;
	pid_t pid;
	if (pipe(fds) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		(void)dup2(fds[1], STDERR_FILENO);
		fail_alloc_arm(0);
		(void)xalloc(1);
		_exit(0);
	}
	close(fds[1]);
	len = read(fds[0], out, size - 1);
	out[len > 0 ? len : 0] = '\0';
	close(fds[0]);
	status = 0;
	(void)waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	char said[256];
	test_copies();
	test_sizes();
	test_failure();
	is_int(run_without_memory(said, sizeof said), 1, "xalloc() ends a program without memory");
	ok(strstr(said, "out of memory") != NULL, "and says why");
	return done_testing();
}
