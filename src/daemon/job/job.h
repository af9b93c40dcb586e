/* SPDX-License-Identifier: ISC */
/*
 * Jobs: background commands. Each job runs under a supervisor process of its own (muxbus-job), so
 * that its exit status outlives this daemon. The state of a job is in its files (base/job_file.h)
 * and in the store. A new daemon finds the jobs, and notifies of the end of those that have ended
 * meanwhile, except the programs of providers (is_program).
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
	JOB_LOST, /* its status is not known, mostly because its supervisor was killed */
	JOB_STATE_COUNT_,
};
extern const char *const job_state_names[];

struct job {
	struct list link; /* oldest first */
	char id[NOTIFICATION_ID_SIZE];
	char *name; /* NULL: none */
	char *command; /* for people, as in struct job_order */
	char *tool; /* the declared tool (tool/) whose call the job is; NULL: none */
	char *answer; /* how the tool's output becomes the answer; NULL: not known, or no tool */
	char *cwd;
	struct pane_ref pane; /* the pane that is notified of the end; cleared: none */
	bool is_silent; /* its end is not notified: a request waits for it, or is_program */
	/* the program of a provider or tool server, whose end no later daemon notifies either */
	bool is_program;
	bool is_cancelled; /* job_stop() has asked it to end */
	bool has_env; /* variables were given for this job */
	/* The order in which jobs began; 0: made by an earlier release, ordered by created_ms. */
	int64_t number;
	int64_t created_ms; /* CLOCK_REALTIME, which may be set back */
	int64_t timeout_ms; /* 0: none */
	unsigned umask; /* as in struct job_spec */
	pid_t pid; /* process of the command; 0: not known */
	enum job_state state;
	struct job_status status; /* valid when the job has ended */
};

#define JOBS_MAX 1000 /* maximum number of jobs that run at once */
#define JOBS_KEEP 200 /* number of ended jobs that are kept, with their output */
#define JOBS_KEEP_QUICK 100 /* the same for quick jobs */
#define JOB_OUT_MAX (64 * 1024 * 1024) /* the default of job_order.out_max */
/* bytes of changes to an environment that are kept in memory, for a restart */
#define JOB_ENV_KEEP (64 * 1024)

struct event_base;
struct queue;

/* Prefix of the names of providers' programs; job_name_check() refuses it for other jobs. */
#define JOB_PROVIDER_PREFIX "provider:"

struct job_order {
	const char *command; /* the command as people see it; argv is what runs */
	const char *const *argv; /* NULL-terminated */
	/* changes to the environment (below) by the tmux session, made before those of env */
	const char *const *session_env;
	const char *const *env; /* changes by the request; or NULL */
	const char *cwd;
	const char *name; /* or NULL */
	const char *tool; /* as in struct job */
	const char *answer; /* as in struct job */
	const char *input; /* text of standard input; NULL: empty */
	int64_t timeout_ms; /* 0: none */
	int64_t out_max; /* bytes of output that are kept from its beginning; 0: JOB_OUT_MAX */
	unsigned umask; /* as in struct job_spec */
	bool has_err; /* standard error goes to a file of its own */
	bool is_silent;
	bool is_program; /* as in struct job */
	const struct pane_ref *pane; /* or NULL */
	const struct once *once; /* key of the request, stored with the job; or NULL */
};

/*
 * Loads the jobs from the store. Their files are in state_dir/jobs. The supervisor's program is
 * searched beside this program, and then where it was installed. Returns NULL with a reason on
 * failure.
 */
struct job_set *job_set_new(struct event_base *base, struct queue *queue, const char *state_dir,
    char *ret_reason, size_t reason_size);
/* Frees the set. The jobs go on. */
void job_set_free(struct job_set *set);

/*
 * Starts a job. Returns NULL with a reason and errno: ENOSPC (too many jobs, or a limit of the
 * system), E2BIG (the command is too long) or another one.
 */
const struct job *job_start(
    struct job_set *set, const struct job_order *order, char *ret_reason, size_t size);

/* Finds a job by its id; NULL: none. */
const struct job *job_find(const struct job_set *set, const char *id);
/* Walks through the jobs, the oldest first: begin with NULL; returns NULL at the end. */
const struct job *job_next(const struct job_set *set, const struct job *previous);
size_t job_running(const struct job_set *set);
/*
 * Returns true if the job has ended without a notification, as a request reported the end, or with
 * is_program. list_jobs leaves such jobs out, unless asked for all.
 */
bool job_is_quick(const struct job *job);

/*
 * Sends a signal to a job. After SIGTERM and SIGINT, the supervisor sends SIGKILL when a grace time
 * is over. Returns 0 or -errno, such as ESRCH if the job does not run, EAGAIN if it just starts.
 */
int job_stop(struct job_set *set, const char *id, int signal);

/*
 * Like job_stop() with SIGTERM, for a request that then starts the job again. Returns 0 also if the
 * job has just ended, and -EBUSY if another restart waits for the end.
 */
int job_stop_for_restart(struct job_set *set, const char *id);

/*
 * Returns the changes of the job's environment, NULL-terminated; NULL: not known, as they have more
 * than JOB_ENV_KEEP bytes, or an earlier daemon started the job.
 */
const char *const *job_env(const struct job *job);

/* Call this if an answer has reported the end: its notification is settled and not delivered. */
void job_settle_waited(struct job_set *set, const struct job *job);

/* If the job runs, sets is_silent, and the pane to notify of the end; NULL: as before. */
void job_set_silent(
    struct job_set *set, const char *id, bool is_silent, const struct pane_ref *pane);

struct job_listener;
typedef void job_listener_fn(struct job_listener *listener, const struct job *job);

struct job_listener {
	struct list link;
	char id[NOTIFICATION_ID_SIZE];
	/* Called when the command runs, or no report can come; pid is set if known. May be NULL. */
	job_listener_fn *started;
	/* called when the job has ended, after its notification (if any) was posted */
	job_listener_fn *ended;
};
/* Listens to the job with this id; "": to all jobs. */
void job_listen(struct job_set *set, struct job_listener *listener, const char *id);

void job_path(
    const struct job_set *set, const struct job *job, enum job_file file, char *out, size_t size);

/* Returns how many bytes of output are kept, without those of a separate standard error. */
int64_t job_log_bytes(const struct job_set *set, const struct job *job);

/* Returns the offset behind the last byte that is kept, which may not be the end of the output. */
int64_t job_kept_end(const struct job_set *set, const struct job *job, enum job_file file);

/*
 * Reads output of a job from an offset on, at most max bytes; skips bytes that were not kept
 * between begin and end. *ret_from is the offset of the first byte that was read, *ret_end the
 * length of all output; while the job runs, of the kept output. Returns 0 or -errno.
 */
int job_read(const struct job_set *set, const struct job *job, enum job_file file, int64_t offset,
    size_t max, struct buf *out, int64_t *ret_from, int64_t *ret_end);

extern const struct record_kind job_kind;

/* Returns the text of the notification of a job's end; the caller frees it. */
char *job_record_text(const struct job *job);
/*
 * Returns the data of the notification, as JSON; the caller frees it. head and tail are excerpts of
 * the output; tail is NULL if head is all of it. log is the path of the output.
 */
char *job_record_data(
    const struct job *job, const char *log, int64_t log_bytes, const char *head, const char *tail);

/* characters of output in the notification, from its begin and from its end */
#define JOB_EXCERPT 200

/*
 * Return the first or the last JOB_EXCERPT characters of bytes, without escape sequences; the
 * caller frees the text. *ret_is_cut: the bytes have more. is_part: there is output before these
 * bytes, so their first line is left out if another one follows.
 */
char *job_record_head(const void *bytes, size_t len, bool *ret_is_cut);
char *job_record_tail(const void *bytes, size_t len, bool is_part);

/* Writes a job as members of a JSON object. The command is cut after command_max bytes. */
void job_write_members(struct json_writer *writer, const struct job *job, const char *log,
    int64_t log_bytes, size_t command_max);

/* The row of the parameter job, for a struct of arguments with the member job. */
#define JOB_FIELD(args_struct)                                                       \
	{FIELD_ROW(STRING, struct args_struct, job, "job"), .flags = FIELD_REQUIRED, \
	    .help = "Its id or name."},                                              \
	{                                                                            \
		.name = "id", .flags = FIELD_ALIAS                                   \
	}

/* Finds a job by its id or name; NULL: none. */
const struct job *job_name_find(const struct job_set *set, const char *text);

/* Finds the job of a parameter. Returns NULL after failing the request. */
const struct job *job_name_get(struct request *request, const char *text);

/* Returns the id of the job with this id or name; text itself if there is none. */
const char *job_name_id(const struct job_set *set, const char *text);

/*
 * Checks the name for a new job: it must not look like an id, begin with JOB_PROVIDER_PREFIX, or be
 * that of a running job. NULL is allowed. Returns false after failing the request.
 */
bool job_name_check(struct request *request, const char *name);

/*
 * Changes to an environment are NULL-terminated lists: "NAME=value" sets a variable, "NAME" removes
 * it, and "" removes all.
 */

/*
 * Joins two lists, each of which may be NULL. Returns NULL if the strings have more than max bytes.
 * The caller frees the result, which is one block of memory.
 */
const char **job_env_join(const char *const *one, const char *const *other, size_t max);

/*
 * Returns this process's environment after the changes of both lists, which may be NULL, with
 * MUXBUS_JOB=id as the last string. The caller frees the array and this last string; the others are
 * lent.
 */
const char **job_env_make(const char *const *session, const char *const *own, const char *id);

/*
 * Starting supervisors. One is started ahead (the spare) and waits for the next job, since the
 * start of a process takes most of the time of a short call.
 */

#define SPARE_IDLE_MS (10 * 60 * 1000)

struct job_supervisor {
	pid_t pid; /* a child of this process */
	int pidfd; /* -1: the process cannot be watched */
	int news_fd; /* this end of the pipe for reports (base/job_file.h) */
};

/*
 * program is the path of the supervisor, dir that of the jobs' files. The caller keeps both strings
 * as long as the starter.
 */
struct job_starter *job_starter_new(struct event_base *base, const char *program, const char *dir);
void job_starter_free(struct job_starter *starter);

/* Starts the supervisor of a job, whose spec file must be written. Returns 0 or an error number. */
int job_starter_start(
    struct job_starter *starter, const char *id, struct job_supervisor *ret_supervisor);

/* Starts a spare for the next job, if that is possible. It ends unused after SPARE_IDLE_MS. */
void job_starter_prepare(struct job_starter *starter);

extern const struct method methods_execute[];
extern const struct method methods_job[];
extern const struct method methods_job_look[];
