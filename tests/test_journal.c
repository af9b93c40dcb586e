/* SPDX-License-Identifier: ISC */
/* The journal against kills, power cuts, truncations, flipped bits, full and failing disks. */
#include "daemon/queue/journal.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/queue/journal_record.h"
#include "tap.h"
#include "torn_disk.h"

enum {
	RECORDS_MAX = 4096,
	POWER_CUTS = 3000,
	KILLS = 500,
};

/* The numbers of a journal's user, each a record with a payload made from it. */
struct user {
	struct torn_disk *disk;
	struct journal *journal;
	uint32_t live[RECORDS_MAX]; /* as the user holds them */
	size_t live_count;
	size_t written; /* records of the snapshot written so far */
	uint32_t found[RECORDS_MAX]; /* as recovery returned them */
	size_t found_count;
	bool has_altered;
	uint64_t gaps; /* records lost in gaps */
	unsigned gap_calls;
	char reason[32]; /* of the last gap */
	size_t durable_count; /* of live: survive a power cut */
	uint64_t tickets[RECORDS_MAX];
	bool is_degraded;
	unsigned degradations;
};

static size_t payload_make(uint32_t number, uint8_t *out)
{
	size_t len = 4 + (number * 7) % 90;
	memcpy(out, &number, 4);
	for (size_t at = 4; at < len; at++)
		out[at] = (uint8_t)(number * 31 + at);
	return len;
}

static void on_record(void *data, uint8_t type, const void *payload, size_t len)
{
	struct user *user = data;
	uint8_t want[128];
	uint32_t number;
	if (type != 7 || len < 4) {
		user->has_altered = true;
		return;
	}
	memcpy(&number, payload, 4);
	if (payload_make(number, want) != len || memcmp(want, payload, len) != 0)
		user->has_altered = true;
	else if (user->found_count < RECORDS_MAX)
		user->found[user->found_count++] = number;
}

static void on_gap(void *data, uint64_t count, const char *reason)
{
	struct user *user = data;
	snprintf(user->reason, sizeof user->reason, "%s", reason);
	user->gaps += count;
	user->gap_calls++;
}

/* Writes a few records with each call. */
static bool on_snapshot(void *data, struct journal *journal, bool is_first)
{
	struct user *user = data;
	const uint32_t *numbers = user->journal == NULL ? user->found : user->live;
	size_t count = user->journal == NULL ? user->found_count : user->live_count;
	uint8_t payload[128];
	uint64_t ticket;
	if (is_first)
		user->written = 0;
	for (size_t left = 3; left > 0 && user->written < count; left--) {
		size_t len = payload_make(numbers[user->written++], payload);
		(void)journal_append(journal, 7, payload, len, &ticket);
	}
	return user->written >= count;
}

static void on_degraded(void *data, bool is_degraded, const char *reason)
{
	struct user *user = data;
	(void)reason;
	user->is_degraded = is_degraded;
	user->degradations += is_degraded;
}

static void on_durable(void *data, uint64_t ticket)
{
	struct user *user = data;
	while (user->durable_count < user->live_count && user->tickets[user->durable_count] != 0 &&
	    user->tickets[user->durable_count] <= ticket)
		user->durable_count++;
}

static void user_open(struct user *user, struct torn_disk *disk)
{
	const struct journal_handlers handlers = {
	    .record = on_record,
	    .gap = on_gap,
	    .snapshot = on_snapshot,
	    .degraded = on_degraded,
	    .durable = on_durable,
	};
	struct journal *journal;
	memset(user, 0, sizeof *user);
	user->disk = disk;
	if (journal_open(&torn_disk_table, disk, "journal", false, &handlers, user, &journal) != 0)
		abort();
	user->journal = journal;
	memcpy(user->live, user->found, sizeof user->live);
	user->live_count = user->found_count;
	user->durable_count = user->found_count;
}

/* Appends the next number. Returns 0 or -errno. */
static int user_append(struct user *user)
{
	uint32_t number = user->live_count == 0 ? 1 : user->live[user->live_count - 1] + 1;
	uint8_t payload[128];
	uint64_t ticket = 0;
	int error =
	    journal_append(user->journal, 7, payload, payload_make(number, payload), &ticket);
	user->tickets[user->live_count] = ticket;
	user->live[user->live_count++] = number;
	return error;
}

/* Forgets the journal's memory without closing it: the program is gone. */
static void user_vanish(struct user *user, void (*end)(struct torn_disk *disk))
{
	size_t durable_count = user->durable_count;
	struct torn_disk copy;
	torn_disk_copy(&copy, user->disk);
	end(&copy);
	journal_close(user->journal); /* the disk of a closed journal is not used any more */
	user->durable_count = durable_count;
	torn_disk_finish(user->disk);
	*user->disk = copy;
}

/* Returns true if found is a prefix of live with at least count records. */
static bool is_prefix(const struct user *before, const struct user *after, size_t count)
{
	return after->found_count >= count && after->found_count <= before->live_count &&
	    memcmp(after->found, before->live, after->found_count * sizeof *after->found) == 0;
}

static void test_kills(void)
{
	static struct user before, after;
	unsigned lost = 0, altered = 0, alarms = 0;
	for (unsigned round = 0; round < KILLS; round++) {
		struct torn_disk disk;
		unsigned count;
		torn_disk_init(&disk, round + 1);
		disk.reserves = round % 2 == 0;
		user_open(&before, &disk);
		count = (unsigned)(torn_disk_random(&disk) % 60);
		for (unsigned at = 0; at < count; at++) {
			(void)user_append(&before);
			if (torn_disk_random(&disk) % 8 == 0)
				journal_sync(before.journal);
			if (torn_disk_random(&disk) % 40 == 0)
				journal_rewrite(before.journal);
		}
		user_vanish(&before, torn_disk_kill);
		user_open(&after, &disk);
		lost += !is_prefix(&before, &after, before.live_count);
		altered += after.has_altered;
		alarms += after.gap_calls;
		journal_close(after.journal);
		torn_disk_finish(&disk);
	}
	is_int(lost, 0, "%d kills: no appended record is lost", KILLS);
	is_int(altered, 0, "and none is altered");
	is_int(alarms, 0, "and no gap is reported");
}

static void test_power_cuts(void)
{
	static struct user before, after, later;
	unsigned lost = 0, altered = 0, alarms = 0, risen = 0;
	for (unsigned round = 0; round < POWER_CUTS; round++) {
		struct torn_disk disk;
		unsigned count;
		torn_disk_init(&disk, round + 77);
		disk.reserves = round % 2 == 0;
		user_open(&before, &disk);
		count = (unsigned)(torn_disk_random(&disk) % 40);
		for (unsigned at = 0; at < count; at++) {
			(void)user_append(&before);
			if (torn_disk_random(&disk) % 6 == 0)
				journal_sync(before.journal);
			if (torn_disk_random(&disk) % 40 == 0)
				journal_rewrite(before.journal);
		}
		user_vanish(&before, torn_disk_power_cut);
		user_open(&after, &disk);
		lost += !is_prefix(&before, &after, before.durable_count);
		altered += after.has_altered;
		alarms += after.gap_calls;
		/* A cut-off record stays cut off, also when another is written in its place. */
		for (count = (unsigned)(torn_disk_random(&disk) % 4); count > 0; count--)
			(void)user_append(&after);
		user_vanish(&after, torn_disk_kill);
		user_open(&later, &disk);
		risen += later.found_count != after.live_count ||
		    !is_prefix(&after, &later, after.live_count);
		alarms += later.gap_calls;
		journal_close(later.journal);
		torn_disk_finish(&disk);
	}
	is_int(lost, 0, "%d power cuts: durable records are there, in order", POWER_CUTS);
	is_int(altered, 0, "and none is altered");
	is_int(risen, 0, "and a lost record does not return when the next life is killed");
	is_int(alarms, 0, "and no gap is reported for records that were never promised");
}

/* Writes a file of count records, all durable. */
static void make_file(struct torn_disk *disk, unsigned count, struct user *user)
{
	torn_disk_init(disk, 5);
	user_open(user, disk);
	for (unsigned at = 0; at < count; at++) {
		(void)user_append(user);
		journal_sync(user->journal);
	}
	journal_close(user->journal);
}

static void test_truncations(void)
{
	static struct user before, after;
	struct torn_disk whole;
	unsigned wrong = 0;
	size_t len;
	make_file(&whole, 30, &before);
	len = torn_disk_file(&whole, "journal")->len;
	for (size_t cut = 0; cut < len; cut++) {
		struct torn_disk disk;
		torn_disk_copy(&disk, &whole);
		torn_disk_file(&disk, "journal")->len = cut;
		user_open(&after, &disk);
		wrong += !is_prefix(&before, &after, 0) || after.has_altered;
		(void)user_append(&after);
		wrong += after.is_degraded;
		journal_close(after.journal);
		torn_disk_finish(&disk);
	}
	is_int(wrong, 0, "each of %zu truncations leaves a prefix, and the journal goes on", len);
	torn_disk_finish(&whole);
}

/* Returns true if found is live without some records that a gap or a mark accounts for. */
static bool is_noticed(const struct user *before, const struct user *after)
{
	size_t place = 0, missing_inside = 0, missing;
	for (size_t at = 0; at < after->found_count; at++) {
		size_t from = place;
		while (place < before->live_count && before->live[place] != after->found[at])
			place++;
		if (place == before->live_count)
			return false;
		missing_inside += place - from;
		place++;
	}
	missing = missing_inside + before->live_count - place;
	return missing == after->gaps || missing + 1 == after->gaps;
}

static void test_bit_flips(void)
{
	static struct user before, after;
	unsigned altered = 0, unnoticed = 0;
	struct torn_disk whole;
	size_t len;
	make_file(&whole, 12, &before);
	len = torn_disk_file(&whole, "journal")->len;
	for (size_t bit = 0; bit < 8 * len; bit++) {
		struct torn_disk disk;
		torn_disk_copy(&disk, &whole);
		torn_disk_file(&disk, "journal")->bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
		user_open(&after, &disk);
		altered += after.has_altered;
		unnoticed += !is_noticed(&before, &after);
		if (bit < 8 * JOURNAL_HEADER_SIZE)
			unnoticed += after.gap_calls == 0;
		journal_close(after.journal);
		torn_disk_finish(&disk);
	}
	is_int(altered, 0, "each of %zu flipped bits: no record comes back altered", 8 * len);
	is_int(unnoticed, 0, "and one damaged record costs one record, noticed");
	torn_disk_finish(&whole);
}

/* The mark behind the last batch sets damage in it apart from a tail that was never promised. */
static void test_last_batch(void)
{
	static struct user before, after;
	struct torn_disk disk, copy;
	size_t sound_len, len;
	torn_disk_init(&disk, 12);
	user_open(&before, &disk);
	for (unsigned at = 0; at < 3; at++)
		(void)user_append(&before);
	journal_sync(before.journal);
	sound_len = torn_disk_file(&disk, "journal")->len;
	torn_disk_copy(&copy, &disk);
	torn_disk_kill(&copy);
	torn_disk_file(&copy, "journal")->bytes[sound_len - 2 * JOURNAL_RECORD_HEADER_SIZE] ^= 1;
	user_open(&after, &copy);
	is_int((int)after.gaps, 1, "damage in the last batch that was synced is a gap");
	is_str(after.reason, "corruption", "with its reason");
	is_int((int)after.found_count, 2, "of one record");
	journal_close(after.journal);
	torn_disk_finish(&copy);
	(void)user_append(&before);
	len = torn_disk_file(&disk, "journal")->len;
	torn_disk_copy(&copy, &disk);
	torn_disk_kill(&copy);
	torn_disk_file(&copy, "journal")->bytes[len - 8] ^= 1;
	user_open(&after, &copy);
	is_int(after.gap_calls, 0, "a damaged record behind the mark was never promised");
	is_int((int)after.found_count, 3, "and is left out");
	journal_close(after.journal);
	torn_disk_finish(&copy);
	journal_close(before.journal);
	len = torn_disk_file(&disk, "journal")->len;
	torn_disk_power_cut(&disk);
	is_int((int)torn_disk_file(&disk, "journal")->len, (int)len,
	    "a clean end leaves a mark that survives a power cut");
	torn_disk_file(&disk, "journal")->bytes[len - JOURNAL_RECORD_HEADER_SIZE - 8] ^= 1;
	user_open(&after, &disk);
	is_int((int)after.gaps, 1, "so damage after a clean end is a gap, too");
	journal_close(after.journal);
	torn_disk_finish(&disk);
}

static void test_aside(void)
{
	static struct user before, after;
	struct torn_disk disk;
	make_file(&disk, 5, &before);
	torn_disk_file(&disk, "journal")->bytes[3] ^= 1;
	user_open(&after, &disk);
	is_int((int)after.found_count, 5, "a damaged header costs no record");
	ok(after.gap_calls > 0, "but the damage is reported");
	ok(torn_disk_file(&disk, "journal.damaged-1") != NULL, "and the file is set aside");
	(void)user_append(&after);
	user_vanish(&after, torn_disk_kill);
	user_open(&before, &disk);
	is_int((int)before.found_count, 6, "the new one holds all of it");
	is_int(before.gap_calls, 0, "and is sound");
	journal_close(before.journal);
	torn_disk_finish(&disk);
}

static void test_full_disk(void)
{
	static struct user user, after;
	struct torn_disk disk;
	int error = 0;
	torn_disk_init(&disk, 9);
	user_open(&user, &disk);
	(void)user_append(&user);
	disk.room = 100;
	for (unsigned at = 0; at < 5; at++)
		error = user_append(&user);
	is_int(error, -EIO, "a full disk is reported");
	ok(user.is_degraded, "and the journal is degraded");
	disk.room = 40;
	is_int(
	    user_append(&user), -EIO, "a small record that would fit does not overtake the others");
	journal_rewrite(user.journal);
	ok(user.is_degraded, "a retry on a full disk changes nothing");
	disk.room = SIZE_MAX;
	journal_rewrite(user.journal);
	ok(!user.is_degraded, "with room again it heals");
	is_int(user.degradations, 1, "with one report");
	user_vanish(&user, torn_disk_kill);
	user_open(&after, &disk);
	ok(is_prefix(&user, &after, user.live_count), "and no record in memory is lost");
	is_int(after.gap_calls, 0, "nor is there a gap");
	journal_close(after.journal);
	torn_disk_finish(&disk);
}

/* Killed while the disk is full: the next life reports that something is missing, once. */
static void test_hole(void)
{
	static struct user user, after;
	unsigned untold = 0, again = 0, kept = 0;
	for (unsigned count = 0; count < 60; count++) {
		struct torn_disk disk;
		torn_disk_init(&disk, count + 1);
		disk.reserves = true;
		user_open(&user, &disk);
		disk.room = 0;
		while (!user.is_degraded)
			(void)user_append(&user);
		kept = (unsigned)user.live_count - 1;
		for (unsigned at = 0; at < count; at++)
			(void)user_append(&user);
		user_vanish(&user, torn_disk_kill);
		for (unsigned life = 0; life < 3; life++) {
			user_open(&after, &disk);
			untold += after.gap_calls != 1 || after.found_count != kept ||
			    strcmp(after.reason, "disk_full") != 0;
			(void)user_append(&after); /* there is still no room */
			user_vanish(&after, torn_disk_kill);
		}
		disk.room = SIZE_MAX;
		user_open(&after, &disk);
		untold += after.gap_calls != 1;
		again += user_append(&after) != 0;
		user_vanish(&after, torn_disk_kill);
		user_open(&after, &disk);
		again += after.gap_calls != 0 || after.found_count != kept + 1;
		journal_close(after.journal);
		torn_disk_finish(&disk);
	}
	ok(kept > 50, "room that was reserved is used (%u records)", kept);
	is_int(untold, 0, "60 kills on a full disk: the hole is reported, while the disk is full");
	is_int(again, 0, "and once when it is not");
}

/* A disk that cannot reserve: the hole is reported if its record fits. */
static void test_hole_without_reserve(void)
{
	static struct user user, after;
	struct torn_disk disk;
	torn_disk_init(&disk, 4);
	user_open(&user, &disk);
	(void)user_append(&user);
	disk.room = 20;
	(void)user_append(&user);
	ok(user.is_degraded, "a disk that reserves nothing is full");
	disk.room = 100;
	(void)user_append(&user);
	user_vanish(&user, torn_disk_kill);
	user_open(&after, &disk);
	is_str(after.reason, "disk_full", "the hole is reported as soon as its record fits");
	journal_close(after.journal);
	torn_disk_finish(&disk);
}

static void test_failed_sync(void)
{
	static struct user user, after;
	unsigned wrong = 0;
	for (unsigned nth = 1; nth <= 8; nth++) {
		struct torn_disk disk;
		torn_disk_init(&disk, nth);
		user_open(&user, &disk);
		disk.fail_sync_in = nth;
		for (unsigned at = 0; at < 8; at++) {
			(void)user_append(&user);
			journal_sync(user.journal);
			if (user.is_degraded)
				journal_tick(user.journal);
		}
		wrong += user.is_degraded;
		user_vanish(&user, torn_disk_power_cut);
		user_open(&after, &disk);
		wrong += !is_prefix(&user, &after, user.durable_count);
		wrong += user.durable_count + 1 < user.live_count;
		journal_close(after.journal);
		torn_disk_finish(&disk);
	}
	is_int(wrong, 0, "a failed sync at each place: a new file, and no promised record is lost");
}

/* The new file cannot be synced, and then the power goes: the old one is still there. */
static void test_failed_rewrite(void)
{
	static struct user user, after;
	unsigned wrong = 0;
	for (unsigned seed = 1; seed <= 200; seed++) {
		struct torn_disk disk;
		torn_disk_init(&disk, seed);
		user_open(&user, &disk);
		for (unsigned at = 0; at < 12; at++)
			(void)user_append(&user);
		journal_sync(user.journal);
		disk.fail_sync_in = 1;
		journal_rewrite(user.journal);
		wrong += !user.is_degraded;
		user_vanish(&user, torn_disk_power_cut);
		user_open(&after, &disk);
		wrong += !is_prefix(&user, &after, user.durable_count);
		wrong += after.gap_calls > 0;
		journal_close(after.journal);
		torn_disk_finish(&disk);
	}
	is_int(wrong, 0, "a new file that cannot be synced is not used");
}

static int sync_gate[2];

/* Syncs when the test has written a byte. */
static int gated_sync(void *data, int file)
{
	char byte;
	return read(sync_gate[0], &byte, 1) == 1 ? torn_disk_table.sync(data, file) : -EIO;
}

/* Waits until the helper thread has ended a sync, and takes its result. */
static void take_sync(struct journal *journal)
{
	struct pollfd ready = {.fd = journal_fd(journal), .events = POLLIN};
	if (write(sync_gate[1], "", 1) != 1 || poll(&ready, 1, 10000) != 1)
		abort();
	journal_dispatch(journal);
}

/* A record that comes while the disk syncs waits as long as any other for the next sync. */
static void test_sync_pace(void)
{
	const struct journal_handlers handlers = {
	    .record = on_record, .gap = on_gap, .snapshot = on_snapshot};
	static struct user user;
	struct journal_disk gated = torn_disk_table;
	struct journal_stats stats;
	struct torn_disk disk;
	int64_t limit_ms = clock_mono_ms() + 10000;
	gated.sync = gated_sync;
	torn_disk_init(&disk, 9);
	memset(&user, 0, sizeof user);
	if (pipe(sync_gate) < 0 || write(sync_gate[1], "", 1) != 1 ||
	    journal_open(&gated, &disk, "journal", true, &handlers, &user, &user.journal) != 0)
		abort();
	(void)user_append(&user);
	while (journal_timeout_ms(user.journal) > 0 && clock_mono_ms() < limit_ms)
		(void)poll(NULL, 0, journal_timeout_ms(user.journal));
	journal_tick(user.journal);
	(void)user_append(&user);
	take_sync(user.journal);
	journal_stats(user.journal, &stats);
	is_int((long long)stats.durable, 1, "the first record is synced");
	ok(journal_timeout_ms(user.journal) > 0, "the second waits for its own time");
	journal_sync(user.journal);
	take_sync(user.journal);
	journal_stats(user.journal, &stats);
	is_int((long long)stats.durable, 2, "and is synced then");
	if (write(sync_gate[1], "xxx", 3) != 3)
		abort();
	journal_close(user.journal);
	torn_disk_finish(&disk);
	(void)close(sync_gate[0]);
	(void)close(sync_gate[1]);
}

static void test_limits(void)
{
	static struct user user;
	static uint8_t big[JOURNAL_PAYLOAD_MAX + 1];
	struct torn_disk disk;
	uint64_t ticket;
	torn_disk_init(&disk, 3);
	user_open(&user, &disk);
	is_int(journal_append(user.journal, 7, big, sizeof big, &ticket), -EMSGSIZE,
	    "a payload over the maximum is refused");
	is_int(journal_append(user.journal, 7, big, sizeof big - 1, &ticket), 0,
	    "one of the maximum is not");
	journal_close(user.journal);
	torn_disk_finish(&disk);
}

int main(void)
{
	test_limits();
	test_kills();
	test_power_cuts();
	test_truncations();
	test_bit_flips();
	test_last_batch();
	test_aside();
	test_full_disk();
	test_hole();
	test_hole_without_reserve();
	test_failed_sync();
	test_failed_rewrite();
	test_sync_pace();
	return done_testing();
}
