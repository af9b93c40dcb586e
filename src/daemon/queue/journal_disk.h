/* SPDX-License-Identifier: ISC */
/* The disk under a journal: a table of functions that tests can replace, and the real one. */
#pragma once

#include "base/base.h"

/*
 * Files of one directory. All functions return -errno on failure. sync, install and close may be
 * called from the journal's helper thread, one at a time, while the main thread calls others.
 */
struct journal_disk {
	/* create: makes an empty file, in place of an old one. */
	int (*open)(void *data, const char *name, int create);
	/* Read and write may do less than asked. */
	ssize_t (*read)(void *data, int file, void *bytes, size_t len, uint64_t offset);
	ssize_t (*write)(void *data, int file, const void *bytes, size_t len, uint64_t offset);
	int (*truncate)(void *data, int file, uint64_t len);
	/* The file gets this length. -EOPNOTSUPP if the disk cannot reserve. */
	int (*reserve)(void *data, int file, uint64_t len);
	int (*sync)(void *data, int file); /* the content, not the name */
	/* Renames a file over an old one, and makes the new name survive a power cut. */
	int (*install)(void *data, const char *from, const char *to);
	int (*unlink)(void *data, const char *name);
	void (*close)(void *data, int file);
};

extern const struct journal_disk journal_disk_dir_table;

/*
 * Opens a directory as state_dir_open() does, or returns NULL with errno; the result is the data of
 * the table's functions. A write to a file that another program has removed, moved, replaced or cut
 * fails with -ENOENT; making a file then opens, or makes, the directory again. Only two names can
 * be written: the first one that was opened, and the first one that was made, which is the name of
 * a new file until install().
 */
struct journal_disk_dir *journal_disk_dir_open(const char *path);
void journal_disk_dir_close(struct journal_disk_dir *dir);

/*
 * The one helper thread of the daemon waits for the disk, so that the main loop does not block. It
 * runs one job at a time, and shares nothing else with the main thread.
 */

struct syncer_job {
	int file; /* to sync, or to close */
	bool is_to_close;
	const char *install_from; /* renamed after the sync, outlives the job; NULL: not renamed */
	const char *install_to;
};

struct syncer_result {
	int error; /* 0 or -errno */
	int64_t elapsed_us;
};

/* Returns NULL with errno if memory or threads run out. */
struct journal_syncer *syncer_new(const struct journal_disk *disk, void *disk_data);
/* Waits for the job that runs, and frees. */
void syncer_free(struct journal_syncer *syncer);

/* Readable when a job has ended. */
int syncer_fd(const struct journal_syncer *syncer);
/* No other job may be running. */
void syncer_submit(struct journal_syncer *syncer, const struct syncer_job *job);
/* Returns false if no job has ended. */
bool syncer_take(struct journal_syncer *syncer, struct syncer_result *ret_result);
void syncer_wait(struct journal_syncer *syncer);

void syncer_run(const struct journal_disk *disk, void *disk_data, const struct syncer_job *job,
    struct syncer_result *ret_result);
