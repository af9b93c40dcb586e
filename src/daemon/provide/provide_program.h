/* SPDX-License-Identifier: ISC */
/*
 * The program of a provider: its starts and its ends. It is a job. That of a file outlives the
 * daemon's kill -9: the next daemon finds it again by its name, and waits for it to connect. All
 * handlers are called from the event loop.
 */
#pragma once

#include "base/base.h"

#define PROVIDE_WAIT_MS 10000 /* wait_ms of the program of a file */
#define PROVIDE_REASON_SIZE 512

struct provide_program_parts {
	struct event_base *base;
	struct job_set *jobs;
	const char *title; /* for the log: "the provider words"; lent */
	const char
	    *job_name; /* of an earlier daemon's job, which is taken up; NULL: none is; lent */
	bool is_with_daemon; /* started with it; else by a call, and ended when idle */
	int64_t idle_ms;
	int64_t wait_ms; /* from its start, or the end of its connection, until it provides */
	/* Starts its job. NULL with a reason. */
	const struct job *(*start)(void *data, char *ret_reason, size_t size);
	/* Why its job has ended; NULL: as the status of the job says it. */
	void (*explain)(void *data, const struct job *job, char *ret_reason, size_t size);
	/*
	 * It cannot be started, has ended, or did not provide in time. has_provided: it did so since
	 * its start. True: calls wait for its next start.
	 */
	bool (*failed)(void *data, const char *reason, bool has_provided);
	void *data;
};

/* Takes up the job of an earlier daemon; one that runs with the daemon is started. */
struct provide_program *provide_program_new(const struct provide_program_parts *parts);
/* ends: its process is ended; else it goes on. NULL is accepted. */
void provide_program_free(struct provide_program *program, bool ends);

/* A call waits for it: it is started, or awaited. */
void provide_program_need(struct provide_program *program);
/* Its connection provides, or has ended. */
void provide_program_came(struct provide_program *program);
void provide_program_left(struct provide_program *program);
/* Whether calls of it are open: without any it ends after its idle time. */
void provide_program_set_busy(struct provide_program *program, bool is_busy);

/* Its process is to end, and another one to start. */
void provide_program_restart(struct provide_program *program);
/* It does its work: the next start is not delayed. */
void provide_program_note_work(struct provide_program *program);

/* Changes its idle time. */
void provide_program_set_idle(struct provide_program *program, int64_t idle_ms);

/* Whether it takes calls. */
bool provide_program_is_ready(const struct provide_program *program);
/* Whether it runs, and is not to end. */
bool provide_program_runs(const struct provide_program *program);
/* Its process, 0: there is none, or it is not known yet. */
pid_t provide_program_pid(const struct provide_program *program);
/* Whether a process is the program, or descends from it. */
bool provide_program_has(const struct provide_program *program, pid_t pid);
/* Whether its process was started, and is not known yet. */
bool provide_program_is_unknown(const struct provide_program *program);

/* "off", "waiting" (for its next start), "starting", "ready" or "ending". */
const char *provide_program_state(const struct provide_program *program);
/* Why it last failed; "": never. */
const char *provide_program_reason(const struct provide_program *program);
