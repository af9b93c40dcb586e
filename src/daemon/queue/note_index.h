/* SPDX-License-Identifier: ISC */
/*
 * Indexes of the notifications in the queue: by number, by the id of their request, by key, and
 * the undelivered ones by pane. Each look-up takes the same time however many there are. An
 * entry costs its links in struct notification and three slots of maps. Out of memory ends the
 * process.
 */
#pragma once

#include <stdint.h>

#include "base/map.h"
#include "daemon/queue/notification.h"

struct note_index {
	struct map by_seq;
	struct map by_id; /* the newest one of each id */
	struct map by_key; /* the hash of a key to the oldest one that may be counted up */
	struct map by_pane; /* pane_ref_key() to a list of the undelivered */
};

void note_index_init(struct note_index *index);
void note_index_finish(struct note_index *index); /* its notifications were removed */

/* Ids are up to seven bytes: a number stands for each. */
uint64_t note_index_pack(const char *id);

/* Newer ones are added behind older ones. Not by key: see note_index_offer(). */
void note_index_add(struct note_index *index, struct notification *note);
void note_index_remove(struct note_index *index, struct notification *note);
/* The state of one has changed. */
void note_index_update(struct note_index *index, struct notification *note);

struct notification *note_index_find(const struct note_index *index, uint64_t seq);
/* The newest one of an id, and the one before another of the same id; NULL: none. */
struct notification *note_index_newest(const struct note_index *index, const char *id);
struct notification *note_index_older(
    const struct note_index *index, const struct notification *note);

/*
 * The undelivered ones of a pane or thread in order of seq, by pane_ref_key(): of all programs
 * that this pane had. NULL starts, NULL ends.
 */
struct notification *note_index_undelivered(
    const struct note_index *index, uint64_t key, const struct notification *previous);

/* Later posts with its key may be counted into this one, until it is withdrawn. */
void note_index_offer(struct note_index *index, struct notification *note);
void note_index_withdraw(struct note_index *index, struct notification *note);
/* Those on offer with a key, oldest first: NULL starts, NULL ends. */
struct notification *note_index_offered(
    const struct note_index *index, const char *key, const struct notification *previous);
