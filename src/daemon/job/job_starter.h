/* SPDX-License-Identifier: ISC */
/*
 * Starts the supervisors of jobs. The start of a program takes most of the time of a short call, so
 * after each job a spare supervisor is started, which waits for the next job. It ends with the
 * daemon, or if no job has come for SPARE_IDLE_MS.
 */
#pragma once

#include "base/base.h"

#define SPARE_IDLE_MS (10 * 60 * 1000)

struct event_base;

struct job_supervisor {
	pid_t pid; /* our child */
	int pidfd; /* -1: the process cannot be watched */
	int news_fd; /* our end of the pipe for reports (base/job_file.h) */
};

/*
 * Makes a starter for the jobs in dir; program is the path of the supervisor. The caller keeps both
 * strings while the starter lives. Never returns NULL.
 */
struct job_starter *job_starter_new(struct event_base *base, const char *program, const char *dir);
void job_starter_free(struct job_starter *starter);

/* Starts the supervisor of a job whose spec file is written. Returns 0 or an error number. */
int job_starter_start(
    struct job_starter *starter, const char *id, struct job_supervisor *ret_supervisor);

/* Starts a spare supervisor for the next job. Without it, the next start takes longer. */
void job_starter_prepare(struct job_starter *starter);
