/* SPDX-License-Identifier: ISC */
/*
 * The program of a provider's file. It is a job, so that it outlives the daemon's kill -9: the next
 * daemon finds it again, and waits for it to connect. All handlers are called from the event loop.
 */
#ifndef DAEMON_PROVIDE_PROVIDE_PROGRAM_H
#define DAEMON_PROVIDE_PROVIDE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "daemon/provide/provider_file.h"

#define PROVIDE_WAIT_MS 10000 /* from its start, or the end of its connection, until it provides */
#define PROVIDE_REASON_SIZE 512

struct event_base;
struct job_set;
struct provide_program;

struct provide_program_parts {
	struct event_base *base;
	struct job_set *jobs;
	const char *socket; /* of the daemon */
	/* It cannot be started, has ended, or did not provide within PROVIDE_WAIT_MS. */
	void (*failed)(void *data, const char *reason);
	void *data;
};

/* The file is lent. Takes up the job of an earlier daemon; one of life with_daemon is started. */
struct provide_program *provide_program_new(
    const struct provide_program_parts *parts, const struct provider_file *file);
/* ends: its process is ended; else it goes on. NULL is accepted. */
void provide_program_free(struct provide_program *program, bool ends);

/* A call waits for it: it is started, or awaited. */
void provide_program_need(struct provide_program *program);
/* Its connection provides, or has ended. */
void provide_program_came(struct provide_program *program);
void provide_program_left(struct provide_program *program);
/* Whether calls of it are open: without any it ends after its idle time. */
void provide_program_set_busy(struct provide_program *program, bool is_busy);

/* Whether a process is the program, or descends from it. */
bool provide_program_has(const struct provide_program *program, pid_t pid);
/* Whether its process was started, and is not known yet. */
bool provide_program_is_unknown(const struct provide_program *program);

/* "off", "starting", "ready" or "ending". */
const char *provide_program_state(const struct provide_program *program);
/* Why it last failed; "": never. */
const char *provide_program_reason(const struct provide_program *program);

#endif
