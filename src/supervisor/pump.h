/* SPDX-License-Identifier: ISC */
/*
 * Copies output of a job from a pipe to a file: writes the first bytes up to a limit, counts all
 * bytes, and keeps the last bytes in memory.
 */
#pragma once

#include "base/job_file.h"

struct pump {
	int from; /* the pipe, non-blocking; -1 after its end */
	int to; /* the file; -1 after an error or before the file exists */
	int dir_fd;
	char name[JOB_NAME_SIZE]; /* name of the file to make; empty if none is to be made */
	int64_t max; /* limit of the file, in bytes */
	int64_t total; /* bytes read */
	int64_t kept; /* bytes in the file */
	uint8_t tail[JOB_TAIL_SIZE]; /* the last bytes: a ring, indexed by total */
};

/* Takes from and to, which pump_finish() closes. All other members of *pump must be zeros. */
void pump_init(struct pump *pump, int from, int to, int64_t max);
/* As pump_init(), but creates the file at the first byte; without output there is no file. */
void pump_init_late(struct pump *pump, int from, int dir_fd, const char *name, int64_t max);
void pump_finish(struct pump *pump);
/* Creates or truncates an output file. Returns its descriptor, or -1 and errno. */
int pump_make_file(int dir_fd, const char *name);

/* Copies available output, a bounded amount per call. Returns false after the end or an error. */
bool pump_run(struct pump *pump);

/* Writes to fd the last bytes, if not in the file. Returns their number, or -errno. */
int64_t pump_write_tail(const struct pump *pump, int fd);
