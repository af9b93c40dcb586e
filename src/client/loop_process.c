/* SPDX-License-Identifier: ISC */
#include "client/loop_process.h"

#include <sys/wait.h>

#include "base/process.h"
#include "io/loop_pidfd.h"
#include "io/loop_timer.h"
#include "wire/line.h"

enum {
	CHUNK = 64 * 1024, /* bytes per read(): the default capacity of a pipe */
	DRAIN_MAX = 64, /* maximum number of chunks read from a pipe after the process has ended */
	SPARE = 64 * 1024, /* extra room in the queue for lines other than calls */
	ERR_PAUSE_MS = 50, /* pause after a full chunk of standard error, to slow down a flood */
	KILL_MS = 10000, /* time from loop_process_stop() until the supervisor itself is killed */
	WORDS_MAX = 256, /* maximum number of words of a command */
};

enum end { STDIN_END, STDOUT_END, STDERR_END, LIFE_END, END_COUNT };

struct loop_process {
	const struct loop_process_handlers *handlers;
	void *data;
	pid_t pid; /* of the supervisor, leader of a process group; 0: not started, or reaped */
	struct loop_pidfd *watch;
	int fds[END_COUNT]; /* our ends of the pipes; -1: closed */
	struct event *readable[END_COUNT], *writable;
	struct loop_timer *pause; /* fires when standard error is read again */
	struct loop_timer *timer; /* kills the supervisor, or reports a failed start */
	struct line_input input;
	struct buf queue;
	char said[LOOP_PROCESS_SAID_MAX]; /* the last bytes of standard error */
	size_t said_len;
};

static void close_end(struct loop_process *process, enum end end)
{
	struct event **event = end == STDIN_END ? &process->writable : &process->readable[end];
	if (*event != NULL)
		event_free(*event);
	if (process->fds[end] >= 0)
		close(process->fds[end]);
	*event = NULL;
	process->fds[end] = -1;
}

static void keep_said(struct loop_process *process, const char *bytes, size_t len)
{
	size_t over;
	if (len > LOOP_PROCESS_SAID_MAX) {
		bytes += len - LOOP_PROCESS_SAID_MAX;
		len = LOOP_PROCESS_SAID_MAX;
	}
	over = process->said_len + len > LOOP_PROCESS_SAID_MAX
	    ? process->said_len + len - LOOP_PROCESS_SAID_MAX
	    : 0;
	memmove(process->said, process->said + over, process->said_len - over);
	memcpy(process->said + process->said_len - over, bytes, len);
	process->said_len += len - over;
}

static void hand_out_lines(struct loop_process *process)
{
	enum line_result result;
	const char *line;
	size_t len;
	while (process->fds[STDOUT_END] >= 0 &&
	    (result = line_input_next(&process->input, &line, &len)) != LINE_NONE)
		if (result == LINE_FOUND)
			process->handlers->line(process->data, line, len);
		else
			process->handlers->too_long(process->data);
}

/* Reads a chunk. Returns the result of read(), but 0 for errors other than EAGAIN and EINTR. */
static ssize_t read_chunk(struct loop_process *process, enum end end)
{
	static char bytes[CHUNK];
	ssize_t len = read(process->fds[end], bytes, sizeof bytes);
	if (len > 0 && end == STDERR_END)
		keep_said(process, bytes, (size_t)len);
	if (len > 0 && end == STDOUT_END)
		line_input_add(&process->input, bytes, (size_t)len);
	return len < 0 && errno != EAGAIN && errno != EINTR ? 0 : len;
}

static void on_output(evutil_socket_t fd UNUSED, short what UNUSED, void *data)
{
	struct loop_process *process = data;
	ssize_t len = read_chunk(process, STDOUT_END);
	if (len > 0)
		hand_out_lines(process);
	if (len != 0)
		return;
	close_end(process, STDOUT_END);
	process->handlers->closed(process->data);
}

static void on_error_output(evutil_socket_t fd UNUSED, short what UNUSED, void *data)
{
	struct loop_process *process = data;
	ssize_t len = read_chunk(process, STDERR_END);
	if (len == 0)
		close_end(process, STDERR_END);
	if (len < CHUNK)
		return;
	(void)event_del(process->readable[STDERR_END]);
	loop_timer_arm(process->pause, ERR_PAUSE_MS);
}

static void on_pause_over(void *data)
{
	struct loop_process *process = data;
	if (process->readable[STDERR_END] != NULL &&
	    event_add(process->readable[STDERR_END], NULL) < 0)
		close_end(process, STDERR_END);
}

/* Writes queued bytes until the pipe is full. After an error the pipe is closed. */
static void flush_queue(struct loop_process *process)
{
	while (process->fds[STDIN_END] >= 0 && process->queue.len > 0) {
		ssize_t put =
		    write(process->fds[STDIN_END], process->queue.data, process->queue.len);
		if (put >= 0) {
			buf_consume(&process->queue, (size_t)put);
		} else if (errno == EAGAIN) {
			if (event_add(process->writable, NULL) == 0)
				return;
			close_end(process, STDIN_END);
		} else if (errno != EINTR) {
			close_end(process, STDIN_END);
		}
	}
	if (process->queue.len == 0)
		buf_shrink(&process->queue, CHUNK);
}

static void on_writable(evutil_socket_t fd UNUSED, short what UNUSED, void *data)
{
	flush_queue(data);
}

bool loop_process_has_room(const struct loop_process *process, size_t len)
{
	return process->queue.len + len + SPARE <= process->queue.max;
}

bool loop_process_write(struct loop_process *process, const void *line, size_t len)
{
	bool was_empty = process->queue.len == 0;
	if (process->fds[STDIN_END] < 0 || buf_append(&process->queue, line, len) != 0)
		return false;
	if (was_empty)
		flush_queue(process);
	return true;
}

bool loop_process_is_open(const struct loop_process *process)
{
	return process->fds[STDIN_END] >= 0;
}

static void describe_end(int status, char *out, size_t size)
{
	if (WIFSIGNALED(status))
		(void)snprintf(
		    out, size, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		(void)snprintf(out, size, "exit status %d", WEXITSTATUS(status));
}

static void on_ended(void *data)
{
	struct loop_process *process = data;
	char how[80];
	int status;
	(void)kill(-process->pid, SIGKILL); /* kills orphans; the zombie keeps the group's id */
	status = child_reap(process->pid);
	process->pid = 0;
	for (enum end end = STDOUT_END; end <= STDERR_END; end++) {
		for (int chunk = 0; chunk < DRAIN_MAX && process->fds[end] >= 0; chunk++)
			if (read_chunk(process, end) <= 0)
				break;
	}
	hand_out_lines(process);
	describe_end(status, how, sizeof how);
	process->handlers->ended(process->data, how);
}

/* Kills a supervisor that does not end; reports one that was not started. */
static void on_timer(void *data)
{
	struct loop_process *process = data;
	if (process->pid != 0)
		(void)kill(-process->pid, SIGKILL);
	else
		process->handlers->ended(process->data, "not started");
}

void loop_process_stop(struct loop_process *process)
{
	close_end(process, LIFE_END);
	close_end(process, STDIN_END);
	close_end(process, STDOUT_END);
	if (process->pid != 0)
		loop_timer_arm(process->timer, KILL_MS);
}

static int start_supervisor(struct loop_process *process, struct event_base *base,
    const char *supervisor, const struct loop_program *program)
{
	const char *argv[WORDS_MAX + 5] = {"muxbus-job", "--server", "3", program->cwd};
	const struct child_options options = {
	    .path = supervisor,
	    .argv = (char *const *)argv,
	    .env = (char *const *)program->env,
	    .streams = {{CHILD_PIPE_IN, 0}, {CHILD_PIPE_OUT, 0}, {CHILD_PIPE_OUT, 0},
		{CHILD_PIPE_IN, 0}},
	    .group = CHILD_NEW_SESSION,
	    .files = program->files,
	    .wants_pidfd = true,
	};
	struct child child;
	int error;
	for (size_t at = 0; program->argv[at] != NULL; at++) {
		if (at == WORDS_MAX)
			return E2BIG;
		argv[at + 4] = program->argv[at];
	}
	error = child_start(&options, &child);
	if (error != 0)
		return error;
	process->pid = child.pid;
	process->watch = loop_pidfd_new(base, child.pidfd, on_ended, process);
	memcpy(process->fds, child.ends, sizeof process->fds);
	for (int end = STDIN_END; end < END_COUNT; end++)
		(void)evutil_make_socket_nonblocking(process->fds[end]);
	return 0;
}

static int watch(struct loop_process *process, struct event_base *base)
{
	struct event *events[2];
	if (process->watch == NULL)
		return EMFILE;
	process->readable[STDOUT_END] =
	    event_new(base, process->fds[STDOUT_END], EV_READ | EV_PERSIST, on_output, process);
	process->readable[STDERR_END] = event_new(
	    base, process->fds[STDERR_END], EV_READ | EV_PERSIST, on_error_output, process);
	process->writable =
	    event_new(base, process->fds[STDIN_END], EV_WRITE, on_writable, process);
	events[0] = process->readable[STDOUT_END];
	events[1] = process->readable[STDERR_END];
	for (size_t at = 0; at < 2; at++)
		if (events[at] == NULL || event_add(events[at], NULL) < 0)
			return ENOMEM;
	return process->writable == NULL ? ENOMEM : 0;
}

struct loop_process *loop_process_new(struct event_base *base, const char *supervisor,
    const struct loop_program *program, const struct loop_process_handlers *handlers, void *data)
{
	struct loop_process *process = xcalloc(1, sizeof *process);
	char reason[128];
	int error;
	*process =
	    (struct loop_process){.handlers = handlers, .data = data, .fds = {-1, -1, -1, -1}};
	line_input_init(&process->input, LOOP_PROCESS_LINE_MAX);
	buf_init(&process->queue,
	    (program->queue_max != 0 ? program->queue_max : LOOP_PROCESS_QUEUE_MAX) + SPARE);
	process->pause = loop_timer_new(base, on_pause_over, process);
	process->timer = loop_timer_new(base, on_timer, process);
	error = start_supervisor(process, base, supervisor, program);
	if (error == 0 && (error = watch(process, base)) != 0) {
		(void)kill(-process->pid, SIGKILL);
		(void)child_reap(process->pid);
		process->pid = 0;
		loop_pidfd_free(process->watch);
		process->watch = NULL;
	}
	if (error != 0) {
		(void)snprintf(reason, sizeof reason, "muxbus-job: %s", strerror(error));
		keep_said(process, reason, strlen(reason));
		loop_timer_arm(process->timer, 0);
	}
	return process;
}

void loop_process_free(struct loop_process *process)
{
	if (process == NULL)
		return;
	for (enum end end = STDIN_END; end < END_COUNT; end++)
		close_end(process, end);
	loop_pidfd_free(process->watch);
	loop_timer_free(process->pause);
	loop_timer_free(process->timer);
	line_input_finish(&process->input);
	buf_finish(&process->queue);
	mem_free(process);
}

void loop_process_remark(const struct loop_process *process, char out[LOOP_PROCESS_REMARK_SIZE])
{
	str_remark(process->said, process->said_len, out);
}

const char *loop_process_said(const struct loop_process *process, size_t *ret_len)
{
	*ret_len = process->said_len;
	return process->said;
}
