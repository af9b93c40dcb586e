/* SPDX-License-Identifier: ISC */
/* A job as JSON: in the store, and in answers. */
#pragma once

#include "base/job_file.h"
#include "daemon/queue/record.h"

enum job_state {
	JOB_RUNNING,
	JOB_EXITED, /* with status 0 */
	JOB_FAILED, /* with another status, by a signal, or never started */
	JOB_STOPPED, /* because it was asked to, or its time was over */
	JOB_LOST, /* its supervisor was killed: how it ended is not known */
	JOB_STATE_COUNT_,
};
const char *job_state_name(enum job_state state);

struct job {
	struct list link; /* oldest first */
	char id[NOTIFICATION_ID_SIZE];
	char *name; /* NULL: none */
	char *command; /* as it was asked for */
	char *tool; /* the declared tool that it is a call of; NULL: none */
	char *answer; /* of the tool, as it was declared at the call; NULL: no tool, or not known */
	char *cwd;
	struct pane_ref pane; /* the pane to notify; cleared: none */
	bool is_silent; /* its end is not posted: a request waits for it */
	bool is_program; /* of a provider: the same, over the daemon's end */
	bool is_cancelled; /* it was asked to end, and does or will */
	bool has_env; /* it was started with an environment of its own */
	int64_t created_ms; /* CLOCK_REALTIME */
	int64_t timeout_ms; /* 0: none */
	unsigned umask; /* as in struct job_spec */
	pid_t pid; /* of the command; 0: not known */
	enum job_state state;
	struct job_status status; /* once it has ended */
};

/* Jobs in the store. */
extern const struct record_kind job_kind;

/* The text and the data of its notification; the caller frees. */
char *job_record_text(const struct job *job);
/* tail is NULL if head is all of the output; log_bytes is what is kept of it. */
char *job_record_data(
    const struct job *job, const char *log, int64_t log_bytes, const char *head, const char *tail);

#define JOB_EXCERPT 200 /* characters of output in the notification, at each end */

/*
 * The first, or the last, characters of output as plain text, without escape sequences; the caller
 * frees. is_part: the output began before these bytes, so their first line is left out.
 */
char *job_record_head(const void *bytes, size_t len, bool *ret_is_cut);
char *job_record_tail(const void *bytes, size_t len, bool is_part);

/* Its members as protocol section 10 has them; command_max: bytes of a command that is cut. */
void job_write_members(struct json_writer *writer, const struct job *job, const char *log,
    int64_t log_bytes, size_t command_max);
