/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/pane_pipe.h"

#include <sys/socket.h>

#include "base/hand_over.h"
#include "base/process.h"
#include "daemon/core/config.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tmux/tmux_command.h"
#include "io/loop_timer.h"

#define PIECE_BYTES ((size_t)64 * 1024)
#define MESSAGES_PER_TURN 64
/* after this many failures in a row no pipe is started for AGAIN_MS */
#define FAILURES_MAX 3
#define AGAIN_MS (10 * 60 * 1000)

enum pipe_state {
	PIPE_STARTING, /* the pipe was not handed over yet */
	PIPE_FLOWING,
	PIPE_CLOSING, /* our end is shut down; tmux will close its own */
};

struct pane_pipe {
	struct pane_pipe_set *set;
	struct list starting; /* in the list of the set while PIPE_STARTING: the oldest first */
	uint32_t pane;
	enum pipe_state state;
	bool is_wanted; /* false: the output is dropped */
	uint64_t number;
	char nonce[HAND_OVER_NONCE_LEN + 1];
	int64_t due_ms; /* CLOCK_MONOTONIC: time limit of the hand-over */
	int fd; /* -1 while PIPE_STARTING */
	size_t held; /* number of bytes read since the pipe was last empty */
	struct event *event;
	void *data;
};

struct pane_pipe_set {
	struct event_base *base;
	const struct config *config;
	struct tmux *tmux;
	struct pane_pipe_handlers handlers;
	struct map map; /* from a pane to its struct pane_pipe */
	struct list starting;
	struct loop_timer *timer;
	uint64_t attempts;
	unsigned failures; /* number of failed hand-overs since the last good one */
	int64_t failed_ms;
	char program[PATH_MAX];
	char socket[PATH_MAX];
	int fd; /* the socket to which pipes are handed over; -1: not open */
	struct event *event;
	bool is_told; /* a warning was logged that the socket cannot be made */
	uint8_t piece[PIECE_BYTES];
};

struct pipe_asked {
	struct pane_pipe_set *pipes;
	uint32_t pane;
	uint64_t number;
};

static struct pane_pipe *find(const struct pane_pipe_set *pipes, uint32_t pane)
{
	return map_get(&pipes->map, pane);
}

static void close_fd(struct pane_pipe *pipe)
{
	if (pipe->event != NULL)
		event_free(pipe->event);
	pipe->event = NULL;
	if (pipe->fd >= 0)
		(void)close(pipe->fd);
	pipe->fd = -1;
}

static void free_pipe(struct pane_pipe_set *pipes, struct pane_pipe *pipe)
{
	close_fd(pipe);
	list_remove(&pipe->starting);
	map_remove(&pipes->map, pipe->pane);
	mem_free(pipe);
}

/* Frees a pipe that has ended. If it is wanted, calls ended(), which may start it again. */
static void end(struct pane_pipe_set *pipes, struct pane_pipe *pipe, enum pane_pipe_end how)
{
	void *data = pipe->is_wanted ? pipe->data : NULL;
	free_pipe(pipes, pipe);
	if (data != NULL)
		pipes->handlers.ended(data, how);
}

static void arm(struct pane_pipe_set *pipes)
{
	const struct pane_pipe *oldest;
	if (list_is_empty(&pipes->starting)) {
		loop_timer_disarm(pipes->timer);
		return;
	}
	oldest = list_entry(pipes->starting.next, struct pane_pipe, starting);
	loop_timer_arm(pipes->timer, oldest->due_ms - clock_mono_ms());
}

/* Called with tmux's reply. If tmux has not piped the pane, the pipe ends. */
static void on_asked(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct pipe_asked *asked = data;
	struct pane_pipe_set *pipes = asked->pipes;
	struct pane_pipe *pipe = find(pipes, asked->pane);
	uint64_t number = asked->number;
	unsigned pane, is_piped, is_dead;
	mem_free(asked);
	if (pipe == NULL || pipe->number != number || pipe->state != PIPE_STARTING)
		return;
	if (error < 0 || count == 0 ||
	    sscanf((const char *)replies[0].body, "%%%u %u %u", &pane, &is_piped, &is_dead) != 3 ||
	    pane != pipe->pane || is_dead)
		end(pipes, pipe, PANE_PIPE_FAILED);
	else if (is_piped)
		end(pipes, pipe, PANE_PIPE_TAKEN);
}

static int ask(struct pane_pipe_set *pipes, struct pane_pipe *pipe)
{
	struct muxbus_command *command;
	struct pipe_asked *asked;
	pipe->number = ++pipes->attempts;
	if (hand_over_nonce(pipe->nonce) < 0)
		return -1;
	command = pipe_command_new(pipe->pane, pipes->program, pipes->socket, pipe->nonce);
	if (command == NULL)
		return -1;
	asked = xalloc(sizeof *asked);
	*asked = (struct pipe_asked){pipes, pipe->pane, pipe->number};
	if (muxbus_sync_run(tmux_sync(pipes->tmux), command, false, on_asked, asked) < 0) {
		mem_free(asked);
		return -1;
	}
	pipe->state = PIPE_STARTING;
	pipe->due_ms = clock_mono_ms() + PANE_PIPE_WAIT_MS;
	list_append(&pipes->starting, &pipe->starting);
	if (!loop_timer_is_armed(pipes->timer))
		arm(pipes);
	return 0;
}

static void fail(struct pane_pipe_set *pipes, struct pane_pipe *pipe)
{
	pipes->failures++;
	pipes->failed_ms = clock_mono_ms();
	if (pipes->failures == FAILURES_MAX)
		log_warning("pipes are not tried for ten minutes");
	end(pipes, pipe, PANE_PIPE_FAILED);
}

static void on_due(void *data)
{
	struct pane_pipe_set *pipes = data;
	int64_t now_ms = clock_mono_ms();
	while (!list_is_empty(&pipes->starting)) {
		struct pane_pipe *pipe =
		    list_entry(pipes->starting.next, struct pane_pipe, starting);
		if (pipe->due_ms > now_ms)
			break;
		log_warning("%%%u: its pipe was not handed over in time", pipe->pane);
		fail(pipes, pipe);
	}
	arm(pipes);
}

static bool is_cut(const struct pane_pipe *pipe)
{
	return pipe->held >= PANE_PIPE_FULL_BYTES;
}

static void take_end(struct pane_pipe_set *pipes, struct pane_pipe *pipe)
{
	if (pipe->state == PIPE_FLOWING) {
		end(pipes, pipe, is_cut(pipe) ? PANE_PIPE_CUT : PANE_PIPE_CLOSED);
		return;
	}
	close_fd(pipe);
	if (!pipe->is_wanted)
		free_pipe(pipes, pipe);
	else if (ask(pipes, pipe) < 0)
		end(pipes, pipe, PANE_PIPE_FAILED);
}

static bool read_some(struct pane_pipe_set *pipes, struct pane_pipe *pipe, size_t max)
{
	uint32_t pane = pipe->pane;
	for (size_t done = 0; done < max && find(pipes, pane) == pipe;) {
		ssize_t len = recv(pipe->fd, pipes->piece, sizeof pipes->piece, MSG_DONTWAIT);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0 && errno == EAGAIN) {
			pipe->held = 0;
			return true;
		}
		if (len <= 0)
			return false;
		done += (size_t)len;
		pipe->held += (size_t)len;
		if (pipe->state == PIPE_FLOWING)
			pipes->handlers.output(pipe->data, pipes->piece, (size_t)len);
		/*
		 * A short read has emptied the pipe. After many bytes, read again for the end of
		 * the pipe.
		 */
		if ((size_t)len < sizeof pipes->piece && find(pipes, pane) == pipe &&
		    !is_cut(pipe)) {
			pipe->held = 0;
			return true;
		}
	}
	return true;
}

static void on_readable(evutil_socket_t fd UNUSED, short events UNUSED, void *data)
{
	struct pane_pipe *pipe = data;
	if (!read_some(pipe->set, pipe, PANE_PIPE_TURN_BYTES))
		take_end(pipe->set, pipe);
}

/* Shuts our end down, so that tmux closes its own. Until then the pane cannot get another pipe. */
static void close_pipe(struct pane_pipe *pipe)
{
	pipe->state = PIPE_CLOSING;
	/* This fails if tmux has closed its end, which the next read shows. */
	(void)shutdown(pipe->fd, SHUT_WR);
}

static void take_fd(struct pane_pipe_set *pipes, struct pane_pipe *pipe, int fd)
{
	list_remove(&pipe->starting);
	memset(pipe->nonce, 0, sizeof pipe->nonce);
	pipes->failures = 0;
	pipe->fd = fd;
	pipe->event = event_new(pipes->base, fd, EV_READ | EV_PERSIST, on_readable, pipe);
	if (pipe->event == NULL || event_add(pipe->event, NULL) < 0) {
		end(pipes, pipe, PANE_PIPE_FAILED);
		return;
	}
	pipe->state = PIPE_FLOWING;
	if (pipe->is_wanted)
		pipes->handlers.begun(pipe->data);
	else
		close_pipe(pipe);
}

static void take_message(struct pane_pipe_set *pipes, const char *nonce, int fd)
{
	struct pane_pipe *pipe = NULL;
	pid_t server = tmux_server_pid(pipes->tmux);
	list_each (struct pane_pipe, starting, &pipes->starting, starting)
		if (memcmp(starting->nonce, nonce, HAND_OVER_NONCE_LEN) == 0)
			pipe = starting;
	if (pipe != NULL && server > 0 && hand_over_maker(fd) == server) {
		take_fd(pipes, pipe, fd);
		return;
	}
	(void)close(fd);
	log_warning("a descriptor was handed over %s: it is not taken",
	    pipe == NULL ? "that was not asked for" : "that is not from tmux");
	if (pipe != NULL)
		fail(pipes, pipe);
}

static void take_messages(struct pane_pipe_set *pipes)
{
	for (unsigned i = 0; pipes->fd >= 0 && i < MESSAGES_PER_TURN; i++) {
		char nonce[HAND_OVER_NONCE_LEN + 1];
		int fd;
		switch (hand_over_receive(pipes->fd, nonce, &fd)) {
		case HAND_OVER_NONE:
			return;
		case HAND_OVER_REFUSED:
			log_warning("a message that hands no descriptor over is refused");
			break;
		case HAND_OVER_TAKEN:
			take_message(pipes, nonce, fd);
			break;
		}
	}
	arm(pipes);
}

static void on_message(evutil_socket_t fd UNUSED, short events UNUSED, void *data)
{
	take_messages(data);
}

static void close_socket(struct pane_pipe_set *pipes)
{
	if (pipes->event != NULL)
		event_free(pipes->event);
	pipes->event = NULL;
	if (pipes->fd >= 0) {
		(void)close(pipes->fd);
		(void)unlink(pipes->socket);
	}
	pipes->fd = -1;
}

/* Opens the socket before the first pane is piped, and again if its file was removed. */
static bool open_socket(struct pane_pipe_set *pipes)
{
	int len = snprintf(pipes->socket, sizeof pipes->socket, "%s.pipe", pipes->config->socket);
	int fd;
	if (pipes->fd >= 0 && access(pipes->socket, F_OK) == 0)
		return true;
	close_socket(pipes);
	fd = len < (int)sizeof pipes->socket ? hand_over_open(pipes->socket) : -ENAMETOOLONG;
	if (fd >= 0) {
		pipes->fd = fd;
		pipes->event = event_new(pipes->base, fd, EV_READ | EV_PERSIST, on_message, pipes);
	}
	if (pipes->event != NULL && event_add(pipes->event, NULL) == 0) {
		pipes->is_told = false;
		return true;
	}
	if (!pipes->is_told)
		log_warning("%s: %s; panes are not followed by pipes until it can be made",
		    pipes->socket, strerror(fd < 0 ? -fd : ENOMEM));
	pipes->is_told = true;
	close_socket(pipes);
	return false;
}

bool pane_pipe_may_start(const struct pane_pipe_set *pipes)
{
	struct rlimit limit;
	if (pipes->failures >= FAILURES_MAX && clock_mono_ms() - pipes->failed_ms < AGAIN_MS)
		return false;
	/* A tmux server outside of this PID namespace has pid 0 here. */
	return tmux_server_pid(pipes->tmux) > 0 && access(pipes->program, X_OK) == 0 &&
	    pipes->map.count < PANE_PIPES_MAX && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	    pipes->map.count < limit.rlim_cur / 4;
}

int pane_pipe_start(struct pane_pipe_set *pipes, uint32_t pane, void *data)
{
	struct pane_pipe *pipe = find(pipes, pane);
	if (pipe != NULL) {
		/* The pipe was stopped. A closing pipe is started again at its end. */
		pipe->is_wanted = true;
		pipe->data = data;
		return 0;
	}
	if (!pane_pipe_may_start(pipes) || !open_socket(pipes))
		return -1;
	pipe = xcalloc(1, sizeof *pipe);
	pipe->set = pipes;
	pipe->pane = pane;
	pipe->is_wanted = true;
	pipe->fd = -1;
	pipe->data = data;
	list_init(&pipe->starting);
	xmap_set(&pipes->map, pane, pipe);
	if (ask(pipes, pipe) == 0)
		return 0;
	free_pipe(pipes, pipe);
	return -1;
}

void pane_pipe_stop(struct pane_pipe_set *pipes, uint32_t pane)
{
	struct pane_pipe *pipe = find(pipes, pane);
	if (pipe == NULL)
		return;
	pipe->is_wanted = false;
	pipe->data = NULL;
	if (pipe->state == PIPE_FLOWING)
		close_pipe(pipe);
}

void pane_pipe_drain(struct pane_pipe_set *pipes, uint32_t pane, size_t max)
{
	struct pane_pipe *pipe = find(pipes, pane);
	if (pipe == NULL)
		return;
	take_messages(pipes);
	pipe = find(pipes, pane);
	/* on_readable() will take the end of the pipe. */
	if (pipe != NULL && pipe->state == PIPE_FLOWING)
		(void)read_some(pipes, pipe, max);
}

bool pane_pipe_finish(struct pane_pipe_set *pipes, uint32_t pane)
{
	struct pane_pipe *pipe;
	bool was_cut;
	pane_pipe_drain(pipes, pane, PANE_PIPE_REST_BYTES);
	pipe = find(pipes, pane);
	if (pipe == NULL)
		return false;
	was_cut = is_cut(pipe);
	free_pipe(pipes, pipe);
	return was_cut;
}

uint32_t pane_pipe_count(const struct pane_pipe_set *pipes)
{
	uint32_t count = 0;
	map_each (const struct pane_pipe, pipe, &pipes->map)
		count += pipe->state == PIPE_FLOWING;
	return count;
}

struct pane_pipe_set *pane_pipe_set_new(struct event_base *base, const struct config *config,
    struct tmux *tmux, const struct pane_pipe_handlers *handlers)
{
	struct pane_pipe_set *pipes = xalloc(sizeof *pipes);
	memset(pipes, 0, offsetof(struct pane_pipe_set, piece));
	pipes->base = base;
	pipes->config = config;
	pipes->tmux = tmux;
	pipes->handlers = *handlers;
	map_init(&pipes->map);
	list_init(&pipes->starting);
	pipes->timer = loop_timer_new(base, on_due, pipes);
	pipes->fd = -1;
	sibling_find("muxbus-job", pipes->program, sizeof pipes->program);
	return pipes;
}

void pane_pipe_set_free(struct pane_pipe_set *pipes)
{
	if (pipes == NULL)
		return;
	map_each (struct pane_pipe, pipe, &pipes->map)
		free_pipe(pipes, pipe);
	map_finish(&pipes->map);
	loop_timer_free(pipes->timer);
	close_socket(pipes);
	mem_free(pipes);
}

/* Writes a word for sh. sh itself makes '#' and '%' (by printf), so tmux does not expand them. */
static void write_word(struct buf *out, const char *word)
{
	buf_append_byte(out, '\'');
	for (; *word != '\0'; word++)
		if (*word == '#')
			buf_append(out, "'\"$(printf '\\043')\"'", 20);
		else if (*word == '%')
			buf_append(out, "'\"$(printf '\\045')\"'", 20);
		else if (*word == '\'')
			buf_append(out, "'\\''", 4);
		else
			buf_append_byte(out, (uint8_t)*word);
	buf_append_byte(out, '\'');
}

int pipe_command_write_sh(
    struct buf *out, const char *program, const char *socket, const char *nonce)
{
	/* Quoting makes at most 20 bytes of each byte. */
	if (20 * (strlen(program) + strlen(socket) + strlen(nonce)) > PIPE_COMMAND_MAX)
		return -1;
	buf_append(out, "exec ", 5);
	write_word(out, program);
	buf_append(out, " --hand-over ", 13);
	write_word(out, socket);
	buf_append_byte(out, ' ');
	write_word(out, nonce);
	return 0;
}

static char *write_pipe(uint32_t pane, const struct buf *sh)
{
	size_t size = MUXBUS_QUOTED_MAX(sh->len) + 64;
	char *text = xalloc(size);
	/* With -I tmux sees at once that the pipe was closed. The daemon writes nothing to it. */
	int len = snprintf(text, size, "pipe-pane -IO -t %%%u ", pane);
	ssize_t quoted = muxbus_quote(text + len, sh->data, sh->len);
	if (quoted < 0) {
		mem_free(text);
		return NULL;
	}
	text[len + quoted] = '\0';
	return text;
}

struct muxbus_command *pipe_command_new(
    uint32_t pane, const char *program, const char *socket, const char *nonce)
{
	struct muxbus_command *command;
	struct buf sh = BUF(2 * PIPE_COMMAND_MAX);
	char *text = NULL;
	if (pipe_command_write_sh(&sh, program, socket, nonce) == 0)
		text = write_pipe(pane, &sh);
	buf_finish(&sh);
	if (text == NULL)
		return NULL;
	command = tmux_command("display-message", "-p", "-t", TMUX_ID('%', pane),
	    "#{pane_id} #{pane_pipe} #{pane_dead}", NULL);
	muxbus_command_next(command);
	muxbus_command_args(command, "if-shell", "-F", "-t", TMUX_ID('%', pane),
	    "#{&&:#{==:#{pane_pipe}#{pane_dead},00}," MUXBUS_FORMAT_WHOLE "}", text, NULL);
	mem_free(text);
	return command;
}
