/* SPDX-License-Identifier: ISC */
/*
 * Numbers that are never reused, even after restarts, kill -9 and power cuts. A file holds
 * a ceiling, which is raised and synced before any number up to it is used. A new start
 * begins above the ceiling; an orderly end lowers it to the last number used. A thread of its own
 * raises the ceiling ahead of time, at the start and when half of a block is used: the loop
 * waits for the disk only if it uses half a block meanwhile.
 *
 * If the file is damaged or cannot be written, numbers continue from the microseconds since
 * 1970, far above any number counted so far. This relies on the clock.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The numbers reserved by one write of the file. */
#define SEQUENCE_BLOCK 65536

/* Larger numbers are not exact in a double, nor in most JSON readers. */
#define SEQUENCE_MAX ((UINT64_C(1) << 53) - 1)

struct sequence;

/* state_dir NULL: begins at 1 and stores nothing. NULL with a reason on failure. */
struct sequence *sequence_open(const char *state_dir, char *ret_reason, size_t reason_size);
/* The orderly end. Accepts NULL. */
void sequence_close(struct sequence *sequence);

uint64_t sequence_next(struct sequence *sequence);
/* The number that sequence_next() will return. */
uint64_t sequence_peek(struct sequence *sequence);
/* Numbers continue behind this one, which an earlier life may have used without the file. */
void sequence_pass(struct sequence *sequence, uint64_t number);
/* The last number used; before the first, the number before it. */
uint64_t sequence_last(const struct sequence *sequence);
