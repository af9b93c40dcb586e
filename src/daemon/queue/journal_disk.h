/* SPDX-License-Identifier: ISC */
/* The disk as a journal sees it: a table of functions that tests can replace, and the real one. */
#pragma once

#include "base/base.h"

/*
 * Functions for the files of one directory. All return -errno on failure. sync, install and close
 * may be called from the journal's helper thread, one at a time, while the main thread calls
 * others.
 */
struct journal_disk {
	/* Opens a file. create: makes an empty one, in place of an old one. Returns its handle. */
	int (*open)(void *data, const char *name, int create);
	/* These two may do less than asked. */
	ssize_t (*read)(void *data, int file, void *bytes, size_t len, uint64_t offset);
	ssize_t (*write)(void *data, int file, const void *bytes, size_t len, uint64_t offset);
	int (*truncate)(void *data, int file, uint64_t len);
	/* Reserves room: sets the file's length. Returns -EOPNOTSUPP if the disk cannot reserve. */
	int (*reserve)(void *data, int file, uint64_t len);
	int (*sync)(void *data, int file); /* syncs the content, not the name */
	/* Renames a file over an old one, so that the new name survives a power cut. */
	int (*install)(void *data, const char *from, const char *to);
	int (*unlink)(void *data, const char *name);
	void (*close)(void *data, int file);
};

extern const struct journal_disk journal_disk_dir_table;

/*
 * Opens a directory as state_dir_open() does. The result is the data for the functions of the
 * table. Returns NULL with errno on failure.
 *
 * A write to a file that another program has removed, moved, replaced or cut fails with -ENOENT; to
 * make a file then opens, or makes, the directory again. Only two names can be written: the first
 * one that was opened, and the first one that was made, which is the name of a new file until
 * install().
 */
struct journal_disk_dir *journal_disk_dir_open(const char *path);
void journal_disk_dir_close(struct journal_disk_dir *dir);

/*
 * The helper thread, the only one that waits for the disk, so that the main loop does not block. It
 * runs one job at a time, and shares nothing else with the main thread.
 */

struct syncer_job {
	int file; /* the file to sync, or to close */
	bool is_to_close;
	/* this name is renamed after the sync; must outlive the job; NULL: none */
	const char *install_from;
	const char *install_to;
};

struct syncer_result {
	int error; /* 0 or -errno */
	int64_t elapsed_us;
};

/* Starts the thread. Returns NULL with errno if memory or threads run out. */
struct journal_syncer *syncer_new(const struct journal_disk *disk, void *disk_data);
/* Waits for the job that runs, and frees all. */
void syncer_free(struct journal_syncer *syncer);

/* Returns a descriptor that is readable when a job has ended. */
int syncer_fd(const struct journal_syncer *syncer);
/* Gives the thread a job. No other job may be running. */
void syncer_submit(struct journal_syncer *syncer, const struct syncer_job *job);
/* Takes the result of the job that has ended. Returns false if none has. */
bool syncer_take(struct journal_syncer *syncer, struct syncer_result *ret_result);
/* Waits for the end of the job. */
void syncer_wait(struct journal_syncer *syncer);

/* Runs a job in the calling thread. */
void syncer_run(const struct journal_disk *disk, void *disk_data, const struct syncer_job *job,
    struct syncer_result *ret_result);
