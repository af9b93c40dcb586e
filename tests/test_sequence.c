/* SPDX-License-Identifier: ISC */
/* Numbers that are never given twice: orderly ends, kill -9, damage, a disk that refuses. */
#include "daemon/event/event_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "tap.h"

static char dir[] = "/tmp/muxbus-sequence-XXXXXX";
static char file[sizeof dir + 16];

static struct sequence *open_sequence(void)
{
	char reason[256] = "";
	struct sequence *sequence = sequence_open(dir, reason, sizeof reason);
	if (sequence == NULL)
		diag("%s", reason);
	return sequence;
}

/* The last number of a process that passes some numbers, gives count more and is killed. */
static uint64_t killed_life(uint64_t passed, int count)
{
	int pipe_fds[2];
	uint64_t last = 0;
	pid_t pid;
	if (pipe(pipe_fds) < 0)
		return 0;
	pid = fork();
	if (pid == 0) {
		struct sequence *sequence = open_sequence();
		sequence_pass(sequence, sequence_last(sequence) + passed);
		for (int i = 0; i < count; i++)
			last = sequence_next(sequence);
		(void)!write(pipe_fds[1], &last, sizeof last);
		_exit(0); /* without closing */
	}
	(void)waitpid(pid, NULL, 0);
	if (read(pipe_fds[0], &last, sizeof last) != sizeof last)
		last = 0;
	(void)close(pipe_fds[0]);
	(void)close(pipe_fds[1]);
	return last;
}

static size_t read_file(char *out, size_t size)
{
	int fd = open(file, O_RDONLY);
	ssize_t len = read(fd, out, size);
	(void)close(fd);
	return len < 0 ? 0 : (size_t)len;
}

static void write_file(const char *bytes, size_t len)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	(void)!write(fd, bytes, len);
	(void)close(fd);
}

static uint64_t first_of_new_life(void)
{
	struct sequence *sequence = open_sequence();
	uint64_t first = sequence_next(sequence);
	sequence_close(sequence);
	return first;
}

static void test_pass(void)
{
	struct sequence *sequence = open_sequence();
	uint64_t last = sequence_last(sequence);
	is_int((long long)sequence_peek(sequence), (long long)last + 1, "a number can be foretold");
	sequence_pass(sequence, last);
	is_int((long long)sequence_next(sequence), (long long)last + 1, "and passed for nothing");
	sequence_pass(sequence, last + 3 * (uint64_t)SEQUENCE_BLOCK);
	ok(sequence_peek(sequence) > last + 3 * (uint64_t)SEQUENCE_BLOCK, "or far ahead");
	last = sequence_next(sequence);
	sequence_close(sequence);
	ok(first_of_new_life() > last, "which the file keeps");
}

static void test_orderly(void)
{
	struct sequence *sequence = open_sequence();
	is_int((long long)sequence_last(sequence), 0, "nothing was given yet");
	is_int((long long)sequence_next(sequence), 1, "numbers begin at 1");
	is_int((long long)sequence_next(sequence), 2, "and go on");
	is_int((long long)sequence_last(sequence), 2, "the last number is reported");
	sequence_close(sequence);
	sequence = open_sequence();
	is_int((long long)sequence_last(sequence), 2, "an orderly end loses none");
	is_int((long long)sequence_next(sequence), 3, "and gives none twice");
	sequence_close(sequence);
	sequence = open_sequence();
	sequence_close(sequence);
	is_int((long long)first_of_new_life(), 4, "a life without numbers changes nothing");
}

static void test_killed(void)
{
	uint64_t last = killed_life(0, 3);
	uint64_t first = first_of_new_life();
	ok(first > last, "after kill -9 numbers go on above (%llu, %llu)", (unsigned long long)last,
	    (unsigned long long)first);
	ok(first <= last + SEQUENCE_BLOCK, "and skip no more than a block");
	last = killed_life(0, SEQUENCE_BLOCK + 10);
	first = first_of_new_life();
	ok(first > last, "also after more than a block of numbers");
	last = killed_life(3 * (uint64_t)SEQUENCE_BLOCK, 3);
	first = first_of_new_life();
	ok(first > last, "and after numbers that were passed far ahead");
}

/* The file was removed with the state directory, whose journal the daemon made again. */
static void test_removed(void)
{
	char journal[sizeof dir + 16];
	struct sequence *sequence;
	uint64_t last;
	(void)unlink(file);
	last = killed_life(0, 100);
	(void)unlink(file);
	sequence = open_sequence();
	sequence_pass(sequence, last - 10);
	ok(sequence_next(sequence) > last, "numbers behind the last one of the journal are passed");
	sequence_close(sequence);
	(void)unlink(file);
	(void)snprintf(journal, sizeof journal, "%s/journal", dir);
	(void)close(open(journal, O_WRONLY | O_CREAT, 0600));
	ok(first_of_new_life() > last, "and so are those of a journal without any");
	(void)unlink(journal);
	(void)unlink(file);
	is_int((long long)first_of_new_life(), 1, "an empty directory begins again");
}

/* A damaged file must never lead to a number that was given before. */
static void test_damage(void)
{
	char good[128];
	size_t len = read_file(good, sizeof good);
	struct sequence *sequence = open_sequence();
	uint64_t last = sequence_last(sequence);
	int failures;
	sequence_close(sequence);
	failures = 0;
	for (size_t bit = 0; bit < len * 8; bit++) {
		char bad[128];
		memcpy(bad, good, len);
		bad[bit / 8] = (char)(bad[bit / 8] ^ (1 << (bit % 8)));
		write_file(bad, len);
		failures += first_of_new_life() <= last;
	}
	is_int(failures, 0, "each flipped bit of %zu is noticed", len * 8);
	failures = 0;
	for (size_t cut = 0; cut < len; cut++) {
		write_file(good, cut);
		failures += first_of_new_life() <= last;
	}
	is_int(failures, 0, "each truncation is noticed");
	write_file(good, len);
	is_int((long long)first_of_new_life(), (long long)last + 1, "the whole file still serves");
}

static void test_refusal(void)
{
	struct sequence *sequence = open_sequence();
	uint64_t last = sequence_next(sequence);
	char moved[sizeof dir + 8], reason[256];
	uint64_t next, first;
	(void)snprintf(moved, sizeof moved, "%s.gone", dir);
	(void)unlink(file);
	(void)rmdir(dir);
	first = 0;
	for (int i = 0; i < SEQUENCE_BLOCK; i++)
		first = sequence_next(sequence);
	ok(first > last + 1000000, "when the ceiling cannot be raised, numbers jump far ahead");
	ok(first <= SEQUENCE_MAX, "but stay within the integers of JSON");
	next = sequence_next(sequence);
	is_int((long long)next, (long long)first + 1, "and go on one by one");
	sequence_close(sequence);
	ok(sequence_open(dir, reason, sizeof reason) == NULL, "a directory that is not there: %s",
	    reason);
	sequence = sequence_open(NULL, reason, sizeof reason);
	is_int((long long)sequence_next(sequence), 1, "without a directory numbers begin at 1");
	sequence_close(sequence);
}

int main(void)
{
	int null = open("/dev/null", O_WRONLY);
	log_open(null, "test", LOG_LEVEL_ERROR);
	if (!mkdtemp(dir))
		return 99;
	(void)snprintf(file, sizeof file, "%s/sequence", dir);
	test_orderly();
	test_killed();
	test_pass();
	test_removed();
	test_damage();
	test_refusal();
	return done_testing();
}
