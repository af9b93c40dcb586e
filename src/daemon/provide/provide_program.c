/* SPDX-License-Identifier: ISC */
/* Starting and ending the program of a provider. */
#include "daemon/provide/provide_program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "daemon/job/job.h"
#include "io/loop_timer.h"

#define PARENTS_MAX 32 /* that are looked at from a process upwards */
#define OUT_MAX (1024 * 1024) /* bytes of its output that are kept */
#define SOUND_MS 10000 /* a program that stays so long is started again without a delay */

enum program_state {
	STATE_OFF, /* or it waits for its next start */
	STATE_STARTING, /* its process runs, and has not provided */
	STATE_READY,
	STATE_ENDING, /* its process was asked to end */
};

static const char *const state_names[] = {
    [STATE_OFF] = "off",
    [STATE_STARTING] = "starting",
    [STATE_READY] = "ready",
    [STATE_ENDING] = "ending",
};

struct provide_program {
	struct provide_program_parts parts;
	const struct provider_file *file;
	struct job_listener listener;
	enum program_state state;
	char job_name[DECLARATION_NAME_MAX + 16];
	char id[NOTIFICATION_ID_SIZE]; /* of its job */
	bool is_needed; /* by a call, while it ends */
	struct loop_timer *timer; /* of the state: the next start, the time to provide, idle */
	unsigned backoff_ms;
	int64_t start_ms; /* no start before this time */
	int64_t ready_ms; /* when it provided last; 0: not since its start */
	char reason[PROVIDE_REASON_SIZE];
};

static void fail(struct provide_program *program, const char *reason)
{
	(void)snprintf(program->reason, sizeof program->reason, "%s", reason);
	log_warning("the provider %s %s", program->file->name, reason);
	program->start_ms = clock_mono_ms() + backoff_next_ms(&program->backoff_ms);
	program->parts.failed(program->parts.data, reason);
}

static void start_later(struct provide_program *program)
{
	loop_timer_arm(program->timer, program->start_ms - clock_mono_ms());
}

static void stop(struct provide_program *program)
{
	loop_timer_disarm(program->timer);
	program->state = STATE_ENDING;
	program->is_needed = program->file->life == PROVIDER_WITH_DAEMON;
	(void)job_stop(program->parts.jobs, program->id, SIGTERM); /* it may have ended just now */
}

/* Starts the job. False with a reason. */
static bool start_job(struct provide_program *program, char *ret_reason, size_t size)
{
	const struct provider_file *file = program->file;
	const char *home = getenv("HOME");
	char path[PATH_MAX];
	char *socket = xasprintf("MUXBUS=%s", program->parts.socket);
	char *name = xasprintf("MUXBUS_PROVIDER=%s", file->name);
	const char *const env[] = {socket, name, "MUXBUS_PANE", "TMUX", "TMUX_PANE", NULL};
	const struct job *job = NULL;
	size_t count = 0;
	const char **argv;
	while (file->program[count] != NULL)
		count++;
	argv = xmemdup(file->program, (count + 1) * sizeof *argv);
	if (provider_file_program(file, path, ret_reason, size)) {
		argv[0] = path;
		job = job_start(program->parts.jobs,
		    &(struct job_order){.command = program->job_name,
			.argv = argv,
			.env = env,
			.cwd = home != NULL && home[0] == '/' ? home : "/",
			.name = program->job_name,
			.out_max = OUT_MAX,
			.is_silent = true},
		    ret_reason, size);
	}
	if (job != NULL)
		(void)snprintf(program->id, sizeof program->id, "%s", job->id);
	mem_free(argv);
	mem_free(socket);
	mem_free(name);
	return job != NULL;
}

static void start(struct provide_program *program)
{
	char reason[PROVIDE_REASON_SIZE - 64], text[PROVIDE_REASON_SIZE];
	if (start_job(program, reason, sizeof reason)) {
		program->state = STATE_STARTING;
		program->ready_ms = 0;
		loop_timer_arm(program->timer, PROVIDE_WAIT_MS);
		return;
	}
	(void)snprintf(text, sizeof text, "cannot be started: %s", reason);
	fail(program, text);
	if (program->file->life == PROVIDER_WITH_DAEMON)
		start_later(program);
}

static void on_timer(void *data)
{
	struct provide_program *program = data;
	switch (program->state) {
	case STATE_OFF:
		start(program);
		break;
	case STATE_STARTING:
		stop(program);
		fail(program, "did not provide its methods within 10 s");
		break;
	case STATE_READY:
		log_info("the provider %s ends: it is idle", program->file->name);
		stop(program);
		break;
	case STATE_ENDING:
		break;
	}
}

static bool is_own(const struct provide_program *program, const struct job *job)
{
	return program->state != STATE_OFF && strcmp(job->id, program->id) == 0;
}

static void on_ended(struct job_listener *listener, const struct job *job)
{
	struct provide_program *program = list_entry(listener, struct provide_program, listener);
	enum program_state state = program->state;
	char reason[128];
	if (!is_own(program, job))
		return;
	program->state = STATE_OFF;
	program->id[0] = '\0';
	loop_timer_disarm(program->timer);
	if (program->ready_ms > 0 && clock_mono_ms() - program->ready_ms >= SOUND_MS)
		program->backoff_ms = 0;
	if (state != STATE_ENDING) {
		if (job->status.signal > 0)
			(void)snprintf(reason, sizeof reason,
			    "ended by signal %d: see muxbus logs %s", job->status.signal, job->id);
		else
			(void)snprintf(reason, sizeof reason,
			    "ended with status %d: see muxbus logs %s", job->status.exit_code,
			    job->id);
		fail(program, reason);
		program->is_needed = program->file->life == PROVIDER_WITH_DAEMON;
	}
	if (program->is_needed)
		start_later(program);
	program->is_needed = false;
}

/* The job of an earlier daemon, which may connect again. */
static void take_up(struct provide_program *program)
{
	const struct job *job = NULL;
	while ((job = job_next(program->parts.jobs, job)) != NULL) {
		if (job->state != JOB_RUNNING || job->name == NULL ||
		    strcmp(job->name, program->job_name) != 0 ||
		    strcmp(job->command, program->job_name) != 0)
			continue;
		(void)snprintf(program->id, sizeof program->id, "%s", job->id);
		job_set_silent(program->parts.jobs, program->id, true, NULL);
		program->state = STATE_STARTING;
		loop_timer_arm(program->timer, PROVIDE_WAIT_MS);
		return;
	}
}

struct provide_program *provide_program_new(
    const struct provide_program_parts *parts, const struct provider_file *file)
{
	struct provide_program *program = xcalloc(1, sizeof *program);
	program->parts = *parts;
	program->file = file;
	program->listener.ended = on_ended;
	program->timer = loop_timer_new(parts->base, on_timer, program);
	(void)snprintf(program->job_name, sizeof program->job_name, "%s%.64s", JOB_PROVIDER_PREFIX,
	    file->name);
	job_listen(parts->jobs, &program->listener);
	take_up(program);
	if (program->state == STATE_OFF && file->life == PROVIDER_WITH_DAEMON)
		start_later(program);
	return program;
}

void provide_program_free(struct provide_program *program, bool ends)
{
	if (program == NULL)
		return;
	if (ends && program->state != STATE_OFF)
		(void)job_stop(program->parts.jobs, program->id, SIGTERM);
	job_unlisten(&program->listener);
	loop_timer_free(program->timer);
	mem_free(program);
}

void provide_program_need(struct provide_program *program)
{
	if (program->state == STATE_ENDING)
		program->is_needed = true;
	else if (program->state == STATE_OFF && !loop_timer_is_armed(program->timer))
		start_later(program);
}

void provide_program_came(struct provide_program *program)
{
	if (program->state != STATE_STARTING)
		return;
	program->state = STATE_READY;
	program->ready_ms = clock_mono_ms();
	program->reason[0] = '\0';
	provide_program_set_busy(program, false);
}

void provide_program_left(struct provide_program *program)
{
	if (program->state != STATE_READY)
		return;
	program->state = STATE_STARTING;
	loop_timer_arm(program->timer, PROVIDE_WAIT_MS);
}

void provide_program_set_busy(struct provide_program *program, bool is_busy)
{
	if (program->state != STATE_READY)
		return;
	if (is_busy || program->file->life == PROVIDER_WITH_DAEMON)
		loop_timer_disarm(program->timer);
	else
		loop_timer_arm(program->timer, program->file->idle_ms);
}

static const struct job *job_of(const struct provide_program *program)
{
	return program->state != STATE_OFF ? job_find(program->parts.jobs, program->id) : NULL;
}

bool provide_program_has(const struct provide_program *program, pid_t pid)
{
	const struct job *job = job_of(program);
	for (int at = 0; at < PARENTS_MAX && job != NULL && job->pid > 0 && pid > 1; at++) {
		if (pid == job->pid)
			return true;
		pid = process_parent(pid);
	}
	return false;
}

bool provide_program_is_unknown(const struct provide_program *program)
{
	const struct job *job = job_of(program);
	return program->state == STATE_STARTING && job != NULL && job->pid == 0;
}

const char *provide_program_state(const struct provide_program *program)
{
	return state_names[program->state];
}

const char *provide_program_reason(const struct provide_program *program)
{
	return program->reason;
}
