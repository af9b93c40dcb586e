/* SPDX-License-Identifier: ISC */
/*
 * The journal: a file to which records are appended, each with a checksum. A record survives kill
 * -9 when it is appended, and a power cut when it is durable. Loss and damage are reported as gaps;
 * no record is ever made up. The journal does not know what the records mean.
 *
 * The records of a file are numbered from 1 without gaps (journal_record.h). Users of the journal
 * see tickets instead, numbers that go on when the file is rewritten.
 *
 * A write that fails half-way is cut off again. A file that could not be synced is never trusted
 * again. In both cases, and when most of the file is dead (not needed any more), the journal is
 * rewritten: its user writes the present state into a new file, part by part, which is then renamed
 * over the old one. If that fails too, the journal is degraded: it reports this, and tries again.
 * It then appends a hole record, for which room is always reserved, so that the next daemon can
 * report a gap.
 */
#pragma once

#include "daemon/queue/journal_disk.h"

#define JOURNAL_PAYLOAD_MAX (4 * 1024 * 1024) /* bytes of a record's payload */
#define JOURNAL_SYNC_MS 100 /* a sync begins within this time after a record was appended */
#define JOURNAL_RETRY_MS 1000 /* time between attempts to leave the degraded state */

struct journal;

struct journal_handlers {
	/* Called while opening, for each record that was found, in order. Types are below 255. */
	void (*record)(void *data, uint8_t type, const void *payload, size_t len);
	/* Called while opening: count records are damaged or missing; 0: not known how many. */
	void (*gap)(void *data, uint64_t count, const char *reason);
	/*
	 * Writes one part of the present state by journal_append(). is_first: it is the first part.
	 * Returns true when all parts are written. The state may change between parts; these
	 * changes are appended too. Also called while opening.
	 */
	bool (*snapshot)(void *data, struct journal *journal, bool is_first);
	/*
	 * Called when the journal becomes degraded (the disk is full, or fails), or is sound again.
	 * May be NULL.
	 */
	void (*degraded)(void *data, bool is_degraded, const char *reason);
	/* Called when all records up to this ticket survive a power cut. May be NULL. */
	void (*durable)(void *data, uint64_t ticket);
};

/*
 * Opens the journal, reads its records and syncs it. Trouble with the disk is no failure: a damaged
 * file is renamed to NAME.damaged-N, and its readable records are kept; without a usable disk the
 * journal begins degraded. threaded: a helper thread syncs, and journal_fd() becomes readable at
 * the end of a sync; otherwise only journal_sync() syncs, and blocks. Returns 0, or -errno if
 * memory or threads run out.
 */
int journal_open(const struct journal_disk *disk, void *disk_data, const char *name, bool threaded,
    const struct journal_handlers *handlers, void *data, struct journal **ret_journal);

void journal_close(struct journal *journal);

/*
 * Appends a record, which then survives kill -9. Returns 0 with the ticket of the record, -EMSGSIZE
 * (longer than JOURNAL_PAYLOAD_MAX), or -EIO while degraded. After -EIO the next snapshot must have
 * the change.
 */
int journal_append(
    struct journal *journal, uint8_t type, const void *payload, size_t len, uint64_t *ret_ticket);

/* Starts a sync; durable() is called at its end. */
void journal_sync(struct journal *journal);

/* Rewrites the journal: at once, or, if threaded, one part in each journal_tick(). */
void journal_rewrite(struct journal *journal);

/* For the end of the daemon: blocks until all records are durable or the disk has failed. */
void journal_settle(struct journal *journal);

/* Returns a descriptor that is readable when journal_dispatch() has work; -1 if not threaded. */
int journal_fd(const struct journal *journal);
void journal_dispatch(struct journal *journal);

/* Returns the time until journal_tick() must be called, in ms; -1: no call is needed. */
int journal_timeout_ms(const struct journal *journal);
void journal_tick(struct journal *journal);

/*
 * Counts bytes of payload that are not needed any more. If they are many, the journal is rewritten.
 */
void journal_note_dead(struct journal *journal, size_t bytes);

struct journal_stats {
	uint64_t ticket;
	uint64_t durable;
	uint64_t bytes; /* size of the file */
	uint64_t dead_bytes, syncs, rewrites;
	uint64_t gaps; /* number of records that were found lost while opening */
	int64_t longest_sync_us;
	bool is_degraded;
};
void journal_stats(const struct journal *journal, struct journal_stats *ret_stats);
