/* SPDX-License-Identifier: ISC */
/* A job as JSON: in the store, and in answers. */
#pragma once

#include "base/job_file.h"
#include "daemon/queue/record.h"

enum job_state {
	JOB_RUNNING,
	JOB_EXITED, /* with status 0 */
	JOB_FAILED, /* with another status, by a signal, or never started */
	JOB_STOPPED, /* on request, or because its timeout passed */
	JOB_LOST, /* its supervisor was killed, so how the job ended is not known */
	JOB_STATE_COUNT_,
};
extern const char *const job_state_names[];

struct job {
	struct list link; /* oldest first */
	char id[NOTIFICATION_ID_SIZE];
	char *name; /* NULL: none */
	char *command; /* as given in the request */
	char *tool; /* the declared tool that this job is a call of; NULL: none */
	char *answer; /* the tool's "answer" at the time of the call; NULL: no tool, or not known */
	char *cwd;
	struct pane_ref pane; /* the pane to notify; cleared: none */
	bool is_silent; /* its end is not notified, since a request waits for it */
	bool is_program; /* a provider's program: stays silent when a new daemon starts */
	bool is_cancelled; /* job_stop() has asked the job to end */
	bool has_env; /* variables were given for this job */
	int64_t created_ms; /* CLOCK_REALTIME */
	int64_t timeout_ms; /* 0: none */
	unsigned umask; /* as in struct job_spec */
	pid_t pid; /* of the command; 0: not known */
	enum job_state state;
	struct job_status status; /* set when the job has ended */
};

/* Jobs in the store. */
extern const struct record_kind job_kind;

/* Return the text and the data of the notification of a job's end; the caller frees. */
char *job_record_text(const struct job *job);
/* tail is NULL if head is all of the output; log_bytes: size of the kept output. */
char *job_record_data(
    const struct job *job, const char *log, int64_t log_bytes, const char *head, const char *tail);

#define JOB_EXCERPT 200 /* characters of output in the notification, from each end */

/*
 * Return the first or the last JOB_EXCERPT characters of output as plain text, without escape
 * sequences; the caller frees. is_part: output before these bytes exists, so their first line is
 * left out.
 */
char *job_record_head(const void *bytes, size_t len, bool *ret_is_cut);
char *job_record_tail(const void *bytes, size_t len, bool is_part);

/* Writes the members of a job (protocol section 10); a command is cut after command_max bytes. */
void job_write_members(struct json_writer *writer, const struct job *job, const char *log,
    int64_t log_bytes, size_t command_max);
