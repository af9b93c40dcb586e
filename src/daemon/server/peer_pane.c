/* SPDX-License-Identifier: ISC */
/*
 * Finds the pane of a process. The terminals and parents that the kernel reports count more
 * than the environment, which any program can set.
 */
#include "daemon/server/peer_pane.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "daemon/pane/presence.h"

#define GENERATIONS_MAX 64
#define ENVIRON_BYTES_MAX ((size_t)1024 * 1024)

/* Generations without a terminal, at most: a daemon shared by panes may stand between. */
#define DETACHED_MAX 1

/* Variables in which agents that share a process name the thread to what it runs. */
static const struct {
	const char *variable;
	const char *agent;
} threads[] = {
    {"CODEX_THREAD_ID", "codex"},
};

/* Fields of /proc/PID/stat. */
struct peer_process {
	pid_t parent;
	dev_t tty; /* 0: none */
};

/* Reads a file of /proc/PID whole, up to the buffer's maximum. Returns 0 or -1. */
static int read_proc(const char *proc, pid_t pid, const char *name, struct buf *out)
{
	char path[256];
	int len = snprintf(path, sizeof path, "%s/%ld/%s", proc, (long)pid, name);
	ssize_t n;
	int fd;
	if (len < 0 || (size_t)len >= sizeof path)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = 0;
	do {
		if (buf_reserve(out, 4096) < 0)
			break; /* the bytes so far are enough */
		n = read(fd, out->data + out->len, 4096);
		if (n > 0)
			out->len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	(void)close(fd); /* only read */
	if (n < 0 || out->data == NULL)
		return -1;
	out->data[out->len] = '\0';
	return 0;
}

/* The kernel's number of a terminal as others write it. */
static dev_t decode_tty(long number)
{
	unsigned major = ((unsigned)number & 0xfff00) >> 8;
	unsigned minor = ((unsigned)number & 0xff) | (((unsigned)number >> 12) & 0xfff00);
	return number ? makedev(major, minor) : 0;
}

/* "PID (NAME) S PPID PGRP SESSION TTY …": NAME may hold anything, so from the last ")". */
static int read_process(const char *proc, pid_t pid, struct peer_process *ret_process)
{
	struct buf text;
	long parent, tty;
	int r;
	const char *end;
	buf_init(&text, 8192);
	r = read_proc(proc, pid, "stat", &text);
	end = r == 0 ? strrchr((const char *)text.data, ')') : NULL;
	if (end == NULL || sscanf(end + 1, " %*c %ld %*d %*d %ld", &parent, &tty) != 2)
		r = -1;
	else
		*ret_process = (struct peer_process){(pid_t)parent, decode_tty(tty)};
	buf_finish(&text);
	return r;
}

/*
 * The pane with this terminal. The terminal of a pane that has ended may belong to another by
 * now, also before tmux says so: the first process of the pane must have it.
 */
static uint32_t pane_of_tty(const char *proc, const struct muxbus_model *model, dev_t tty)
{
	const struct muxbus_pane *pane = NULL;
	struct peer_process first;
	struct stat st;
	while ((pane = muxbus_model_next_pane(model, pane)) != NULL)
		if (!pane->is_dead && pane->tty && pane->tty[0] && stat(pane->tty, &st) == 0 &&
		    S_ISCHR(st.st_mode) && st.st_rdev == tty &&
		    read_process(proc, pane->pid, &first) == 0 && first.tty == tty)
			return pane->id;
	return MUXBUS_NO_ID;
}

static uint32_t pane_of_pid(const struct muxbus_model *model, pid_t pid)
{
	const struct muxbus_pane *pane = NULL;
	while ((pane = muxbus_model_next_pane(model, pane)) != NULL)
		if (!pane->is_dead && pane->pid == pid)
			return pane->id;
	return MUXBUS_NO_ID;
}

/* The value of a variable in a block of "NAME=VALUE\0", or NULL. */
static const char *variable(const struct buf *block, const char *name)
{
	size_t name_len = strlen(name);
	const char *end = (const char *)block->data + block->len;
	for (const char *at = (const char *)block->data; at < end; at += strlen(at) + 1)
		if (strncmp(at, name, name_len) == 0 && at[name_len] == '=')
			return at + name_len + 1;
	return NULL;
}

/* Whether "SOCKET,PID,SESSION" names the server at this socket, by any spelling of the path. */
static bool is_same_server(const char *tmux, const char *tmux_socket)
{
	char path[4096];
	size_t len = strcspn(tmux, ",");
	struct stat a;
	struct stat b;
	if (len == 0 || len >= sizeof path)
		return false;
	memcpy(path, tmux, len);
	path[len] = '\0';
	if (strcmp(path, tmux_socket) == 0)
		return true;
	return stat(path, &a) == 0 && stat(tmux_socket, &b) == 0 && a.st_dev == b.st_dev &&
	    a.st_ino == b.st_ino;
}

/* The pane of this server that a process's environment names, whether it is there or not. */
static uint32_t pane_of_environment(const char *proc, pid_t pid, const char *tmux_socket)
{
	struct buf block;
	uint32_t id;
	buf_init(&block, ENVIRON_BYTES_MAX);
	id = MUXBUS_NO_ID;
	if (read_proc(proc, pid, "environ", &block) == 0) {
		const char *tmux = variable(&block, "TMUX");
		const char *pane = variable(&block, "TMUX_PANE");
		if (tmux == NULL || pane == NULL || !is_same_server(tmux, tmux_socket) ||
		    !str_parse_id(pane, strlen(pane), '%', &id))
			id = MUXBUS_NO_ID;
	}
	buf_finish(&block);
	return id;
}

uint32_t peer_pane_claimed(pid_t pid, const char *tmux_socket)
{
	return pane_of_environment("/proc", pid, tmux_socket);
}

/* Whether a pane was made after all that the model has: tmux gives no number twice. */
static bool is_later(const struct muxbus_model *model, uint32_t id)
{
	const struct muxbus_pane *pane = NULL;
	while ((pane = muxbus_model_next_pane(model, pane)) != NULL) {
		if (pane->id >= id)
			return false;
	}
	return id != MUXBUS_NO_ID;
}

/* Walks from the process to its ancestors, and asks the kernel about each. */
static bool find_by_kernel(
    const char *proc, pid_t pid, const struct muxbus_model *model, struct peer_pane *ret_pane)
{
	unsigned detached = 0; /* generations without a terminal, up to the first that has one */
	bool has_tty = false;
	for (int generation = 0; generation < GENERATIONS_MAX && pid > 1; generation++) {
		struct peer_process process;
		if (read_process(proc, pid, &process) < 0)
			return false;
		has_tty |= process.tty != 0;
		detached += !has_tty;
		ret_pane->is_weak = detached > DETACHED_MAX;
		ret_pane->pane = process.tty ? pane_of_tty(proc, model, process.tty) : MUXBUS_NO_ID;
		ret_pane->evidence = generation == 0 ? PANE_TTY : PANE_ANCESTOR_TTY;
		if (ret_pane->pane != MUXBUS_NO_ID)
			return true;
		ret_pane->pane = pane_of_pid(model, pid);
		ret_pane->evidence = PANE_ANCESTOR_PID;
		if (ret_pane->pane != MUXBUS_NO_ID)
			return true;
		pid = process.parent;
	}
	return false;
}

static bool find_by_environment(const char *proc, pid_t pid, const struct muxbus_model *model,
    const char *tmux_socket, struct peer_pane *ret_pane)
{
	for (int generation = 0; generation < GENERATIONS_MAX && pid > 1; generation++) {
		struct peer_process process;
		ret_pane->pane = pane_of_environment(proc, pid, tmux_socket);
		ret_pane->evidence = PANE_ENVIRONMENT;
		ret_pane->is_weak = true;
		if (muxbus_model_pane(model, ret_pane->pane) != NULL)
			return true;
		ret_pane->is_early |= is_later(model, ret_pane->pane);
		if (read_process(proc, pid, &process) < 0)
			return false;
		pid = process.parent;
	}
	return false;
}

static void find_thread(const char *proc, pid_t pid, char out[PANE_REF_THREAD_SIZE])
{
	struct buf block;
	buf_init(&block, ENVIRON_BYTES_MAX);
	if (read_proc(proc, pid, "environ", &block) != 0)
		block.len = 0;
	for (size_t at = 0; at < sizeof threads / sizeof *threads && block.len > 0; at++) {
		const char *value = variable(&block, threads[at].variable);
		if (value != NULL && presence_check(threads[at].agent, value) == NULL)
			presence_thread(threads[at].agent, value, out);
	}
	buf_finish(&block);
}

void peer_pane_find_in(const char *proc, pid_t pid, const struct muxbus_model *model,
    const char *tmux_socket, struct peer_pane *ret_pane)
{
	*ret_pane = (struct peer_pane){0};
	if (!find_by_kernel(proc, pid, model, ret_pane) &&
	    !find_by_environment(proc, pid, model, tmux_socket, ret_pane)) {
		ret_pane->pane = MUXBUS_NO_ID;
		ret_pane->evidence = PANE_NONE;
		ret_pane->is_weak = false;
	}
	if (ret_pane->is_weak || ret_pane->pane == MUXBUS_NO_ID)
		find_thread(proc, pid, ret_pane->thread);
}

void peer_pane_find(pid_t pid, const struct muxbus_model *model, const char *tmux_socket,
    struct peer_pane *ret_pane)
{
	peer_pane_find_in("/proc", pid, model, tmux_socket, ret_pane);
}
