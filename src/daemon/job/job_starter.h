/* SPDX-License-Identifier: ISC */
/*
 * Starts the supervisors of jobs. The start of a program takes longer than the rest of a short call,
 * so after a job one supervisor is started ahead, and waits for the next job. It ends with the
 * daemon, or when no job has come for SPARE_IDLE_MS.
 */
#pragma once

#include "base/base.h"

#define SPARE_IDLE_MS (10 * 60 * 1000)

struct event_base;

struct job_supervisor {
	pid_t pid; /* our child */
	int pidfd; /* -1: it cannot be watched */
	int news_fd; /* our end of its pipe (base/job_file.h); -1: none */
};

/* For the jobs of a directory, by the program at a path; both stay the caller's. Never NULL. */
struct job_starter *job_starter_new(struct event_base *base, const char *program, const char *dir);
void job_starter_free(struct job_starter *starter);

/* Starts the supervisor of a job whose spec is written. Returns 0 or an error number. */
int job_starter_start(
    struct job_starter *starter, const char *id, struct job_supervisor *ret_supervisor);

/* Has a supervisor wait for the next job. Without one, the next start takes longer. */
void job_starter_prepare(struct job_starter *starter);
