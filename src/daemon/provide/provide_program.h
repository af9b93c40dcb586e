/* SPDX-License-Identifier: ISC */
/*
 * Starts and ends the program of a provider, which runs as a job. After kill -9 of the daemon the
 * next daemon finds the job by its name, and waits until the program connects. All handlers are
 * called from the event loop.
 */
#pragma once

#include "base/base.h"

#define PROVIDE_WAIT_MS 10000 /* wait_ms of the program of a file */
#define PROVIDE_REASON_SIZE 512

struct provide_program_parts {
	struct event_base *base;
	struct job_set *jobs;
	const char *title; /* for the log, as "the provider words"; lent */
	const char *job_name; /* name of an earlier daemon's job to continue, lent; NULL: none */
	bool is_with_daemon; /* started with the daemon; else by a call, and ended when idle */
	int64_t idle_ms;
	int64_t wait_ms; /* time to provide, from its start or from the end of its connection */
	/* Returns NULL with a reason. */
	const struct job *(*start)(void *data, char *ret_reason, size_t size);
	/* Writes why the job has ended; NULL: the job's status says why. */
	void (*explain)(void *data, const struct job *job, char *ret_reason, size_t size);
	/*
	 * The program cannot be started, has ended, or has not provided in time. has_provided: it
	 * had provided since its start. Returns true if calls wait for its next start.
	 */
	bool (*failed)(void *data, const char *reason, bool has_provided);
	void *data;
};

/* Continues the job of an earlier daemon; else starts the program if is_with_daemon. */
struct provide_program *provide_program_new(const struct provide_program_parts *parts);
/* ends: the process is ended too. NULL is accepted. */
void provide_program_free(struct provide_program *program, bool ends);

/* A call waits for the program, which is started unless it runs. */
void provide_program_need(struct provide_program *program);
/* Its connection has provided, and its connection has ended. */
void provide_program_came(struct provide_program *program);
void provide_program_left(struct provide_program *program);
/* Without open calls the program ends after its idle time. */
void provide_program_set_busy(struct provide_program *program, bool is_busy);

/* Ends the process and starts a new one. */
void provide_program_restart(struct provide_program *program);
/* The program has done work, so its next start is not delayed. */
void provide_program_note_work(struct provide_program *program);

void provide_program_set_idle(struct provide_program *program, int64_t idle_ms);

/* Returns true if calls can be sent to the program. */
bool provide_program_is_ready(const struct provide_program *program);
/* Returns true if its process runs and was not asked to end. */
bool provide_program_runs(const struct provide_program *program);
/* Returns 0 if no process runs, or its pid is not known yet. */
pid_t provide_program_pid(const struct provide_program *program);
/* Returns true if a process is the program or a descendant of it. */
bool provide_program_has(const struct provide_program *program, pid_t pid);
/* Returns true if its process was started, but its pid is not known yet. */
bool provide_program_is_unknown(const struct provide_program *program);

/* Returns "off", "waiting" (for its next start), "starting", "ready" or "ending". */
const char *provide_program_state(const struct provide_program *program);
/* Returns why the program last failed; "" if it has not. */
const char *provide_program_reason(const struct provide_program *program);
