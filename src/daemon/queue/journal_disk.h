/* SPDX-License-Identifier: ISC */
/* The disk under a journal, as a table, so that tests can tear it; and the real one. */
#pragma once

#include "base/base.h"

/*
 * Files of one directory. All return -errno on failure. sync, install and close may be
 * called from the journal's helper thread, one call at a time, while others go on here.
 */
struct journal_disk {
	/* Opens for reading and writing. create: makes it, empty, also over an old one. */
	int (*open)(void *data, const char *name, int create);
	/* Read and write may do less than asked. */
	ssize_t (*read)(void *data, int file, void *bytes, size_t len, uint64_t offset);
	ssize_t (*write)(void *data, int file, const void *bytes, size_t len, uint64_t offset);
	int (*truncate)(void *data, int file, uint64_t len);
	/*
	 * Takes room for writes up to this length, beyond that of the file, which becomes so long,
	 * with zeros. -EOPNOTSUPP where the disk cannot promise any.
	 */
	int (*reserve)(void *data, int file, uint64_t len);
	int (*sync)(void *data, int file); /* the content */
	/* Gives a file another name, over an old one, so that it survives a power cut. */
	int (*install)(void *data, const char *from, const char *to);
	int (*unlink)(void *data, const char *name);
	void (*close)(void *data, int file);
};

extern const struct journal_disk journal_disk_dir_table;

/*
 * A directory, made with mode 0700 if it is not there; files get 0600. It must be ours and
 * no symbolic link. NULL with errno on failure. It is the data of the table's functions.
 */
struct journal_disk_dir *journal_disk_dir_open(const char *path);
void journal_disk_dir_close(struct journal_disk_dir *dir);

/*
 * The one helper thread of the daemon: it waits for the disk, so that the loop need not.
 * One job at a time. Nothing else is shared with it.
 */

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

/* NULL with errno if there is no memory or no thread to be had. */
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
