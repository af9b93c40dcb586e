/* SPDX-License-Identifier: ISC */
/*
 * The one helper thread of the daemon: it waits for the disk, so that the loop need not.
 * One job at a time. Nothing else is shared with it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "daemon/queue/journal_disk.h"

struct journal_syncer;

struct syncer_job {
	int file; /* to sync, or to close */
	bool is_to_close; /* the last name of a file is gone: then that frees its blocks */
	const char
	    *install_from; /* then to give this name; NULL: only sync. Lives as long as the job */
	const char *install_to;
};

struct syncer_result {
	int error; /* 0 or -errno */
	int64_t elapsed_us;
};

/* NULL if there is no memory or no thread to be had. */
struct journal_syncer *syncer_new(const struct journal_disk *disk, void *disk_data);
/* Waits for the job under way. */
void syncer_free(struct journal_syncer *syncer);

/* Readable when a job has ended. */
int syncer_fd(const struct journal_syncer *syncer);
/* Only while none is under way. */
void syncer_submit(struct journal_syncer *syncer, const struct syncer_job *job);
/* Takes the result of a job that has ended; false if none has. */
bool syncer_take(struct journal_syncer *syncer, struct syncer_result *ret_result);
/* Waits until the job under way has ended. */
void syncer_wait(struct journal_syncer *syncer);

/* Does a job here and now. */
void syncer_run(const struct journal_disk *disk, void *disk_data, const struct syncer_job *job,
    struct syncer_result *ret_result);
