/* SPDX-License-Identifier: ISC */
/*
 * Jobs: background commands, each under a supervisor of its own (muxbus-job), so that its exit
 * status outlives this daemon. A source of notifications. Its files (base/job_file.h) and the
 * store hold the state of a job after any crash. At the start the daemon finds all jobs again,
 * and notifies of those that ended meanwhile.
 */
#pragma once

#include "daemon/job/job_record.h"
#include "daemon/server/method.h"

#define JOBS_MAX 1000 /* running at once */
#define JOBS_KEEP 200 /* ended ones that are remembered, with their output */
#define JOBS_KEEP_QUICK 100 /* the same of those whose end a request answered with */
#define JOB_OUT_MAX (64 * 1024 * 1024) /* bytes of output that are kept of the beginning */
#define JOB_ENV_KEEP (64 * 1024) /* bytes of an environment that are kept for a restart */

struct event_base;
struct queue;

/* The names of the programs of providers begin so, and no others do. */
#define JOB_PROVIDER_PREFIX "provider:"

struct job_order {
	const char *command; /* for people */
	const char *const *argv; /* NULL-terminated */
	const char *const *session_env; /* changes of the daemon's, as in env: before these */
	const char *const *env; /* changes as in job_env.h; or NULL */
	const char *cwd;
	const char *name; /* or NULL */
	const char *tool; /* the declared tool that it is a call of; or NULL */
	const char *answer; /* of the tool, as in struct job */
	const char *input; /* standard input; NULL: empty */
	int64_t timeout_ms; /* 0: none */
	int64_t out_max; /* bytes of output that are kept of the beginning; 0: JOB_OUT_MAX */
	unsigned umask; /* as in struct job_spec */
	bool has_err; /* standard error apart */
	bool is_silent;
	bool is_program; /* as in struct job */
	const struct pane_ref *pane; /* or NULL */
	const struct once *once; /* of the request; or NULL */
};

/*
 * Finds again what the store holds, in state_dir/jobs. NULL on failure, with a reason. The
 * supervisor is looked for beside this program, then where it was installed.
 */
struct job_set *job_set_new(struct event_base *base, struct queue *queue, const char *state_dir,
    char *ret_reason, size_t reason_size);
/* The jobs go on. */
void job_set_free(struct job_set *set);

/*
 * Accepts a job and starts it. Returns it, or NULL with a reason: errno ENOSPC for too many,
 * E2BIG for too long a command, else what failed.
 */
const struct job *job_start(
    struct job_set *set, const struct job_order *order, char *ret_reason, size_t size);

const struct job *job_find(const struct job_set *set, const char *id);
const struct job *job_next(const struct job_set *set, const struct job *previous);
size_t job_running(const struct job_set *set);
/* Whether a job has ended while its request waited: lists leave such jobs out. */
bool job_is_quick(const struct job *job);

/* Asks one to end: SIGTERM and SIGINT escalate after 5 s; others are sent once. -errno. */
int job_stop(struct job_set *set, const char *id, int signal);

/*
 * Asks one to end for a restart: as job_stop() with SIGTERM. -EBUSY: another restart has asked
 * already.
 */
int job_stop_for_restart(struct job_set *set, const char *id);

/*
 * The changes of the daemon's environment that a job was started with, NULL-terminated. NULL: they
 * are not known, since they are larger than JOB_ENV_KEEP, or since an earlier daemon started it.
 */
const char *const *job_env(const struct job *job);

/* An answer has reported the end of a job: its notification is not delivered. */
void job_settle_waited(struct job_set *set, const struct job *job);

/*
 * Whether a request waits for the end of a running job. If not, from now on its end is notified,
 * to the pane (NULL: as before).
 */
void job_set_silent(
    struct job_set *set, const char *id, bool is_silent, const struct pane_ref *pane);

struct job_listener {
	struct list link;
	/* Its command runs: pid is known, if it could be found out. May be NULL. */
	void (*started)(struct job_listener *listener, const struct job *job);
	/* It has ended, and its notification was posted. */
	void (*ended)(struct job_listener *listener, const struct job *job);
};
void job_listen(struct job_set *set, struct job_listener *listener);

/* Where its output is. */
void job_path(
    const struct job_set *set, const struct job *job, enum job_file file, char *out, size_t size);

/* How much of its output is kept: less than it wrote, if that was much. */
int64_t job_log_bytes(const struct job_set *set, const struct job *job);

/* The offset behind the last byte that is kept: where the disk was full, less than the end. */
int64_t job_kept_end(const struct job_set *set, const struct job *job, enum job_file file);

/*
 * Reads output from an offset on; what was not kept between its beginning and its end is passed
 * over. *ret_from is where the bytes begin, *ret_end how much there is by now. Returns 0 or -errno.
 */
int job_read(const struct job_set *set, const struct job *job, enum job_file file, int64_t offset,
    size_t max, struct buf *out, int64_t *ret_from, int64_t *ret_end);

/* The methods of jobs, in execute.c, job_methods.c and job_look.c. */
extern const struct method methods_execute[];
extern const struct method methods_job[];
extern const struct method methods_job_look[];
