/* SPDX-License-Identifier: ISC */
/*
 * Starts and ends the program of a provider, which runs as a job. After kill -9 of the daemon, the
 * next daemon finds the job by its name, and waits for the program to connect, up to wait_ms. All
 * handlers are called from the event loop.
 */
#pragma once

#include "base/base.h"

#define PROVIDE_WAIT_MS 10000 /* wait_ms for the programs of files */
#define PROVIDE_REASON_SIZE 512

struct provide_program_parts {
	struct event_base *base;
	struct job_set *jobs;
	const char *title; /* for the log, as "the provider words"; must outlive the program */
	/* name of an earlier daemon's job to take over; must outlive the program; NULL: none */
	const char *job_name;
	/* the program is started with the daemon; false: by a call, and it ends when idle */
	bool is_with_daemon;
	int64_t idle_ms;
	/* time limit for the call of provide, after a start or a lost connection */
	int64_t wait_ms;
	/* Starts the job. Returns NULL with a reason. */
	const struct job *(*start)(void *data, char *ret_reason, size_t size);
	/* Writes why the job has ended. NULL: the job's status says why. */
	void (*explain)(void *data, const struct job *job, char *ret_reason, size_t size);
	/*
	 * Called if the program cannot be started, has ended by itself, or has not called provide
	 * in time. has_provided: it has called provide since its start. Returns true if calls wait
	 * for its next start.
	 */
	bool (*failed)(void *data, const char *reason, bool has_provided);
	void *data;
};

/* Takes over the job of an earlier daemon, or else starts the program if is_with_daemon. */
struct provide_program *provide_program_new(const struct provide_program_parts *parts);
/* ends: the process is ended too. NULL is accepted. */
void provide_program_free(struct provide_program *program, bool ends);

/* Call this if a call waits for the program: it is started unless it runs. */
void provide_program_need(struct provide_program *program);
/* Call these when the program has called provide, and when that connection has ended. */
void provide_program_came(struct provide_program *program);
void provide_program_left(struct provide_program *program);
/* Says whether calls are open. If not, a program that a call started ends after its idle time. */
void provide_program_set_busy(struct provide_program *program, bool is_busy);

/* If the process runs, ends it and then starts a new one. */
void provide_program_restart(struct provide_program *program);
/* Call this when the program has done work: then its next start gets the shortest delay. */
void provide_program_note_work(struct provide_program *program);

void provide_program_set_idle(struct provide_program *program, int64_t idle_ms);

/* Returns true if calls can be sent to the program. */
bool provide_program_is_ready(const struct provide_program *program);
/* Returns true if its process runs and was not asked to end. */
bool provide_program_runs(const struct provide_program *program);
/* Returns its process; 0: none runs, or its pid is not known yet. */
pid_t provide_program_pid(const struct provide_program *program);
/* Returns true if a process is the program or a descendant of it. */
bool provide_program_has(const struct provide_program *program, pid_t pid);
/* Returns true if its process was started, but its pid is not known yet. */
bool provide_program_is_unknown(const struct provide_program *program);

/* Returns "off", "waiting" (for its next start), "starting", "ready" or "ending". */
const char *provide_program_state(const struct provide_program *program);
/* Returns why the program last failed; "" if it has not, or has called provide since. */
const char *provide_program_reason(const struct provide_program *program);
