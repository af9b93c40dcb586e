/* SPDX-License-Identifier: ISC */
/*
 * The journal: an append-only file of records, each with a checksum, that survives
 * kill -9, power cuts, full disks and flipped bits without losing what was promised or
 * inventing what was not. It knows nothing of what the records mean.
 *
 * Records of a file are numbered from 1 without holes (journal_record.h). The numbers
 * that its user sees are tickets: they go on over rewrites, and say what is durable.
 *
 * A write that fails part-way is cut back; a sync that failed is never trusted again. In
 * both cases, and when most of the file is dead, the journal is rewritten: its user
 * writes the present state into a new file, part by part, which takes the place of the old one by a
 * rename. While that is not possible it is degraded, and says so; it tries again. The file says
 * so too, in room that is kept for this: a process that is killed meanwhile leaves a hole, and
 * the next one reports it as a gap, until something is appended behind.
 */
#pragma once

#include "daemon/queue/journal_disk.h"

#define JOURNAL_PAYLOAD_MAX (4 * 1024 * 1024) /* bytes of a record's payload */
#define JOURNAL_SYNC_MS 100 /* what was appended is being synced within this */
#define JOURNAL_RETRY_MS 1000 /* between attempts to leave the degraded state */

struct journal;

struct journal_handlers {
	/* While opening: each record that was found, in order. Types are below 255. */
	void (*record)(void *data, uint8_t type, const void *payload, size_t len);
	/*
	 * While opening: count records that were promised are damaged or missing here; 0: how many
	 * is not known. reason: "corruption", "unreadable", "disk_full" or "disk_failed".
	 */
	void (*gap)(void *data, uint64_t count, const char *reason);
	/*
	 * Write the present state by journal_append(), a part with each call, the first of which
	 * has is_first; return whether all of it is written. Parts may have changes between
	 * them, which are appended too: write what is there then. Also called while opening.
	 */
	bool (*snapshot)(void *data, struct journal *journal, bool is_first);
	/* The journal became degraded (the disk is full, or fails), or sound again. May be NULL. */
	void (*degraded)(void *data, bool is_degraded, const char *reason);
	/* All that got a ticket up to this one survives a power cut. May be NULL. */
	void (*durable)(void *data, uint64_t ticket);
};

/*
 * Opens, recovers and syncs. It never refuses: a file whose header is damaged is set aside as
 * NAME.damaged-N, and what can be read of it is kept; without a usable disk the journal begins
 * degraded. threaded: syncs run in a helper thread, and journal_fd() becomes readable when one has
 * ended; else journal_sync() is the only sync and waits for it. Returns 0, or -ENOMEM.
 */
int journal_open(const struct journal_disk *disk, void *disk_data, const char *name, bool threaded,
    const struct journal_handlers *handlers, void *data, struct journal **ret_journal);

/* Syncs what is open, and closes. */
void journal_close(struct journal *journal);

/*
 * Appends. On return the record survives kill -9 of this process. Returns 0 and its ticket;
 * -EMSGSIZE; or -EIO while degraded: nothing was written, and the next snapshot has to hold it.
 */
int journal_append(
    struct journal *journal, uint8_t type, const void *payload, size_t len, uint64_t *ret_ticket);

/* Asks for a sync now; durable() tells. */
void journal_sync(struct journal *journal);

/*
 * Rewrites: everything durable up to here moves to a new file, when threaded a part with each
 * journal_tick().
 */
void journal_rewrite(struct journal *journal);

/* Waits until what was appended is durable, or the disk has failed. Not before the end: it blocks. */
void journal_settle(struct journal *journal);

/* Readable when journal_dispatch() has something to do; -1 unless threaded. */
int journal_fd(const struct journal *journal);
void journal_dispatch(struct journal *journal);

/* How long nothing need be done, in ms; -1: for ever. Then call journal_tick(). */
int journal_timeout_ms(const struct journal *journal);
void journal_tick(struct journal *journal);

/* Says that this many bytes of payload are of no more use; rewrites when it pays. */
void journal_note_dead(struct journal *journal, size_t bytes);

struct journal_stats {
	uint64_t ticket; /* the last one given */
	uint64_t durable; /* the last one that is durable */
	uint64_t bytes; /* of the file */
	uint64_t dead_bytes;
	uint64_t syncs;
	uint64_t rewrites;
	uint64_t gaps; /* records lost, while opening */
	int64_t longest_sync_us;
	bool is_degraded;
};
void journal_stats(const struct journal *journal, struct journal_stats *ret_stats);
