/* SPDX-License-Identifier: ISC */
/*
 * Copies output of a job from a pipe to a file: writes the first bytes up to a limit, counts all
 * bytes, and keeps the last ones in memory for a file of their own.
 */
#ifndef JOB_PUMP_H
#define JOB_PUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/job_file.h"

struct pump {
	int from; /* the pipe, non-blocking; -1 once it has ended */
	int to; /* the file; -1: it cannot be written any more */
	int64_t max; /* of the file */
	int64_t total; /* read */
	int64_t kept; /* in the file */
	uint8_t tail[JOB_TAIL_SIZE]; /* the last bytes: a ring, indexed by total */
};

/* Takes over both descriptors. */
void pump_init(struct pump *pump, int from, int to, int64_t max);
void pump_finish(struct pump *pump);

/* Copies available output, within a bound. Returns false when the pipe has ended. */
bool pump_run(struct pump *pump);

/* Writes the bytes of the tail that are not in the file. Returns their number, or -errno. */
int64_t pump_write_tail(const struct pump *pump, int fd);

#endif
