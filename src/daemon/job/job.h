/* SPDX-License-Identifier: ISC */
/*
 * A job runs under its own supervisor process (muxbus-job), so that its exit status outlives this
 * daemon. Its files (base/job_file.h) and the store hold its state after any crash; a new daemon
 * finds all jobs, and notifies of those that have ended meanwhile.
 */
#pragma once

#include "base/job_file.h"
#include "daemon/queue/record.h"
#include "daemon/server/method.h"

enum job_state {
	JOB_RUNNING,
	JOB_EXITED, /* status 0 */
	JOB_FAILED, /* another status, a signal, or never started */
	JOB_STOPPED, /* on request, or by its timeout */
	JOB_LOST, /* its supervisor was killed, so its status is not known */
	JOB_STATE_COUNT_,
};
extern const char *const job_state_names[];

struct job {
	struct list link; /* oldest first */
	char id[NOTIFICATION_ID_SIZE];
	char *name; /* NULL: none */
	char *command; /* as given in the request */
	char *tool; /* declared tool of which the job is a call; NULL: none */
	char *answer; /* "answer" of the tool at that time; NULL: no tool, or not known */
	char *cwd;
	struct pane_ref pane; /* is notified; cleared: none */
	bool is_silent; /* not notified, since a request waits for the end */
	bool is_program; /* of a provider; a new daemon does not notify its end either */
	bool is_cancelled; /* job_stop() has asked the job to end */
	bool has_env; /* variables were given for this job */
	/* The order in which jobs began; 0: made by an earlier release, ordered by created_ms. */
	int64_t number;
	int64_t created_ms; /* CLOCK_REALTIME, which may be set back */
	int64_t timeout_ms; /* 0: none */
	unsigned umask; /* as in struct job_spec */
	pid_t pid; /* of the command; 0: not known */
	enum job_state state;
	struct job_status status; /* set when the job has ended */
};

#define JOBS_MAX 1000 /* running at once */
#define JOBS_KEEP 200 /* ended jobs that are kept, with their output */
#define JOBS_KEEP_QUICK 100 /* likewise of quick jobs */
#define JOB_OUT_MAX (64 * 1024 * 1024) /* bytes of output that are kept from its beginning */
#define JOB_ENV_KEEP (64 * 1024) /* bytes of an environment that are kept in memory for a restart */

struct event_base;
struct queue;

/* Only the programs of providers have names that begin with this. */
#define JOB_PROVIDER_PREFIX "provider:"

struct job_order {
	const char *command; /* as people see it; argv is what runs */
	const char *const *argv; /* NULL-terminated */
	const char *const *session_env; /* changes of the session, made before env */
	const char *const *env; /* further changes; or NULL */
	const char *cwd;
	const char *name; /* or NULL */
	const char *tool; /* as in struct job */
	const char *answer; /* "answer" of the tool, as in struct job */
	const char *input; /* text of standard input; NULL: empty */
	int64_t timeout_ms; /* 0: none */
	int64_t out_max; /* bytes of output that are kept from its beginning; 0: JOB_OUT_MAX */
	unsigned umask; /* as in struct job_spec */
	bool has_err; /* standard error has a file of its own */
	bool is_silent;
	bool is_program; /* as in struct job */
	const struct pane_ref *pane; /* or NULL */
	const struct once *once; /* kept with the job; or NULL */
};

/*
 * The jobs' files are in state_dir/jobs. The supervisor's program is searched beside this program,
 * then where it was installed. Returns NULL with a reason on failure.
 */
struct job_set *job_set_new(struct event_base *base, struct queue *queue, const char *state_dir,
    char *ret_reason, size_t reason_size);
/* The jobs continue to run. */
void job_set_free(struct job_set *set);

/* Returns NULL with a reason and errno: ENOSPC (too many jobs), E2BIG (command) or another. */
const struct job *job_start(
    struct job_set *set, const struct job_order *order, char *ret_reason, size_t size);

const struct job *job_find(const struct job_set *set, const char *id);
const struct job *job_next(const struct job_set *set, const struct job *previous);
size_t job_running(const struct job_set *set);
/* An answer reported the end of a quick job, so lists leave the job out. */
bool job_is_quick(const struct job *job);

/* SIGTERM and SIGINT escalate to SIGKILL after 5 s. Returns 0 or -errno. */
int job_stop(struct job_set *set, const char *id, int signal);

/* Like job_stop() with SIGTERM. Returns -EBUSY if another restart waits for the end. */
int job_stop_for_restart(struct job_set *set, const char *id);

/* NULL-terminated. NULL: more than JOB_ENV_KEEP bytes, or the job of an earlier daemon. */
const char *const *job_env(const struct job *job);

/* An answer has reported the end, so its notification is settled undelivered. */
void job_settle_waited(struct job_set *set, const struct job *job);

/* is_silent: a request waits for the end. pane NULL: as before. */
void job_set_silent(
    struct job_set *set, const char *id, bool is_silent, const struct pane_ref *pane);

struct job_listener;
typedef void job_listener_fn(struct job_listener *listener, const struct job *job);

struct job_listener {
	struct list link;
	char id[NOTIFICATION_ID_SIZE];
	job_listener_fn *started; /* the command runs; pid is set if it is known. May be NULL */
	job_listener_fn *ended; /* called after the notification was posted */
};
/* id "": all jobs. */
void job_listen(struct job_set *set, struct job_listener *listener, const char *id);

void job_path(
    const struct job_set *set, const struct job *job, enum job_file file, char *out, size_t size);

/* Bytes of standard output that are kept; a job may have written more. */
int64_t job_log_bytes(const struct job_set *set, const struct job *job);

/* The offset behind the last kept byte is the output's length unless the disk was full. */
int64_t job_kept_end(const struct job_set *set, const struct job *job, enum job_file file);

/*
 * Skips bytes that were not kept between the beginning and the end. *ret_from is the offset of the
 * first byte that was read, *ret_end the length of all output so far. Returns 0 or -errno.
 */
int job_read(const struct job_set *set, const struct job *job, enum job_file file, int64_t offset,
    size_t max, struct buf *out, int64_t *ret_from, int64_t *ret_end);

extern const struct record_kind job_kind;

/* The text of the notification of a job's end; the caller frees. */
char *job_record_text(const struct job *job);
/* The data of the notification; the caller frees. tail is NULL if head is all of the output. */
char *job_record_data(
    const struct job *job, const char *log, int64_t log_bytes, const char *head, const char *tail);

#define JOB_EXCERPT 200 /* characters of output in the notification, from each end */

/*
 * The first or the last JOB_EXCERPT characters, without escape sequences; the caller frees.
 * is_part: output before these bytes exists, so their first line is left out.
 */
char *job_record_head(const void *bytes, size_t len, bool *ret_is_cut);
char *job_record_tail(const void *bytes, size_t len, bool is_part);

/* The command is cut after command_max bytes. */
void job_write_members(struct json_writer *writer, const struct job *job, const char *log,
    int64_t log_bytes, size_t command_max);

/* For a struct of arguments with the member job. */
#define JOB_FIELD(args_struct)                                                       \
	{FIELD_ROW(STRING, struct args_struct, job, "job"), .flags = FIELD_REQUIRED, \
	    .help = "Its id or name."},                                              \
	{                                                                            \
		.name = "id", .flags = FIELD_ALIAS                                   \
	}

/* By id or name; or NULL. */
const struct job *job_name_find(const struct job_set *set, const char *text);

/* Returns NULL after failing the request. */
const struct job *job_name_get(struct request *request, const char *text);

/* Returns text itself if there is no such job. */
const char *job_name_id(const struct job_set *set, const char *text);

/* A name must not look like an id, nor be that of a running job. NULL is allowed. */
bool job_name_check(struct request *request, const char *name);

/* NULL-terminated lists: "NAME=value" sets a variable, "NAME" removes it, "" removes all. */

/* A list may be NULL. Returns NULL if the strings exceed max bytes. The caller frees. */
const char **job_env_join(const char *const *one, const char *const *other, size_t max);

/* Both lists may be NULL. The caller frees the array and the last string, the job's id. */
const char **job_env_make(const char *const *session, const char *const *own, const char *id);

/* A spare supervisor waits for the next job, since a start takes most of a short call. */

#define SPARE_IDLE_MS (10 * 60 * 1000)

struct job_supervisor {
	pid_t pid; /* our child */
	int pidfd; /* -1: the process cannot be watched */
	int news_fd; /* our end of the pipe for reports (base/job_file.h) */
};

/* program is the path of the supervisor. The caller keeps both strings while the starter lives. */
struct job_starter *job_starter_new(struct event_base *base, const char *program, const char *dir);
void job_starter_free(struct job_starter *starter);

/* The spec file of the job must be written. Returns 0 or an error number. */
int job_starter_start(
    struct job_starter *starter, const char *id, struct job_supervisor *ret_supervisor);

/* Without a spare, the next start takes longer. */
void job_starter_prepare(struct job_starter *starter);

extern const struct method methods_execute[];
extern const struct method methods_job[];
extern const struct method methods_job_look[];
