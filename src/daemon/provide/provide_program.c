/* SPDX-License-Identifier: ISC */
#include "daemon/provide/provide_program.h"

#include "base/process.h"
#include "daemon/job/job.h"
#include "io/loop_timer.h"

#define PARENTS_MAX 32 /* maximum number of ancestors of a process that are looked at */
/* after a process that fails so long after its call of provide, the shortest delay follows */
#define SOUND_MS 10000

enum program_state {
	STATE_OFF, /* there is no process; the timer may wait for the next start */
	/* the process runs; it has not called provide yet, or its connection has ended */
	STATE_STARTING,
	STATE_READY,
	STATE_ENDING, /* the process was asked to end */
};

static const char *const state_names[] = {
    [STATE_OFF] = "off",
    [STATE_STARTING] = "starting",
    [STATE_READY] = "ready",
    [STATE_ENDING] = "ending",
};

struct provide_program {
	struct provide_program_parts parts;
	struct job_listener listener;
	enum program_state state;
	char id[NOTIFICATION_ID_SIZE]; /* id of the job */
	bool is_needed; /* the program is started again when its process has ended */
	/* for the next start, the time limit for provide, or the idle time */
	struct loop_timer *timer;
	unsigned backoff_ms;
	int64_t start_ms; /* CLOCK_MONOTONIC: earliest time of the next start */
	int64_t ready_ms; /* CLOCK_MONOTONIC of the call of provide; 0: none since the start */
	char reason[PROVIDE_REASON_SIZE];
};

static void fail(struct provide_program *program, const char *reason)
{
	(void)snprintf(program->reason, sizeof program->reason, "%s", reason);
	log_warning("%s %s", program->parts.title, reason);
	program->start_ms = clock_mono_ms() + backoff_next_ms(&program->backoff_ms);
	program->is_needed =
	    program->parts.failed(program->parts.data, reason, program->ready_ms > 0) ||
	    program->parts.is_with_daemon;
}

static void start_later(struct provide_program *program)
{
	loop_timer_arm(program->timer, program->start_ms - clock_mono_ms());
}

static void stop(struct provide_program *program)
{
	loop_timer_disarm(program->timer);
	program->state = STATE_ENDING;
	program->is_needed = program->parts.is_with_daemon;
	(void)job_stop(program->parts.jobs, program->id, SIGTERM); /* fails if the job has ended */
}

static void start(struct provide_program *program)
{
	char reason[PROVIDE_REASON_SIZE - 64], text[PROVIDE_REASON_SIZE];
	const struct job *job = program->parts.start(program->parts.data, reason, sizeof reason);
	program->ready_ms = 0;
	if (job != NULL) {
		(void)snprintf(program->id, sizeof program->id, "%s", job->id);
		program->state = STATE_STARTING;
		loop_timer_arm(program->timer, program->parts.wait_ms);
		return;
	}
	(void)snprintf(text, sizeof text, "cannot be started: %s", reason);
	fail(program, text);
	if (program->is_needed)
		start_later(program);
	program->is_needed = false;
}

static void on_timer(void *data)
{
	struct provide_program *program = data;
	char reason[64];
	switch (program->state) {
	case STATE_OFF:
		start(program);
		break;
	case STATE_STARTING:
		stop(program);
		(void)snprintf(reason, sizeof reason, "did not provide its methods within %.10g s",
		    (double)program->parts.wait_ms / 1000);
		fail(program, reason);
		break;
	case STATE_READY:
		log_info("%s ends: it is idle", program->parts.title);
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

static void explain(
    const struct provide_program *program, const struct job *job, char *out, size_t size)
{
	if (program->parts.explain != NULL)
		program->parts.explain(program->parts.data, job, out, size);
	else if (job->status.signal > 0)
		(void)snprintf(out, size, "ended by signal %d: see muxbus logs %s",
		    job->status.signal, job->id);
	else
		(void)snprintf(out, size, "ended with status %d: see muxbus logs %s",
		    job->status.exit_code, job->id);
}

static void on_ended(struct job_listener *listener, const struct job *job)
{
	struct provide_program *program = list_entry(listener, struct provide_program, listener);
	enum program_state state = program->state;
	char reason[PROVIDE_REASON_SIZE];
	if (!is_own(program, job))
		return;
	program->state = STATE_OFF;
	program->id[0] = '\0';
	loop_timer_disarm(program->timer);
	if (program->ready_ms > 0 && clock_mono_ms() - program->ready_ms >= SOUND_MS)
		program->backoff_ms = 0;
	if (state != STATE_ENDING) {
		explain(program, job, reason, sizeof reason);
		fail(program, reason);
	}
	if (program->is_needed)
		start_later(program);
	program->is_needed = false;
}

/* Takes over a job of an earlier daemon, or of the old version of a file, which is ending. */
static void take_up(struct provide_program *program)
{
	const struct job *job = NULL;
	const char *name = program->parts.job_name;
	while (name != NULL && (job = job_next(program->parts.jobs, job)) != NULL) {
		if (job->state != JOB_RUNNING || job->name == NULL ||
		    strcmp(job->name, name) != 0 || !job->is_program)
			continue;
		(void)snprintf(program->id, sizeof program->id, "%s", job->id);
		job_set_silent(program->parts.jobs, program->id, true, NULL);
		program->state = job->is_cancelled ? STATE_ENDING : STATE_STARTING;
		program->is_needed = program->parts.is_with_daemon;
		if (program->state == STATE_STARTING)
			loop_timer_arm(program->timer, program->parts.wait_ms);
		return;
	}
}

struct provide_program *provide_program_new(const struct provide_program_parts *parts)
{
	struct provide_program *program = xcalloc(1, sizeof *program);
	program->parts = *parts;
	program->listener.ended = on_ended;
	program->timer = loop_timer_new(parts->base, on_timer, program);
	job_listen(parts->jobs, &program->listener, "");
	take_up(program);
	if (program->state == STATE_OFF && parts->is_with_daemon)
		start_later(program);
	return program;
}

void provide_program_free(struct provide_program *program, bool ends)
{
	if (program == NULL)
		return;
	if (ends && program->state != STATE_OFF)
		(void)job_stop(program->parts.jobs, program->id, SIGTERM);
	list_remove(&program->listener.link);
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
	loop_timer_arm(program->timer, program->parts.wait_ms);
}

void provide_program_set_busy(struct provide_program *program, bool is_busy)
{
	if (program->state != STATE_READY)
		return;
	if (is_busy || program->parts.is_with_daemon)
		loop_timer_disarm(program->timer);
	else
		loop_timer_arm(program->timer, program->parts.idle_ms);
}

static const struct job *job_of(const struct provide_program *program)
{
	return program->state != STATE_OFF ? job_find(program->parts.jobs, program->id) : NULL;
}

void provide_program_restart(struct provide_program *program)
{
	if (!provide_program_runs(program))
		return;
	stop(program);
	program->is_needed = true;
}

void provide_program_note_work(struct provide_program *program)
{
	program->backoff_ms = 0;
}

void provide_program_set_idle(struct provide_program *program, int64_t idle_ms)
{
	program->parts.idle_ms = idle_ms;
}

bool provide_program_is_ready(const struct provide_program *program)
{
	return program->state == STATE_READY;
}

bool provide_program_runs(const struct provide_program *program)
{
	return program->state == STATE_STARTING || program->state == STATE_READY;
}

pid_t provide_program_pid(const struct provide_program *program)
{
	const struct job *job = job_of(program);
	return job != NULL ? job->pid : 0;
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
	return program->state == STATE_OFF && loop_timer_is_armed(program->timer)
	    ? "waiting"
	    : state_names[program->state];
}

const char *provide_program_reason(const struct provide_program *program)
{
	return program->reason;
}
