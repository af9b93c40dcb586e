/* SPDX-License-Identifier: ISC */
/*
 * Output of a job on its way from a pipe to a file: the first bytes up to a bound, all
 * bytes counted, and the last ones kept in memory for a file of their own.
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
	uint8_t tail[JOB_TAIL_SIZE]; /* the last bytes, as a ring by total */
};

/* Takes over both descriptors. */
void pump_init(struct pump *pump, int from, int to, int64_t max);
void pump_finish(struct pump *pump);

/* Moves what is there, at most some. False when the pipe has ended. */
bool pump_run(struct pump *pump);

/* Writes the last bytes behind what was kept into a file. Returns how many, or -errno. */
int64_t pump_write_tail(const struct pump *pump, int fd);

#endif
