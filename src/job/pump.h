/* SPDX-License-Identifier: ISC */
/*
 * Copies output of a job from a pipe to a file: writes the first bytes up to a limit, counts all
 * bytes, and keeps the last ones in memory for a file of their own.
 */
#pragma once

#include "base/job_file.h"

struct pump {
	int from; /* the pipe, non-blocking; -1 once it has ended */
	int to; /* the file; -1: it cannot be written any more, or is not made yet */
	int dir_fd; /* where to make the file */
	char name[JOB_NAME_SIZE]; /* of the file to make; empty: none */
	int64_t max; /* of the file */
	int64_t total; /* read */
	int64_t kept; /* in the file */
	uint8_t tail[JOB_TAIL_SIZE]; /* the last bytes: a ring, indexed by total */
};

/* Takes over both descriptors; the pump is all zero before. */
void pump_init(struct pump *pump, int from, int to, int64_t max);
/* The same for a file that is made at the first byte: an empty file says no more than no file. */
void pump_init_late(struct pump *pump, int from, int dir_fd, const char *name, int64_t max);
void pump_finish(struct pump *pump);
/* Makes a file of output. Returns its descriptor, or -1 and errno. */
int pump_make_file(int dir_fd, const char *name);

/* Copies available output, within a bound. Returns false when the pipe has ended. */
bool pump_run(struct pump *pump);

/* Writes the bytes of the tail that are not in the file. Returns their number, or -errno. */
int64_t pump_write_tail(const struct pump *pump, int fd);
