/* SPDX-License-Identifier: ISC */
/*
 * Each allocation between opening a connection and freeing it fails once, and then each
 * descriptor that it needs is one too many. The call succeeds or is refused with an
 * error: nothing hangs, nothing leaks, each list that was accepted is answered once, and
 * the process is gone.
 */
#include <muxbus.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "fail_alloc.h"
#include "fake.h"
#include "tap.h"

enum { LISTS = 5, POINTS_MAX = 1000 };

static struct fake fake;

/* The error of the current run; NULL: none. */
static const char *wrong;

static void expect(bool is_so, const char *what)
{
	if (!is_so && wrong == NULL)
		wrong = what;
}

/* An error that a lack of memory may cause. */
static bool is_fitting(int error)
{
	return error == 0 || error == MUXBUS_ERR_NOMEM;
}

/* A list of three commands, the last one with a large argument; error values only. */
static int run_list(struct trial *trial, struct answer *answer)
{
	static char large[20000];
	struct muxbus_command *command;
	int error = muxbus_command_new(&command);
	if (error != 0)
		return error;
	memset(large, '~', sizeof large);
	muxbus_command_args(command, "list-a", "-F", "#{x}", NULL);
	muxbus_command_next(command);
	muxbus_command_args(command, "list-b", NULL);
	muxbus_command_argf(command, "%d", 17);
	muxbus_command_next(command);
	muxbus_command_args(command, "list-c", NULL);
	muxbus_command_arg(command, large, sizeof large);
	return muxbus_connection_run(trial->connection, command, answer_note, answer);
}

static void trial_all(struct trial *trial)
{
	struct answer answers[LISTS];
	int results[LISTS];
	memset(answers, 0, sizeof answers);
	for (int i = 0; i < LISTS; i++) {
		results[i] = run_list(trial, &answers[i]);
		expect(is_fitting(results[i]), "run returned another error");
	}
	/* Waits for the accepted lists: closing drains only lists that are under way. */
	for (int i = 0; i < LISTS; i++)
		expect(results[i] != 0 || trial_until(trial, &answers[i].calls), "a list hangs");
	if (trial->closed == 0) {
		muxbus_connection_close(trial->connection);
		expect(trial_until(trial, &trial->closed), "closing hangs");
	}
	expect(is_fitting(trial->error), "another end");
	for (int i = 0; i < LISTS; i++) {
		expect(answers[i].calls == (results[i] == 0), "not answered once");
		expect(is_fitting(answers[i].error), "answered with another error");
		expect(answers[i].error != 0 || answers[i].calls == 0 ||
			strcmp(answers[i].bodies[0], "one\ntwo\n") == 0,
		    "another text without an error");
	}
}

/* Returns whether an allocation has failed. */
static bool run_once(size_t nth)
{
	struct trial trial;
	fail_alloc_arm(nth);
	wrong = NULL;
	fake_open(&fake, &trial, 3000);
	expect(is_fitting(trial.open_error), "open returned another error");
	if (trial.open_error == 0)
		trial_all(&trial);
	trial_finish(&trial);
	expect(trial.pid == 0 || is_gone(trial.pid), "the process is left");
	expect(fail_alloc_live() == 0, "memory is left");
	return fail_alloc_disarm();
}

static int count_descriptors(void)
{
	int count = 0;
	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* The lowest number that the next descriptor cannot have, so that it fails with EMFILE. */
static void set_limit(rlim_t limit)
{
	struct rlimit rlimit;
	(void)getrlimit(RLIMIT_NOFILE, &rlimit);
	rlimit.rlim_cur = limit;
	(void)setrlimit(RLIMIT_NOFILE, &rlimit);
}

/* Returns whether the connection was opened with so few. */
static bool run_limited(rlim_t limit)
{
	int before = count_descriptors();
	struct trial trial;
	bool was_opened;
	wrong = NULL;
	set_limit(limit);
	fake_open(&fake, &trial, 3000);
	set_limit(256);
	was_opened = trial.open_error == 0;
	if (was_opened)
		trial_all(&trial);
	else
		expect(trial.open_error == MUXBUS_ERR_SYSTEM, "open returned another error");
	trial_finish(&trial);
	expect(trial.pid == 0 || is_gone(trial.pid), "the process is left");
	expect(count_descriptors() == before, "a descriptor is left");
	return was_opened;
}

static void test_descriptors(void)
{
	rlim_t limit = (rlim_t)count_descriptors();
	rlim_t first = limit;
	while (limit < first + 30 && !run_limited(limit)) {
		if (wrong != NULL)
			ok(false, "with %lu descriptors: %s", (unsigned long)limit, wrong);
		limit++;
	}
	ok(wrong == NULL, "with enough descriptors every call succeeds");
	ok(limit > first + 5 && limit < first + 30, "each descriptor was missing once");
}

int main(void)
{
	char script[4096] = "greet\nanswer 3\n";
	size_t point = 0;
	for (int i = 0; i < LISTS; i++)
		strcat(script,
		    "expect list-a\nexpect \nsend %window-add @1\\n%output %1 x\\n\n"
		    "reply one\\ntwo\nreply ${NONCE1}\nreply\nreply ${NONCE2}\nreply three\n"
		    "error parse error: unknown command: ${NONCE3}\n");
	fake_start(&fake);
	fake_script(&fake, script);
	while (point < POINTS_MAX && run_once(point)) {
		if (wrong != NULL)
			ok(false, "allocation %zu: %s", point, wrong);
		point++;
	}
	ok(wrong == NULL, "without a failure every call succeeds");
	ok(point > 20 && point < POINTS_MAX, "each allocation has failed once");
	diag("%zu allocations", point);
	test_descriptors();
	fake_stop(&fake);
	return done_testing();
}
