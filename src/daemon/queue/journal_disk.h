/* SPDX-License-Identifier: ISC */
/* The disk under a journal: a table of functions that tests can replace, and the real one. */
#pragma once

#include "base/base.h"

/*
 * Files of one directory. All functions return -errno on failure. sync, install and close may be
 * called from the journal's helper thread, one at a time, while the main thread calls others.
 */
struct journal_disk {
	/* Opens for reading and writing. create: makes an empty file, in place of an old one. */
	int (*open)(void *data, const char *name, int create);
	/* Read and write may do less than asked. */
	ssize_t (*read)(void *data, int file, void *bytes, size_t len, uint64_t offset);
	ssize_t (*write)(void *data, int file, const void *bytes, size_t len, uint64_t offset);
	int (*truncate)(void *data, int file, uint64_t len);
	/*
	 * Reserves room up to this file length; a shorter file is extended with zeros. -EOPNOTSUPP
	 * if the disk cannot reserve.
	 */
	int (*reserve)(void *data, int file, uint64_t len);
	int (*sync)(void *data, int file); /* the content, not the name */
	/* Renames a file, over an old one, and makes the new name survive a power cut. */
	int (*install)(void *data, const char *from, const char *to);
	int (*unlink)(void *data, const char *name);
	void (*close)(void *data, int file);
};

extern const struct journal_disk journal_disk_dir_table;

/*
 * Opens a directory as state_dir_open() does; its files get 0600. NULL with errno on failure. The
 * result is the data of the table's functions. A write to a file that another program has removed,
 * moved, replaced or cut, or whose directory it has moved, fails with -ENOENT; making a file then
 * opens, or makes, the directory of that path. Only two names can be written: the first one that
 * was opened, and the first one that was made, which is the name of a new file until install().
 */
struct journal_disk_dir *journal_disk_dir_open(const char *path);
void journal_disk_dir_close(struct journal_disk_dir *dir);

/*
 * The one helper thread of the daemon: it waits for the disk so that the main loop does not block.
 * It runs one job at a time, and shares nothing else with the main thread.
 */

struct syncer_job {
	int file; /* to sync, or to close */
	bool is_to_close; /* only close the file, without a sync */
	const char
	    *install_from; /* rename this after the sync; NULL: do not. Must outlive the job */
	const char *install_to;
};

struct syncer_result {
	int error; /* 0 or -errno */
	int64_t elapsed_us;
};

/* NULL with errno if there is no memory, or no thread can be started. */
struct journal_syncer *syncer_new(const struct journal_disk *disk, void *disk_data);
/* Waits for the job that runs, and frees. */
void syncer_free(struct journal_syncer *syncer);

/* A descriptor that is readable when a job has ended. */
int syncer_fd(const struct journal_syncer *syncer);
/* Starts a job. No other job may be running. */
void syncer_submit(struct journal_syncer *syncer, const struct syncer_job *job);
/* Takes the result of a job that has ended. Returns false if none has. */
bool syncer_take(struct journal_syncer *syncer, struct syncer_result *ret_result);
/* Waits until the job that runs has ended. */
void syncer_wait(struct journal_syncer *syncer);

/* Runs a job in the calling thread. */
void syncer_run(const struct journal_disk *disk, void *disk_data, const struct syncer_job *job,
    struct syncer_result *ret_result);
