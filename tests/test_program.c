/* SPDX-License-Identifier: ISC */
/* Programs that deliver notifications: their input, output, end, and the limits of all three. */
#include "daemon/deliver/program.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "tap.h"

enum { LONG_MS = 20000, SHORT_MS = 200, OUTPUT_MAX = 4096 };

static struct event_base *base;

struct outcome {
	struct program *program;
	struct program_end end;
	char *output;
};

static void on_end(void *data, const struct program_end *end)
{
	struct outcome *outcome = data;
	outcome->end = *end;
	outcome->output = program_output(outcome->program);
	program_free(outcome->program);
	(void)event_base_loopbreak(base);
}

/* Runs a line of sh with a text as its input (NULL: none), until its end. */
static struct outcome run(const char *line, const char *input, int64_t time_ms, int64_t grace_ms)
{
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)line, NULL};
	char *env[] = {(char[]){"PATH=/usr/bin:/bin"}, (char[]){"ONE=1"}, NULL};
	struct outcome outcome = {0};
	struct program_order order = {
	    .path = "/bin/sh",
	    .argv = argv,
	    .env = env,
	    .input = input != NULL ? memfd_create("input", MFD_CLOEXEC) : -1,
	    .output_max = OUTPUT_MAX,
	    .time_ms = time_ms,
	    .grace_ms = grace_ms,
	};
	if (input != NULL)
		(void)!(write(order.input, input, strlen(input)) + lseek(order.input, 0, SEEK_SET));
	outcome.program = program_start(base, &order, on_end, &outcome);
	if (outcome.program != NULL)
		(void)event_base_dispatch(base);
	if (order.input >= 0)
		(void)close(order.input);
	return outcome;
}

static void test_ends(void)
{
	struct outcome outcome =
	    run("cat; echo \"$ONE $HOME\" >&2; exit 3", "the input ", LONG_MS, 0);
	ok(WIFEXITED(outcome.end.status) && WEXITSTATUS(outcome.end.status) == 3, "its status");
	is_str(outcome.output, "the input 1 \n", "its input, its environment, its output");
	ok(!outcome.end.is_late, "in time");
	mem_free(outcome.output);
	outcome = run("cat; head -c 100000 /dev/zero | tr '\\0' x; exit 0", NULL, LONG_MS, 0);
	is_int((long long)strlen(outcome.output), OUTPUT_MAX, "of long output the first bytes");
	mem_free(outcome.output);
}

static void test_limits(void)
{
	struct outcome outcome = run("exec sleep 100", NULL, SHORT_MS, LONG_MS);
	ok(outcome.end.is_late && WTERMSIG(outcome.end.status) == SIGTERM, "late: SIGTERM");
	mem_free(outcome.output);
	outcome = run("trap 'echo bye; exit 0' TERM; sleep 100", NULL, SHORT_MS, LONG_MS);
	ok(outcome.end.is_late, "which it may take");
	ok(strstr(outcome.output, "bye\n") != NULL, "in its own way");
	mem_free(outcome.output);
	outcome = run("trap '' TERM; sleep 100 & wait; sleep 100", NULL, SHORT_MS, SHORT_MS);
	ok(outcome.end.is_late && WTERMSIG(outcome.end.status) == SIGKILL, "or not: SIGKILL");
	mem_free(outcome.output);
	outcome = run("exec sleep 100", NULL, SHORT_MS, 0);
	ok(outcome.end.is_late && WTERMSIG(outcome.end.status) == SIGKILL, "without grace at once");
	mem_free(outcome.output);
}

static void test_failure(void)
{
	char *argv[] = {(char[]){"nothing"}, NULL};
	struct program_order order = {
	    .path = "/nothing", .argv = argv, .env = argv + 1, .input = -1};
	is_int(program_start(base, &order, on_end, NULL) == NULL ? errno : 0, ENOENT,
	    "a program that is not there");
}

int main(void)
{
	base = event_base_new();
	test_ends();
	test_limits();
	test_failure();
	event_base_free(base);
	return done_testing();
}
