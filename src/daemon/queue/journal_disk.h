/* SPDX-License-Identifier: ISC */
/* The disk as the journal sees it (functions, which tests can replace), and the helper thread. */
#pragma once

#include "base/base.h"

/*
 * Functions for the files of one directory. They return -errno on failure. sync, install and close
 * may be called from the journal's helper thread, one at a time, while the main thread calls any
 * function.
 */
struct journal_disk {
	/* Opens a file. create: makes an empty one, in place of an old one. Returns its handle. */
	int (*open)(void *data, const char *name, int create);
	/* These two may do less than asked. */
	ssize_t (*read)(void *data, int file, void *bytes, size_t len, uint64_t offset);
	ssize_t (*write)(void *data, int file, const void *bytes, size_t len, uint64_t offset);
	int (*truncate)(void *data, int file, uint64_t len);
	/* Makes the file len bytes long or longer, with room. -EOPNOTSUPP: the disk cannot. */
	int (*reserve)(void *data, int file, uint64_t len);
	int (*sync)(void *data, int file); /* syncs the content, not the name */
	/* Renames a file over an old one, durably: the new name survives a power cut. */
	int (*install)(void *data, const char *from, const char *to);
	int (*unlink)(void *data, const char *name);
	void (*close)(void *data, int file);
};

extern const struct journal_disk journal_disk_dir_table;

/*
 * Opens a directory as state_dir_open() does. The result is the data for the functions of the
 * table. Returns NULL with errno on failure.
 *
 * A write fails with -ENOENT if another program has removed, moved, replaced or cut the file. If
 * the directory was removed or replaced, the next file that is made opens or makes it again. Only
 * two names can be written: the first one that was opened, and the first one that was made, which
 * a new file has until install().
 */
struct journal_disk_dir *journal_disk_dir_open(const char *path);
void journal_disk_dir_close(struct journal_disk_dir *dir);

/*
 * The helper thread, which waits for the disk so that the main loop does not block. The thread runs
 * one job at a time.
 */

struct syncer_job {
	int file; /* the file to sync, or to close */
	bool is_to_close;
	/* a file to rename to install_to after the sync; NULL: none; both must outlive the job */
	const char *install_from;
	const char *install_to;
};

struct syncer_result {
	int error; /* 0 or -errno */
	int64_t elapsed_us;
};

/* Starts the thread. Returns NULL with errno if memory, threads or descriptors run out. */
struct journal_syncer *syncer_new(const struct journal_disk *disk, void *disk_data);
/* Waits for a running job, ends the thread, and frees it. */
void syncer_free(struct journal_syncer *syncer);

/* Returns a descriptor that is readable when a job has ended. */
int syncer_fd(const struct journal_syncer *syncer);
/* Gives the thread a job. Call this after the result of the last job was taken. */
void syncer_submit(struct journal_syncer *syncer, const struct syncer_job *job);
/* Takes the result of the job that has ended. Returns false if there is none. */
bool syncer_take(struct journal_syncer *syncer, struct syncer_result *ret_result);
/* Waits for the end of a running job. */
void syncer_wait(struct journal_syncer *syncer);

/* Runs a job in the calling thread. */
void syncer_run(const struct journal_disk *disk, void *disk_data, const struct syncer_job *job,
    struct syncer_result *ret_result);
