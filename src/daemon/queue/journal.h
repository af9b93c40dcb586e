/* SPDX-License-Identifier: ISC */
/*
 * The journal: a file to which records with checksums are appended. A record survives kill -9 when
 * it is appended, and a power cut when it is durable. Damage and the loss of durable records are
 * reported as gaps. The journal does not know the meaning of the records.
 *
 * The records of a file are numbered from 1 without gaps (journal_record.h). Users of the journal
 * see tickets instead, whose numbers continue when the file is rewritten.
 *
 * When much of the file is dead (not needed any more) or cannot be used, the journal is rewritten:
 * its user writes the present state into a new file, part by part, which then replaces the old one.
 *
 * If a write or a sync fails, the journal is degraded: changes are in memory only until a rewrite
 * succeeds, which is tried again and again. If possible, a half-written record is cut off, and a
 * hole record is appended, so that the next daemon can report a gap. Room for a hole record is
 * reserved beforehand where the disk can. A file that could not be synced takes no other records.
 */
#pragma once

#include "daemon/queue/journal_disk.h"

#define JOURNAL_PAYLOAD_MAX (4 * 1024 * 1024) /* bytes of a record's payload */
#define JOURNAL_SYNC_MS 100 /* longest time from an append to its sync, unless the thread is busy */
#define JOURNAL_RETRY_MS 1000 /* time between attempts to leave the degraded state */

struct journal;

struct journal_handlers {
	/* Called while opening, for the records that were found, in order. Types are below 255. */
	void (*record)(void *data, uint8_t type, const void *payload, size_t len);
	/* Called while opening: count records are damaged or missing; 0: not known how many. */
	void (*gap)(void *data, uint64_t count, const char *reason);
	/*
	 * For a rewrite: writes one part of the present state by journal_append(). is_first: begin
	 * with the first part. Returns true when all parts are written. The state may change
	 * between parts; these changes are appended too. May be called while opening.
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
 * file is renamed to NAME.damaged-N (if a number up to 100 is free), and its readable records are
 * kept; without a usable disk the journal begins degraded. threaded: a helper thread syncs, and
 * journal_fd() becomes readable when a job of the thread has ended. Otherwise, syncs block the
 * caller. Returns 0, or -errno if memory, threads or descriptors run out.
 */
int journal_open(const struct journal_disk *disk, void *disk_data, const char *name, bool threaded,
    const struct journal_handlers *handlers, void *data, struct journal **ret_journal);

void journal_close(struct journal *journal);

/*
 * Appends a record, which then survives kill -9. Returns 0 with the ticket of the record, or a
 * negative errno: -EMSGSIZE if the payload is longer than JOURNAL_PAYLOAD_MAX, -EIO while degraded
 * or on failure (others in snapshot()). After -EIO, the next snapshot must have the change.
 */
int journal_append(
    struct journal *journal, uint8_t type, const void *payload, size_t len, uint64_t *ret_ticket);

/* Starts a sync if needed and not degraded, after a running job. Success calls durable(). */
void journal_sync(struct journal *journal);

/* Rewrites the journal, unless that is going on: at once, or, if threaded, by journal_tick(). */
void journal_rewrite(struct journal *journal);

/* For the end of the daemon: blocks until all records are durable or the disk has failed. */
void journal_settle(struct journal *journal);

/* Returns a descriptor that is readable when journal_dispatch() has work; -1: not threaded. */
int journal_fd(const struct journal *journal);
void journal_dispatch(struct journal *journal);

/* Returns the time until journal_tick() must be called, in ms; -1: no call is needed. */
int journal_timeout_ms(const struct journal *journal);
void journal_tick(struct journal *journal);

/*
 * Counts bytes of payload that are not needed any more. If all such bytes are many and most of the
 * file, rewrites the journal, unless it is degraded.
 */
void journal_note_dead(struct journal *journal, size_t bytes);

struct journal_stats {
	uint64_t ticket;
	uint64_t durable;
	uint64_t bytes; /* size of the file */
	uint64_t dead_bytes, syncs, rewrites;
	uint64_t gaps; /* number of records in the gaps found while opening, if it was known */
	int64_t longest_sync_us;
	bool is_degraded;
};
void journal_stats(const struct journal *journal, struct journal_stats *ret_stats);
