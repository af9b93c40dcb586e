/* SPDX-License-Identifier: ISC */
#include "daemon/deliver/program.h"

#include <sys/mman.h>

#include "base/process.h"
#include "daemon/core/rlimit.h"
#include "io/loop_pidfd.h"
#include "io/loop_timer.h"

struct program {
	program_fn *done;
	void *data;
	struct loop_pidfd *watch;
	struct loop_timer *timer;
	pid_t pid; /* 0: reaped */
	int output; /* a memory file; negative: none */
	size_t output_max;
	int64_t grace_ms;
	bool is_late;
};

/* Returns a memory file of fixed size for the output, or -1: then the output is lost. */
static int open_output(size_t max)
{
	int fd = memfd_create("muxbus-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 &&
	    (ftruncate(fd, (off_t)max) < 0 ||
		fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) < 0)) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

/*
 * Waits for the program's end. is_kill: kills its group first. Returns a status of waitpid(2); -1:
 * it was reaped before, or the wait failed.
 */
static int reap(struct program *program, bool is_kill)
{
	int status;
	if (program->pid == 0)
		return -1;
	if (is_kill)
		(void)kill(-program->pid, SIGKILL);
	status = child_reap(program->pid);
	program->pid = 0;
	return status;
}

static void end(struct program *program, bool is_kill)
{
	struct program_end how = {.status = reap(program, is_kill), .is_late = program->is_late};
	loop_timer_disarm(program->timer);
	loop_pidfd_free(program->watch);
	program->watch = NULL;
	program->done(program->data, &how);
}

static void on_ended(void *data)
{
	end(data, false);
}

static void on_timer(void *data)
{
	struct program *program = data;
	if (program->is_late || program->grace_ms == 0) {
		program->is_late = true;
		end(program, true);
		return;
	}
	program->is_late = true;
	(void)kill(-program->pid, SIGTERM);
	loop_timer_arm(program->timer, program->grace_ms);
}

struct program *program_start(
    struct event_base *base, const struct program_order *order, program_fn *done, void *data)
{
	struct program *program = xcalloc(1, sizeof *program);
	struct child_options options = {
	    .path = order->path,
	    .argv = order->argv,
	    .env = order->env,
	    .streams = {{CHILD_FD, order->input}},
	    .group = CHILD_NEW_GROUP,
	    .files = rlimit_given_files(),
	    .wants_pidfd = true,
	};
	struct child child;
	int error;
	program->done = done;
	program->data = data;
	program->output_max = order->output_max;
	program->grace_ms = order->grace_ms;
	program->output = open_output(order->output_max);
	program->timer = loop_timer_new(base, on_timer, program);
	options.streams[1] = options.streams[2] = (struct child_stream){CHILD_FD, program->output};
	error = child_start(&options, &child);
	program->pid = child.pid;
	if (error != 0) {
		program_free(program);
		errno = error;
		return NULL;
	}
	program->watch = loop_pidfd_new(base, child.pidfd, on_ended, program);
	if (program->watch == NULL) {
		program_free(program); /* without a pidfd the end would not be noticed */
		errno = EMFILE;
		return NULL;
	}
	loop_timer_arm(program->timer, order->time_ms);
	return program;
}

char *program_output(const struct program *program)
{
	char *text = xcalloc(1, program->output_max + 1);
	ssize_t len =
	    program->output >= 0 ? pread(program->output, text, program->output_max, 0) : 0;
	text[len > 0 ? len : 0] = '\0'; /* bytes behind the output are NUL */
	return text;
}

void program_free(struct program *program)
{
	if (program == NULL)
		return;
	(void)reap(program, true);
	loop_pidfd_free(program->watch);
	if (program->output >= 0)
		(void)close(program->output);
	loop_timer_free(program->timer);
	mem_free(program);
}
