/* SPDX-License-Identifier: ISC */
/*
 * Numbers that are never given twice, also over restarts, kill -9 and power cuts. A file
 * holds a ceiling: it is raised, and on the disk, before any number up to it is given. A
 * new start begins above the ceiling; an orderly end lowers it to the last number given.
 *
 * If the file is damaged or cannot be written, numbers go on from the microseconds since
 * 1970: far above anything that counting can have reached. That rests on the clock.
 */
#ifndef DAEMON_EVENT_SEQUENCE_H
#define DAEMON_EVENT_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

/* How many numbers one write of the file allows. */
#define SEQUENCE_BLOCK 65536

/* Above it a double cannot tell two numbers apart: no JSON reader could either. */
#define SEQUENCE_MAX ((UINT64_C(1) << 53) - 1)

struct sequence;

/* state_dir NULL: begins at 1 and keeps nothing. NULL on failure, with a reason. */
struct sequence *sequence_open(const char *state_dir, char *ret_reason, size_t reason_size);
/* The orderly end. Accepts NULL. */
void sequence_close(struct sequence *sequence);

uint64_t sequence_next(struct sequence *sequence);
/* The number that was given last; before the first, the one that it comes after. */
uint64_t sequence_last(const struct sequence *sequence);

#endif
