/* SPDX-License-Identifier: ISC */
/*
 * The journal with its helper thread and the real disk under kill -9: a child writes values for
 * some keys, one after the other, and reports each appended value; syncs and rewrites run beside
 * it. The child is killed at any instant, also while it opens. Afterwards every reported value is
 * in the journal, and no value that the child did not write.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/queue/journal.h"
#include "tap.h"

enum {
	KEYS = 100,
	KILLS = 60,
	PAYLOAD_MAX = 512,
	TYPE = 9,
	BOUND_MS = 20000,
};

struct user {
	struct journal *journal; /* NULL while it opens */
	uint64_t values[KEYS]; /* the newest; value % KEYS is its key */
	unsigned altered;
	unsigned backward; /* number of older values after a newer one */
	unsigned gaps;
	uint64_t snapshots;
	size_t written; /* keys written in the present snapshot */
};

static size_t payload_make(uint64_t value, uint8_t out[PAYLOAD_MAX])
{
	size_t len = sizeof value + (value * 13) % (PAYLOAD_MAX - sizeof value);
	memcpy(out, &value, sizeof value);
	for (size_t at = sizeof value; at < len; at++)
		out[at] = (uint8_t)(value * 31 + at);
	return len;
}

static void on_record(void *data, uint8_t type, const void *payload, size_t len)
{
	struct user *user = data;
	uint8_t want[PAYLOAD_MAX];
	uint64_t value = 0;
	if (len >= sizeof value)
		memcpy(&value, payload, sizeof value);
	if (type != TYPE || payload_make(value, want) != len || memcmp(want, payload, len) != 0) {
		user->altered++;
		return;
	}
	user->backward += value < user->values[value % KEYS];
	user->values[value % KEYS] = value;
}

static void on_gap(void *data, uint64_t count, const char *reason)
{
	struct user *user = data;
	(void)count;
	diag("a gap: %s", reason);
	user->gaps++;
}

static bool on_snapshot(void *data, struct journal *journal, bool is_first)
{
	struct user *user = data;
	uint8_t payload[PAYLOAD_MAX];
	uint64_t ticket;
	user->snapshots += is_first;
	if (is_first)
		user->written = 0;
	for (size_t end = user->written + 5; user->written < end && user->written < KEYS;) {
		uint64_t value = user->values[user->written++];
		size_t len = payload_make(value, payload);
		if (value != 0)
			(void)journal_append(journal, TYPE, payload, len, &ticket);
	}
	return user->written == KEYS;
}

static atomic_bool is_stuck; /* the disk blocks */

/* A slow disk: much is written while a sync or a rewrite is under way. */
static int slow_sync(void *data, int file)
{
	(void)usleep(2000);
	while (is_stuck)
		(void)usleep(100);
	return journal_disk_dir_table.sync(data, file);
}

static pthread_t loop_thread;
static atomic_uint closed_by_loop, closed_by_helper;

/* Closing a file without a name frees its blocks: the loop must not wait for that. */
static void slow_close(void *data, int file)
{
	if (pthread_equal(pthread_self(), loop_thread)) {
		closed_by_loop++;
	} else {
		closed_by_helper++;
		while (is_stuck)
			(void)usleep(100);
	}
	journal_disk_dir_table.close(data, file);
}

static void user_open(struct user *user, struct journal_disk_dir *dir, bool threaded)
{
	const struct journal_handlers handlers = {
	    .record = on_record, .gap = on_gap, .snapshot = on_snapshot};
	static struct journal_disk disk;
	struct journal *journal;
	memset(user, 0, sizeof *user);
	disk = journal_disk_dir_table;
	if (threaded)
		disk.sync = slow_sync;
	loop_thread = pthread_self();
	disk.close = slow_close;
	if (journal_open(&disk, dir, "journal", threaded, &handlers, user, &journal) != 0)
		abort();
	user->journal = journal;
}

/* Lets the journal do its work: the helper thread has ended a sync, or a deadline has passed. */
static void attend(struct user *user)
{
	struct pollfd ready = {.fd = journal_fd(user->journal), .events = POLLIN};
	if (poll(&ready, 1, 0) > 0)
		journal_dispatch(user->journal);
	if (journal_timeout_ms(user->journal) == 0)
		journal_tick(user->journal);
}

/* Writes until it is killed. Each value is reported once it was appended. */
static _Noreturn void write_for_ever(const char *path, uint64_t value, int fd, unsigned seed)
{
	struct journal_disk_dir *dir = journal_disk_dir_open(path);
	static struct user user;
	uint8_t payload[PAYLOAD_MAX];
	uint64_t ticket;
	if (dir == NULL)
		_exit(1);
	user_open(&user, dir, true);
	for (;; value++) {
		size_t old_len = payload_make(user.values[value % KEYS], payload);
		bool is_first = user.values[value % KEYS] == 0;
		size_t len = payload_make(value, payload);
		if (journal_append(user.journal, TYPE, payload, len, &ticket) == 0) {
			user.values[value % KEYS] = value;
			if (write(fd, &value, sizeof value) != sizeof value)
				_exit(1);
		}
		if (!is_first)
			journal_note_dead(user.journal, old_len);
		/* A sync and a rewrite exclude each other, so each gets its time. */
		if (value / 300 % 2 == 0 && rand_r(&seed) % 16 == 0)
			journal_sync(user.journal);
		if (value / 300 % 2 == 1 && rand_r(&seed) % 16 == 0)
			journal_rewrite(user.journal);
		attend(&user);
	}
}

/* The values that the child has reported, until its end. Returns the last value. */
static uint64_t read_told(int fd, uint64_t told[KEYS], uint64_t last, pid_t child, int64_t kill_ms)
{
	int64_t end_ms = clock_mono_ms() + BOUND_MS;
	bool is_killed = false;
	while (clock_mono_ms() < end_ms) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		uint64_t values[256];
		ssize_t got;
		if (!is_killed && clock_mono_ms() >= kill_ms) {
			(void)kill(child, SIGKILL);
			is_killed = true;
		}
		if (poll(&ready, 1, 1) == 0)
			continue;
		got = read(fd, values, sizeof values);
		if (got <= 0)
			return last;
		for (size_t at = 0; at < (size_t)got / sizeof *values; at++) {
			last = values[at];
			told[last % KEYS] = last;
		}
	}
	return 0;
}

static void append(struct user *user, uint64_t value)
{
	uint8_t payload[PAYLOAD_MAX];
	uint64_t ticket;
	if (journal_append(user->journal, TYPE, payload, payload_make(value, payload), &ticket) ==
	    0)
		user->values[value % KEYS] = value;
}

/* Records appended during a rewrite are in the new file too. */
static void test_rewrite(struct journal_disk_dir *dir)
{
	static struct user user, after;
	int64_t end_ms = clock_mono_ms() + BOUND_MS;
	struct journal_stats stats;
	uint64_t rewrites;
	user_open(&user, dir, true);
	journal_stats(user.journal, &stats);
	rewrites = stats.rewrites;
	for (uint64_t value = 1; value <= 10; value++)
		append(&user, value);
	is_stuck = true;
	user.written = 0;
	journal_rewrite(user.journal);
	for (uint64_t value = 11; value <= 20; value++) {
		while (value == 16 && user.written < KEYS && clock_mono_ms() < end_ms)
			attend(&user); /* more values, appended after the copied state */
		append(&user, value);
	}
	is_stuck = false;
	while (stats.rewrites == rewrites && clock_mono_ms() < end_ms) {
		attend(&user);
		journal_stats(user.journal, &stats);
	}
	ok(stats.rewrites > rewrites, "the file is rewritten by the helper thread");
	is_stuck = true;
	while (closed_by_helper == 0 && clock_mono_ms() < end_ms)
		attend(&user);
	is_int(closed_by_loop, 0, "the loop does not close the file that was replaced");
	is_int(closed_by_helper, 1, "the helper thread does");
	append(&user, 21);
	journal_sync(user.journal);
	journal_stats(user.journal, &stats);
	ok(stats.durable < stats.ticket, "what is appended meanwhile waits");
	is_stuck = false;
	while (stats.durable < stats.ticket && clock_mono_ms() < end_ms) {
		attend(&user);
		journal_stats(user.journal, &stats);
	}
	ok(stats.durable == stats.ticket, "and is durable then");
	user_open(&after, dir, false); /* as after a kill: the first journal has closed nothing */
	is_int(memcmp(after.values, user.values, sizeof user.values), 0,
	    "and has the records appended meanwhile");
	journal_close(after.journal);
	journal_close(user.journal);
}

int main(void)
{
	static char path[] = "/tmp/mbt-journal-XXXXXX";
	static struct user user;
	uint64_t told[KEYS] = {0}, last = 0, total = 0;
	unsigned lost = 0, invented = 0, altered = 0, backward = 0, gaps = 0;
	struct journal_disk_dir *dir;
	char file[64];
	unsigned seed = (unsigned)clock_mono_us();
	diag("seed %u", seed);
	dir = mkdtemp(path) == NULL ? NULL : journal_disk_dir_open(path);
	if (dir == NULL)
		abort();
	test_rewrite(dir);
	last = 21;
	for (unsigned round = 0; round < KILLS; round++) {
		int fds[2];
		int64_t kill_ms = clock_mono_ms() + rand_r(&seed) % (round % 3 == 0 ? 4 : 60);
		uint64_t before = last;
		pid_t child;
		uint64_t said;
		if (pipe(fds) < 0 || (child = fork()) < 0)
			abort();
		if (child == 0) {
			(void)close(fds[0]);
			write_for_ever(path, last + 1, fds[1], seed + round);
		}
		(void)close(fds[1]);
		last = read_told(fds[0], told, last, child, kill_ms);
		(void)close(fds[0]);
		(void)waitpid(child, NULL, 0);
		user_open(&user, dir, false);
		said = last;
		for (size_t key = 0; key < KEYS; key++) {
			lost += user.values[key] < told[key];
			/* One more may have been appended and not reported. */
			invented += user.values[key] > said + 1;
			if (user.values[key] > last)
				last = user.values[key];
		}
		memcpy(told, user.values, sizeof told);
		altered += user.altered;
		backward += user.backward;
		gaps += user.gaps;
		total += last - before;
		journal_close(user.journal);
	}
	ok(total > KILLS, "%u kills of a child that has written %llu values", KILLS,
	    (unsigned long long)total);
	is_int(lost, 0, "no appended record is lost");
	is_int(invented, 0, "no record is there that it did not write");
	is_int(altered, 0, "nothing is altered");
	is_int(backward, 0, "the order is kept");
	is_int(gaps, 0, "and no gap is reported");
	journal_disk_dir_close(dir);
	(void)snprintf(file, sizeof file, "%s/journal", path);
	(void)unlink(file);
	ok(rmdir(path) == 0, "no other file is left behind");
	(void)snprintf(file, sizeof file, "%s/journal.new", path);
	if (unlink(file) == 0)
		(void)rmdir(path);
	return done_testing();
}
