/* SPDX-License-Identifier: ISC */
/*
 * The files that connect the daemon and the supervisor of a job. There is no other link
 * between the two that either needs, so either may be killed, or be of another version.
 *
 *   ID.spec     the command, its environment and its standard input; exists from acceptance to
 *               the start
 *   ID.in       the standard input, if the daemon is of an earlier release; the same
 *   ID.lock     held (flock) while the supervisor lives; its process id
 *   ID.started  made with O_EXCL before the command runs: at most one start, ever
 *   ID.out      the first bytes of its output, up to a bound
 *   ID.err      its standard error, if kept apart
 *   ID.tail     the last bytes, if there were more
 *   ID.err_tail the same of standard error
 *   ID.status   how the job ended; written last
 *
 * Spec: "key=value" strings, each ended by a NUL. Started and status: lines "key=value".
 */
#pragma once

#include "base/buf.h"

#define JOB_NAME_SIZE 64 /* of a file, with its NUL */
#define JOB_SPEC_MAX (4 * 1024 * 1024) /* bytes of a spec */
#define JOB_TAIL_SIZE (64 * 1024)

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

/* Writes the name of a job's file. */
void job_file_name(char out[JOB_NAME_SIZE], const char *id, enum job_file file);

#define JOB_UMASK 01000u

struct job_spec {
	char *cwd;
	char **argv; /* NULL-terminated */
	char **env; /* "NAME=value"; the whole environment; NULL-terminated */
	char *input; /* standard input, a text without NUL; NULL: empty */
	char *input_path; /* read only: the same as a file's path, of an earlier daemon */
	int64_t timeout_ms; /* 0: none */
	int64_t out_max; /* bytes of output that are kept */
	unsigned umask; /* JOB_UMASK and the bits; 0: that of the supervisor */
	bool has_err; /* standard error goes to a file of its own */
};

/*
 * Returns 0 or -errno. The file appears whole or not at all. It is not synced: a power cut
 * ends the job as well.
 */
int job_spec_write(int dir_fd, const char *id, const struct job_spec *spec);
/* Returns 0 or -errno; -EINVAL if the spec is invalid. The caller frees the members. */
int job_spec_read(int dir_fd, const char *id, struct job_spec *ret_spec);
void job_spec_finish(struct job_spec *spec);

/* Removes the files that may hold secrets: the environment and the standard input. */
void job_secrets_remove(int dir_fd, const char *id);

struct job_start {
	pid_t pid; /* of the command, and its process group */
	uint64_t pid_start; /* clock ticks since boot: with pid, identifies the process */
	int64_t real_ms; /* when it was started; CLOCK_REALTIME */
};

int job_start_write(int fd, const struct job_start *start);
int job_start_read(int dir_fd, const char *id, struct job_start *ret_start);

struct job_status {
	int exit_code; /* -1: ended by a signal, or never started */
	int signal; /* 0: none */
	int exec_errno; /* why it could not be started; 0: it was started */
	int64_t start_ms; /* CLOCK_REALTIME */
	int64_t end_ms;
	int64_t elapsed_ms; /* CLOCK_MONOTONIC */
	int64_t out_bytes; /* that it wrote; may exceed the bytes kept */
	int64_t err_bytes;
	int64_t tail_bytes; /* in ID.tail: the last of out_bytes */
	int64_t max_rss_kb;
	bool is_timed_out;
	bool is_stopped;
	bool is_held; /* a process that it left running still holds its output */
};

/* Returns 0 or -errno. The file appears whole or not at all. */
int job_status_write(int dir_fd, const char *id, const struct job_status *status);
/* Has it survive a power cut. Returns 0 or -errno. */
int job_status_sync(int dir_fd, const char *id);
/* -ENOENT while it has not ended. */
int job_status_read(int dir_fd, const char *id, struct job_status *ret_status);

/*
 * The news of a supervisor for the daemon that started it, over a pipe: the start, then the status,
 * each in one write of at most JOB_NEWS_MAX bytes, with the same text as in the files. Without
 * the pipe, as after a restart of the daemon, the files say the same.
 */
#define JOB_NEWS_MAX 2048

int job_start_tell(int fd, const struct job_start *start);
int job_status_tell(int fd, const struct job_status *status);

/* All that has come; *ret_start and *ret_status are set if they have. */
struct job_news {
	bool has_started;
	bool has_ended;
	struct job_start start;
	struct job_status status;
};
void job_news_read(const char *text, struct job_news *ret_news);

/*
 * Whether a supervisor holds the lock of a job; *ret_pidfd is open if so, else -1 with errno. It
 * lives as long as the lock is held. Start times would not say so: each time namespace has its own.
 */
pid_t job_supervisor_open(int dir_fd, const char *id, int *ret_pidfd);

/*
 * Appends up to max bytes of a file at an offset, and a NUL. Returns 0, also if there is no such
 * file, or -errno.
 */
int job_file_read(
    int dir_fd, const char *id, enum job_file file, int64_t offset, size_t max, struct buf *out);
