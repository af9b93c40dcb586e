/* SPDX-License-Identifier: ISC */
/*
 * Finds the pane of a process. Data of the kernel count more than the environment, which any
 * program can set.
 */
#include "daemon/server/peer_pane.h"

#include <sys/sysmacros.h>

#include "base/process.h"
#include "daemon/pane/presence.h"

#define ENVIRON_BYTES_MAX ((size_t)1024 * 1024)

/*
 * If more processes than this, from the peer's own upwards, have no terminal, the evidence is weak:
 * one of them may be a daemon that several panes share.
 */
#define DETACHED_MAX 1

/* Converts the number of a terminal in /proc/PID/stat to a dev_t; 0: no terminal. */
static dev_t decode_tty(long number)
{
	unsigned major = ((unsigned)number & 0xfff00) >> 8;
	unsigned minor = ((unsigned)number & 0xff) | (((unsigned)number >> 12) & 0xfff00);
	return number ? makedev(major, minor) : 0;
}

/*
 * Reads /proc/PID/stat: "PID (NAME) S PPID …". NAME may have any characters, so the fields are read
 * after the last ")".
 */
static int read_process(
    pid_t pid, struct peer_process *ret_process, pid_t *ret_parent, char ret_program[16])
{
	char text[1024];
	unsigned long long start = 0;
	long parent, session, tty;
	const char *name, *end;
	(void)process_read(pid, "stat", text, sizeof text);
	name = strchr(text, '(');
	end = strrchr(text, ')');
	if (name == NULL || end == NULL ||
	    sscanf(end + 1,
		" %*c %ld %*d %ld %ld %*d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
		&parent, &session, &tty, &start) < 3)
		return -1;
	*ret_parent = (pid_t)parent;
	if (ret_program != NULL)
		(void)snprintf(ret_program, 16, "%.*s", (int)(end - name - 1), name + 1);
	*ret_process = (struct peer_process){
	    .pid = pid, .session = (pid_t)session, .tty = decode_tty(tty), .start = start};
	return 0;
}

void peer_origin_read(pid_t pid, struct peer_origin *ret_origin)
{
	size_t count = 0;
	ret_origin->program[0] = '\0';
	while (pid > 1 && count < PEER_ANCESTORS_MAX &&
	    read_process(pid, &ret_origin->processes[count], &pid,
		count == 0 ? ret_origin->program : NULL) == 0)
		count++;
	ret_origin->count = count;
	ret_origin->is_whole = count > 0 && pid == 1;
}

bool peer_process_is_there(const struct peer_process *process)
{
	struct peer_process now;
	pid_t parent;
	return read_process(process->pid, &now, &parent, NULL) == 0 && now.start == process->start;
}

/*
 * Returns the pane that has the terminal of the process. The first process of the pane must have
 * this terminal, too, and not be younger: the terminal of a closed pane may be given to a new one.
 * Both processes must be of one kernel session, as a terminal in a container may have the same
 * number.
 */
static uint32_t pane_of_tty(const struct muxbus_model *model, const struct peer_process *process)
{
	struct peer_process first;
	struct stat st;
	pid_t parent;
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, model)
		if (!pane->is_dead && pane->tty && pane->tty[0] && stat(pane->tty, &st) == 0 &&
		    S_ISCHR(st.st_mode) && st.st_rdev == process->tty &&
		    read_process(pane->pid, &first, &parent, NULL) == 0 &&
		    first.tty == process->tty && first.session == process->session &&
		    first.start <= process->start)
			return pane->id;
	return MUXBUS_NO_ID;
}

static uint32_t pane_of_process(
    const struct muxbus_model *model, const struct peer_process *process)
{
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, model)
		if (!pane->is_dead && pane->pid == process->pid && peer_process_is_there(process))
			return pane->id;
	return MUXBUS_NO_ID;
}

static const char *variable(const struct buf *block, const char *name)
{
	const char *text = process_variable(block, name);
	return text != NULL ? text + strlen(name) + 1 : NULL;
}

/*
 * Returns true if the variable TMUX ("SOCKET,PID,SESSION") names our tmux server. The path of the
 * socket may be another one for the same file.
 */
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

/* Returns true if the variable TMUX names an ended tmux server, whose pane ids are used again. */
static bool is_ended_server(const char *tmux, pid_t server)
{
	const char *comma = strchr(tmux, ',');
	long pid = comma != NULL ? atol(comma + 1) : 0;
	return server > 0 && pid > 0 && pid != server && process_has_ended((pid_t)pid);
}

/* Returns the pane that the environment of a process names. The pane may not exist. */
static uint32_t pane_of_environment(pid_t pid, const char *tmux_socket, pid_t server)
{
	struct buf block = BUF(ENVIRON_BYTES_MAX);
	uint32_t id = MUXBUS_NO_ID;
	const char *tmux, *pane;
	process_read_environ(pid, &block);
	tmux = variable(&block, "TMUX");
	pane = variable(&block, "TMUX_PANE");
	if (tmux == NULL || pane == NULL || !is_same_server(tmux, tmux_socket) ||
	    is_ended_server(tmux, server) || !str_parse_id(pane, strlen(pane), '%', &id))
		id = MUXBUS_NO_ID;
	buf_finish(&block);
	return id;
}

uint32_t peer_pane_claimed(pid_t pid, const char *tmux_socket)
{
	return pane_of_environment(pid, tmux_socket, 0);
}

/* Returns true if a pane id is above all pane ids in the model: tmux counts pane ids upwards. */
static bool is_later(const struct muxbus_model *model, uint32_t id)
{
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, model)
		if (pane->id >= id)
			return false;
	return id != MUXBUS_NO_ID;
}

static bool find_by_kernel(
    const struct peer_origin *origin, const struct muxbus_model *model, struct peer_pane *ret_pane)
{
	unsigned detached = 0; /* number of processes before the first one with a terminal */
	bool has_tty = false;
	for (size_t at = 0; at < origin->count; at++) {
		const struct peer_process *process = &origin->processes[at];
		has_tty |= process->tty != 0;
		detached += !has_tty;
		ret_pane->is_weak = detached > DETACHED_MAX;
		ret_pane->pane = process->tty ? pane_of_tty(model, process) : MUXBUS_NO_ID;
		ret_pane->evidence = at == 0 ? PANE_TTY : PANE_ANCESTOR_TTY;
		if (ret_pane->pane != MUXBUS_NO_ID)
			return true;
		ret_pane->pane = pane_of_process(model, process);
		ret_pane->evidence = PANE_ANCESTOR_PID;
		if (ret_pane->pane != MUXBUS_NO_ID)
			return true;
	}
	return false;
}

static bool find_by_environment(const struct peer_origin *origin, const struct muxbus_model *model,
    const char *tmux_socket, pid_t server, struct peer_pane *ret_pane)
{
	for (size_t at = 0; at < origin->count; at++) {
		const struct peer_process *process = &origin->processes[at];
		if (!peer_process_is_there(process))
			return false;
		ret_pane->pane = pane_of_environment(process->pid, tmux_socket, server);
		ret_pane->evidence = PANE_ENVIRONMENT;
		ret_pane->is_weak = true;
		if (muxbus_model_pane(model, ret_pane->pane) != NULL)
			return true;
		ret_pane->is_early |= is_later(model, ret_pane->pane);
	}
	return false;
}

/* A process of Codex may have several threads; a variable names the thread to its commands. */
static void find_thread(pid_t pid, char out[PANE_REF_THREAD_SIZE])
{
	struct buf block = BUF(ENVIRON_BYTES_MAX);
	const char *thread;
	process_read_environ(pid, &block);
	thread = variable(&block, "CODEX_THREAD_ID");
	if (thread != NULL && presence_check("codex", thread) == NULL)
		presence_thread("codex", thread, out);
	buf_finish(&block);
}

static bool has_tty(const struct peer_origin *origin)
{
	for (size_t at = 0; at < origin->count; at++)
		if (origin->processes[at].tty != 0)
			return true;
	return false;
}

void peer_pane_find(const struct peer_origin *origin, const struct muxbus_model *model,
    const char *tmux_socket, pid_t server, struct peer_pane *ret_pane)
{
	const struct muxbus_pane *pane;
	*ret_pane = (struct peer_pane){0};
	if (!find_by_kernel(origin, model, ret_pane) &&
	    !find_by_environment(origin, model, tmux_socket, server, ret_pane)) {
		ret_pane->pane = MUXBUS_NO_ID;
		ret_pane->evidence = PANE_NONE;
		ret_pane->is_weak = false;
		ret_pane->is_outside = origin->is_whole && !has_tty(origin) && !ret_pane->is_early;
	}
	if (origin->count > 0 && (ret_pane->is_weak || ret_pane->pane == MUXBUS_NO_ID) &&
	    peer_process_is_there(&origin->processes[0]))
		find_thread(origin->processes[0].pid, ret_pane->thread);
	pane = muxbus_model_pane(model, ret_pane->pane);
	ret_pane->pane_pid = pane != NULL ? pane->pid : 0;
}

bool peer_pane_lasts(const struct peer_pane *pane, const struct muxbus_model *model)
{
	const struct muxbus_pane *now = muxbus_model_pane(model, pane->pane);
	return now != NULL && (now->pid == pane->pane_pid || now->is_dead);
}

void peer_pane_hear(
    struct peer_pane *pane, const struct muxbus_model *model, struct peer_said *said, bool is_bound)
{
	const struct muxbus_pane *now = muxbus_model_pane(model, said->pane);
	pane->is_outside &= said->pane == MUXBUS_NO_ID;
	if ((pane->pane != MUXBUS_NO_ID && !pane->is_weak) || now == NULL)
		return;
	/*
	 * An old model may have the pid of a process that has ended. `said` is bound only to a
	 * process that runs.
	 */
	if (is_bound && said->pid == 0 && process_has_terminal(now->pid))
		said->pid = now->pid;
	if (!is_bound || said->pid == 0 || said->pid == now->pid)
		*pane = (struct peer_pane){
		    .pane = said->pane, .pane_pid = now->pid, .evidence = PANE_SAID};
}
