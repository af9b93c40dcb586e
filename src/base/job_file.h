/* SPDX-License-Identifier: ISC */
/*
 * The files that connect the daemon and the supervisor of a job. They suffice without the pipe of
 * job_status_tell(), since either process may be killed. The two may be of different versions.
 *
 * ID.spec     the command, its environment and standard input; removed at the start or its failure
 * ID.in       the standard input if an earlier release wrote the spec; removed with the spec
 * ID.lock     locked (flock) while the supervisor lives; contains its process id
 * ID.started  created with O_EXCL before the command runs, so that the command starts only once
 * ID.out      the first bytes of the output, up to out_max
 * ID.err      the first bytes of standard error, if that is kept apart
 * ID.tail     the last bytes of the output that are not in ID.out, if any
 * ID.err_tail the same for standard error and ID.err
 * ID.status   how the job ended; the last file to be written
 *
 * Spec: "key=value" strings, each ended by a NUL. Started and status: lines "key=value".
 */
#pragma once

#include "base/buf.h"

#define JOB_NAME_SIZE 64 /* bytes of a file name with its NUL */
#define JOB_SPEC_MAX (4 * 1024 * 1024) /* bytes of a spec */
#define JOB_TAIL_SIZE (64 * 1024) /* maximum bytes of ID.tail and of ID.err_tail */

enum job_file {
	JOB_FILE_ERR,
	JOB_FILE_ERR_TAIL,
	JOB_FILE_INPUT,
	JOB_FILE_LOCK,
	JOB_FILE_OUT,
	JOB_FILE_SPEC,
	JOB_FILE_STARTED,
	JOB_FILE_STATUS,
	JOB_FILE_TAIL,
	JOB_FILE_COUNT_,
};

/* Writes the name of a job's file. An id has at most 40 characters. */
void job_file_name(char out[JOB_NAME_SIZE], const char *id, enum job_file file);

#define JOB_UMASK 01000u /* a bit of struct job_spec.umask: a umask is given */

struct job_spec {
	char *cwd;
	char **argv; /* NULL-terminated */
	char **env; /* the whole environment: "NAME=value", NULL-terminated */
	char *input; /* standard input, without NUL bytes; NULL: see input_path */
	char *input_path; /* file with standard input, in specs of earlier releases; NULL: empty */
	int64_t timeout_ms; /* 0: no timeout */
	int64_t out_max; /* bytes of output to keep */
	unsigned umask; /* JOB_UMASK | umask; 0: keep the umask of the supervisor */
	bool has_err; /* write standard error to its own file */
};

/*
 * Writes the spec whole or not at all. It is not synced, since a job does not survive a power cut.
 * Returns 0 or -errno; -E2BIG if it is longer than JOB_SPEC_MAX, or if memory ran out.
 */
int job_spec_write(int dir_fd, const char *id, const struct job_spec *spec);
/* Returns 0 or -errno; -EINVAL if the spec is invalid. job_spec_finish() frees the result. */
int job_spec_read(int dir_fd, const char *id, struct job_spec *ret_spec);
void job_spec_finish(struct job_spec *spec);

/* Removes the files that may contain secrets: the spec and the standard input. */
void job_secrets_remove(int dir_fd, const char *id);

struct job_start {
	pid_t pid; /* of the command, and of its process group */
	uint64_t pid_start; /* clock ticks since boot; with pid, identifies the process */
	int64_t real_ms; /* start time by CLOCK_REALTIME */
};

/* Writes the start to fd, the new file ID.started. Returns 0 or -errno. */
int job_start_write(int fd, const struct job_start *start);
/* Returns 0 or -errno; -ENOENT before the start, -EAGAIN while the supervisor writes the file. */
int job_start_read(int dir_fd, const char *id, struct job_start *ret_start);

struct job_status {
	int exit_code; /* -1 if a signal ended the command, or it never started */
	int signal; /* 0 if no signal ended the command */
	int exec_errno; /* why the command did not start; 0: it started */
	int64_t start_ms; /* by CLOCK_REALTIME, as end_ms */
	int64_t end_ms;
	int64_t elapsed_ms; /* by CLOCK_MONOTONIC */
	int64_t out_bytes; /* bytes written by the command; may exceed the bytes kept */
	int64_t err_bytes;
	int64_t tail_bytes; /* size of ID.tail */
	int64_t max_rss_kb;
	bool is_timed_out, is_stopped;
	bool is_held; /* a process that the command left running still has the output open */
};

/* Writes the status whole or not at all. Returns 0 or -errno. */
int job_status_write(int dir_fd, const char *id, const struct job_status *status);
/* Syncs ID.status to disk, so that it survives a power cut. Returns 0 or -errno. */
int job_status_sync(int dir_fd, const char *id);
/* Returns 0 or -errno; -ENOENT if no status was written, -EINVAL if it is incomplete. */
int job_status_read(int dir_fd, const char *id, struct job_status *ret_status);

/*
 * A supervisor reports the start, if any, and then the end to the daemon that started it. The
 * reports are the texts of ID.started (with "started=1") and ID.status, written to the pipe fd. A
 * daemon that restarted has no pipe, and reads the files. These functions return 0 or -errno.
 */
#define JOB_NEWS_MAX 2048 /* maximum bytes of both texts together */

int job_start_tell(int fd, const struct job_start *start);
int job_status_tell(int fd, const struct job_status *status);

/* The texts read from the pipe so far: start is set if has_started, status if has_ended. */
struct job_news {
	bool has_started, has_ended;
	struct job_start start;
	struct job_status status;
};
void job_news_read(const char *text, struct job_news *ret_news);

/*
 * Returns the pid of a supervisor that lives and holds the job's lock. The caller closes
 * *ret_pidfd. Otherwise returns 0 with errno, and *ret_pidfd is -1.
 */
pid_t job_supervisor_open(int dir_fd, const char *id, int *ret_pidfd);

/* Appends up to max bytes from an offset. Returns 0 (also if the file is missing) or -errno. */
int job_file_read(
    int dir_fd, const char *id, enum job_file file, int64_t offset, size_t max, struct buf *out);
