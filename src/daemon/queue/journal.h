/* SPDX-License-Identifier: ISC */
/*
 * The journal: an append-only file of records, each with a checksum. A record survives kill -9 once
 * it is appended, and a power cut once it is durable. Loss and damage are reported as gaps, and no
 * record is invented. The journal does not know what the records mean.
 *
 * Records of a file are numbered from 1 without holes (journal_record.h). Users of the journal see
 * tickets, which go on over rewrites.
 *
 * A write that fails half-way is cut back. A file whose sync failed is never trusted again. In both
 * cases, and when most of the file is dead, the journal is rewritten: its user writes the present
 * state into a new file, part by part, which is renamed over the old one. If that fails too, the
 * journal is degraded: it reports this, and retries. It appends a hole record, in room that is kept
 * for it, from which the next daemon reports a gap.
 */
#pragma once

#include "daemon/queue/journal_disk.h"

#define JOURNAL_PAYLOAD_MAX (4 * 1024 * 1024) /* bytes of a record's payload */
#define JOURNAL_SYNC_MS 100 /* a sync of appended records begins within this time */
#define JOURNAL_RETRY_MS 1000 /* between attempts to leave the degraded state */

struct journal;

struct journal_handlers {
	/* While opening: each record that was found, in order. Types are below 255. */
	void (*record)(void *data, uint8_t type, const void *payload, size_t len);
	/* While opening: so many records are damaged or missing; 0: unknown. */
	void (*gap)(void *data, uint64_t count, const char *reason);
	/*
	 * Writes one part of the present state by journal_append(); is_first: the first part.
	 * Returns true when all is written. The state may change between parts, and changes are
	 * appended too. Also called while opening.
	 */
	bool (*snapshot)(void *data, struct journal *journal, bool is_first);
	/* The journal became degraded (the disk is full, or fails), or sound again. May be NULL. */
	void (*degraded)(void *data, bool is_degraded, const char *reason);
	/* All records up to this ticket survive a power cut. May be NULL. */
	void (*durable)(void *data, uint64_t ticket);
};

/*
 * Opens, recovers and syncs. Trouble with the disk is no failure: a damaged file is renamed to
 * NAME.damaged-N, and its readable records are kept; without a usable disk the journal begins
 * degraded. threaded: a helper thread syncs, and journal_fd() becomes readable at the end of a
 * sync; otherwise only journal_sync() syncs, and blocks. Returns 0, or -errno without memory or a
 * thread.
 */
int journal_open(const struct journal_disk *disk, void *disk_data, const char *name, bool threaded,
    const struct journal_handlers *handlers, void *data, struct journal **ret_journal);

void journal_close(struct journal *journal);

/*
 * Appends a record, which then survives kill -9. Returns 0 with the ticket of the record,
 * -EMSGSIZE, or -EIO while degraded. After -EIO the next snapshot must contain the change.
 */
int journal_append(
    struct journal *journal, uint8_t type, const void *payload, size_t len, uint64_t *ret_ticket);

/* durable() reports the end of the sync. */
void journal_sync(struct journal *journal);

/* Rewrites at once, or when threaded a part with each journal_tick(). */
void journal_rewrite(struct journal *journal);

/* Blocks until all records are durable or the disk has failed, at the end of the daemon. */
void journal_settle(struct journal *journal);

/* Returns a descriptor that is readable when journal_dispatch() has work; -1 unless threaded. */
int journal_fd(const struct journal *journal);
void journal_dispatch(struct journal *journal);

/* Returns when journal_tick() must be called; -1: no call is needed. */
int journal_timeout_ms(const struct journal *journal);
void journal_tick(struct journal *journal);

/* Counts bytes of payload that are no longer needed. Many cause a rewrite. */
void journal_note_dead(struct journal *journal, size_t bytes);

struct journal_stats {
	uint64_t ticket;
	uint64_t durable;
	uint64_t bytes; /* of the file */
	uint64_t dead_bytes, syncs, rewrites;
	uint64_t gaps; /* records found lost while opening */
	int64_t longest_sync_us;
	bool is_degraded;
};
void journal_stats(const struct journal *journal, struct journal_stats *ret_stats);
