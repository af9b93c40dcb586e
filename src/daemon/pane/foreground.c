/* SPDX-License-Identifier: ISC */
#include "daemon/pane/foreground.h"

#include <dirent.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include "base/process.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/pane/screen_sign.h"

enum {
	THREADS_MAX = 64, /* maximum threads of a process; further threads count as unknown */
	PROCESSES_MAX = 64, /* maximum processes of the group, from the one in front down */
	DEPTH_MAX = 8,
	ANCESTORS_MAX = 64,
	ARGV_MAX = 16 * 1024, /* bytes of a command line that are read */
};

static bool is_terminal(pid_t pid, long fd)
{
	static const char folder[] = "/dev/pts/";
	char path[64], target[64];
	ssize_t len;
	snprintf(path, sizeof path, "/proc/%d/fd/%ld", (int)pid, fd);
	len = readlink(path, target, sizeof target - 1);
	if (len <= 0)
		return false;
	target[len] = '\0';
	return strncmp(target, folder, sizeof folder - 1) == 0 || strcmp(target, "/dev/tty") == 0;
}

/* Judges a wait for descriptors 0 to count - 1. */
static enum agent_reads judge_select(pid_t pid, unsigned long count)
{
	if (count == 0)
		return AGENT_READS_NO;
	return count == 1 && is_terminal(pid, 0) ? AGENT_READS_YES : AGENT_READS_UNKNOWN;
}

static bool is_running(const char *text)
{
	return strncmp(text, "running", 7) == 0;
}

/* Judges the system call that a thread is in. A lock (futex) counts as AGENT_READS_NO. */
static enum agent_reads judge_call(pid_t pid, const char *text)
{
	unsigned long arguments[3] = {0};
	long number;
	if (is_running(text))
		return AGENT_READS_NO;
	if (sscanf(text, "%ld %lx %lx %lx", &number, &arguments[0], &arguments[1], &arguments[2]) !=
		4 ||
	    number < 0)
		return AGENT_READS_UNKNOWN;
	switch (number) {
	case SYS_read:
	case SYS_readv:
		return is_terminal(pid, (long)arguments[0]) ? AGENT_READS_YES : AGENT_READS_NO;
#ifdef SYS_select
	case SYS_select:
#endif
	case SYS_pselect6:
		return judge_select(pid, arguments[0]);
#ifdef SYS_poll
	case SYS_poll:
#endif
	case SYS_ppoll:
		return arguments[1] == 0 ? AGENT_READS_NO : AGENT_READS_UNKNOWN;
#ifdef SYS_epoll_wait
	case SYS_epoll_wait:
#endif
	case SYS_epoll_pwait:
#ifdef SYS_epoll_pwait2
	case SYS_epoll_pwait2:
#endif
	case SYS_io_getevents:
#ifdef SYS_io_uring_enter
	case SYS_io_uring_enter:
#endif
		return AGENT_READS_UNKNOWN;
	default:
		return AGENT_READS_NO;
	}
}

/* Joins two judgements: YES if one is YES, else UNKNOWN if one is UNKNOWN, else NO. */
static enum agent_reads join(enum agent_reads one, enum agent_reads other)
{
	if (one == AGENT_READS_YES || other == AGENT_READS_YES)
		return AGENT_READS_YES;
	return one == AGENT_READS_UNKNOWN ? one : other;
}

struct judgement {
	unsigned count; /* processes so far */
	bool is_computing; /* a thread of a process with the terminal is running */
};

/* Judges a process. If its first thread runs, the others do not matter. */
static enum agent_reads judge_process(pid_t pid, bool *ret_is_computing)
{
	enum agent_reads reads = AGENT_READS_NO;
	char path[128], text[256];
	const struct dirent *entry;
	unsigned count = 0;
	DIR *folder;
	*ret_is_computing = false;
	if (process_read(pid, "syscall", text, sizeof text) <= 0)
		return AGENT_READS_UNKNOWN;
	*ret_is_computing = is_running(text);
	if (*ret_is_computing)
		return AGENT_READS_NO;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	folder = opendir(path);
	if (folder == NULL)
		return AGENT_READS_UNKNOWN;
	while ((entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "task/%.20s/syscall", entry->d_name);
		if (++count > THREADS_MAX)
			reads = join(reads, AGENT_READS_UNKNOWN);
		else if (process_read(pid, path, text, sizeof text) > 0) {
			reads = join(reads, judge_call(pid, text));
			*ret_is_computing |= is_running(text);
		}
	}
	(void)closedir(folder);
	return reads;
}

/* Judges a process and its descendants in the group: a child of a script may be the reader. */
static enum agent_reads judge_tree(
    pid_t pid, pid_t group, unsigned depth, struct judgement *judgement)
{
	pid_t children[PROCESSES_MAX];
	enum agent_reads reads;
	bool is_computing;
	size_t child_count;
	if (getpgid(pid) != group)
		return AGENT_READS_NO;
	if (depth > DEPTH_MAX || ++judgement->count > PROCESSES_MAX)
		return AGENT_READS_UNKNOWN;
	reads = judge_process(pid, &is_computing);
	judgement->is_computing |= is_computing && is_terminal(pid, 0);
	if (!process_children(pid, children, PROCESSES_MAX, &child_count))
		return reads == AGENT_READS_NO ? AGENT_READS_UNKNOWN : reads;
	for (size_t at = 0; reads != AGENT_READS_YES && at < child_count; at++)
		reads = join(reads, judge_tree(children[at], group, depth + 1, judgement));
	return reads;
}

/*
 * Returns true if a shell waits for this child. A shell at its prompt may have children for which
 * it does not wait, as for completions.
 */
static bool waits_for(pid_t shell, pid_t child)
{
	bool is_computing;
	enum agent_reads reads = judge_process(shell, &is_computing);
	if (reads == AGENT_READS_NO && !is_computing)
		return true;
	return reads != AGENT_READS_YES && is_terminal(child, 0) && is_terminal(child, 1);
}

static pid_t find_child(pid_t pid, pid_t group)
{
	pid_t children[PROCESSES_MAX], found = 0;
	size_t count;
	(void)process_children(pid, children, PROCESSES_MAX, &count); /* as many as can be read */
	for (size_t at = 0; at < count; at++)
		if (getpgid(children[at]) == group && waits_for(pid, children[at]))
			found = children[at];
	return found;
}

bool foreground_is_carrier(const char *command)
{
	static const char *const carriers[] = {"abduco", "asciinema", "doas", "dtach", "login",
	    "mosh-client", "screen", "script", "ssh", "su", "sudo", "tmux", "zellij", NULL};
	return str_is_in(command, carriers);
}

bool foreground_is_shell(const char *command)
{
	static const char *const shells[] = {"ash", "bash", "csh", "dash", "elvish", "fish", "ksh",
	    "mksh", "nu", "oksh", "pwsh", "rbash", "sh", "tcsh", "xonsh", "yash", "zsh", NULL};
	if (command[0] == '-')
		command++;
	return str_is_in(command, shells) || foreground_is_carrier(command);
}

bool foreground_is_messenger(const char *command)
{
	static const char *const messengers[] = {
	    "cat", "echo", "jq", "muxbus", "nc", "ncat", "printf", "socat", "timeout", NULL};
	return str_is_in(command, messengers);
}

/* Returns true if a variable such as EDITOR names this command, perhaps with a path. */
static bool is_in_variable(const struct buf *environment, const char *variable, const char *command)
{
	const char *text = process_variable(environment, variable);
	const char *end = text != NULL ? text + strcspn(text, " ") : NULL, *name = end;
	while (name != NULL && name[-1] != '/' && name[-1] != '=')
		name--;
	return name != NULL && (size_t)(end - name) == strlen(command) &&
	    strncmp(name, command, strlen(command)) == 0;
}

/* Returns true for an editor. may_be_other: also for a program that VISUAL or EDITOR names. */
static bool is_editor(pid_t pid, const char *command, bool may_be_other)
{
	static const char *const editors[] = {"ed", "editor", "emacs", "emacsclient", "helix", "hx",
	    "joe", "kak", "less", "mcedit", "micro", "more", "most", "nano", "nvim", "pico", "vi",
	    "view", "vim", NULL};
	struct buf environment = BUF(PROCESS_ENVIRON_MAX);
	bool is_found = str_is_in(command, editors);
	if (!is_found && may_be_other && is_terminal(pid, 0)) {
		process_read_environ(pid, &environment);
		is_found = is_in_variable(&environment, "VISUAL", command) ||
		    is_in_variable(&environment, "EDITOR", command);
	}
	buf_finish(&environment);
	return is_found;
}

bool foreground_asks_for_itself(const char *command)
{
	return !foreground_is_shell(command) && !foreground_is_messenger(command);
}

/* Finds the program in front: not a shell that waits for its child, but the child. */
static bool find_program(struct foreground *front, pid_t group)
{
	front->pid = group;
	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		pid_t child;
		if (!pane_tty_program(front->pid, front->name, sizeof front->name))
			return false;
		front->is_shell = foreground_is_shell(front->name);
		child = front->is_shell ? find_child(front->pid, group) : 0;
		if (child == 0)
			break;
		front->pid = child;
	}
	front->start = process_start_ticks(front->pid);
	return front->start != 0;
}

bool foreground_lives(pid_t pid, uint64_t start)
{
	return start != 0 && process_start_ticks(pid) == start;
}

void foreground_read(pid_t pid, struct foreground *ret_front)
{
	struct judgement judgement = {0};
	pid_t group = pane_tty_front_pid(pid);
	*ret_front = (struct foreground){0};
	if (group == 0 || !find_program(ret_front, group))
		return;
	ret_front->is_known = true;
	ret_front->reads = judge_tree(group, group, 0, &judgement);
	ret_front->is_computing = judgement.is_computing;
}

static size_t read_words(pid_t pid, char buffer[ARGV_MAX], const char **words)
{
	ssize_t len = process_read(pid, "cmdline", buffer, ARGV_MAX);
	size_t count = 0;
	/* A program may have set its arguments to a title, after which there are empty words. */
	for (ssize_t at = 0; at < len && count < AGENT_ARGV_WORDS_MAX;
	     at += (ssize_t)strlen(buffer + at) + 1)
		words[count++] = buffer + at;
	while (count > 1 && words[count - 1][0] == '\0')
		count--;
	return count;
}

struct group_search {
	bool (*is_found)(struct group_search *search, pid_t pid);
	pid_t group;
	unsigned count; /* processes so far */
	const struct screen_sign_set *signs; /* for is_agent_here() */
	char *ret_name;
	pid_t program; /* for is_obstacle() */
	enum foreground_place place;
};

static bool search_group(struct group_search *search, pid_t pid, unsigned depth)
{
	pid_t children[PROCESSES_MAX];
	size_t count;
	if (getpgid(pid) != search->group || depth > DEPTH_MAX || ++search->count > PROCESSES_MAX)
		return false;
	if (search->is_found(search, pid))
		return true;
	(void)process_children(pid, children, PROCESSES_MAX, &count); /* as many as can be read */
	for (size_t at = 0; at < count; at++)
		if (search_group(search, children[at], depth + 1))
			return true;
	return false;
}

static bool is_named(void *data, const char *name)
{
	return screen_sign_is_named(data, name, SIGN_KIND_COUNT_);
}

bool foreground_is_agent(
    pid_t pid, const struct screen_sign_set *signs, char ret_name[AGENT_ARGV_NAME_SIZE])
{
	static char buffer[ARGV_MAX];
	const char *words[AGENT_ARGV_WORDS_MAX];
	return agent_argv_find(words, read_words(pid, buffer, words),
	    signs != NULL ? is_named : NULL, (void *)(uintptr_t)signs, ret_name);
}

static bool is_agent_here(struct group_search *search, pid_t pid)
{
	return foreground_is_agent(pid, search->signs, search->ret_name) && is_terminal(pid, 0);
}

bool foreground_agent(
    pid_t pid, const struct screen_sign_set *signs, char ret_name[AGENT_ARGV_NAME_SIZE])
{
	struct group_search search = {.is_found = is_agent_here,
	    .group = pane_tty_front_pid(pid),
	    .signs = signs,
	    .ret_name = ret_name};
	return search.group > 0 && search_group(&search, search.group, 0);
}

bool foreground_identity_of(pid_t pid, char ret_identity[AGENT_ARGV_IDENTITY_SIZE])
{
	static char buffer[ARGV_MAX];
	const char *words[AGENT_ARGV_WORDS_MAX];
	char name[AGENT_ARGV_IDENTITY_SIZE];
	if (!pane_tty_program(pid, name, sizeof name))
		return false;
	agent_argv_identity(name, words, read_words(pid, buffer, words), ret_identity);
	return true;
}

bool foreground_identity(pid_t pid, char ret_identity[AGENT_ARGV_IDENTITY_SIZE])
{
	pid_t front = pane_tty_front_pid(pid);
	return front > 0 && foreground_identity_of(front, ret_identity);
}

bool foreground_is_below(pid_t pid, pid_t other)
{
	for (unsigned count = 0; count < ANCESTORS_MAX && pid > 1; count++) {
		struct tty_process process;
		if (!pane_tty_process(pid, &process))
			return false;
		if (process.parent == other)
			return true;
		pid = process.parent;
	}
	return false;
}

static bool is_front(const struct tty_process *process)
{
	return process->tty != 0 && process->group == process->front;
}

static size_t read_ancestors(
    pid_t pid, pid_t pids[ANCESTORS_MAX], struct tty_process ancestors[ANCESTORS_MAX])
{
	size_t count = 0;
	while (count < ANCESTORS_MAX && pid > 1 && pane_tty_process(pid, &ancestors[count])) {
		pids[count] = pid;
		pid = ancestors[count++].parent;
	}
	return count;
}

/* Returns true for a program with requests of its own that is the leader or has a terminal. */
static bool is_asking_program(pid_t pid, const struct tty_process *process)
{
	char name[64];
	return pane_tty_program(pid, name, sizeof name) && foreground_asks_for_itself(name) &&
	    (pid == process->front || is_terminal(pid, 0));
}

enum foreground_asker foreground_find_asker(pid_t pane_pid, pid_t asker,
    const struct screen_sign_set *signs, struct foreground_program *ret_program)
{
	struct tty_process ancestors[ANCESTORS_MAX], pane;
	bool is_related = false, is_shown = false;
	char name[AGENT_ARGV_NAME_SIZE];
	pid_t pids[ANCESTORS_MAX], session;
	size_t count = read_ancestors(asker, pids, ancestors);
	*ret_program = (struct foreground_program){0};
	if (!pane_tty_process(pane_pid, &pane) || pane.tty == 0)
		return ASKER_ELSEWHERE;
	session = pane.session;
	while (count-- > 0) {
		const struct tty_process *process = &ancestors[count];
		/* A process above the pane does not count: tmux may run within another tmux. */
		if (process->tty == 0 || (!is_related && process->session != session))
			continue;
		if (process->session != session && !is_shown)
			break;
		/* A program that shows the terminal of another program has not made the request. */
		if (process->session != session)
			*ret_program = (struct foreground_program){0};
		session = process->session;
		is_related = true;
		is_shown = is_front(process);
		if (!is_shown || !is_asking_program(pids[count], process))
			continue;
		if (ret_program->pid == 0)
			*ret_program = (struct foreground_program){pids[count], process->start};
		if (foreground_is_agent(pids[count], signs, name))
			break;
	}
	if (ret_program->pid != 0)
		return ASKER_IN_FRONT;
	return is_related ? ASKER_BEHIND : ASKER_ELSEWHERE;
}

/*
 * Returns true if a process's terminal is seen in the pane. A terminal within the pane's is seen if
 * the ancestor that shows it is in front.
 */
static bool is_shown(pid_t pane_session, pid_t pid)
{
	struct tty_process ancestors[ANCESTORS_MAX];
	pid_t pids[ANCESTORS_MAX], session = 0;
	size_t count = read_ancestors(pid, pids, ancestors);
	for (size_t at = 0; at < count; at++) {
		if (ancestors[at].tty == 0 || ancestors[at].session == session)
			continue;
		if (!is_front(&ancestors[at]))
			return false;
		session = ancestors[at].session;
		if (session == pane_session)
			return true;
	}
	return false;
}

/* Returns true for an editor at the terminal, or for another shell or messenger that reads it. */
static bool is_other_reader(pid_t program, pid_t pid)
{
	char name[64];
	bool computes;
	if (!pane_tty_program(pid, name, sizeof name))
		return false;
	/* EDITOR may name an interpreter or a shell, which the agent may also be, or run in. */
	if (is_editor(pid, name, pid != program && foreground_asks_for_itself(name)))
		return is_terminal(pid, 0) || judge_process(pid, &computes) == AGENT_READS_YES;
	return pid != program && !foreground_asks_for_itself(name) &&
	    judge_process(pid, &computes) == AGENT_READS_YES;
}

static bool is_obstacle(struct group_search *search, pid_t pid)
{
	struct tty_process process;
	/* A child of the program may be the reader, so a stopped child counts. */
	if (pane_tty_process(pid, &process) && strchr("Tt", process.state) != NULL &&
	    is_terminal(pid, 0))
		search->place = FOREGROUND_STOPPED;
	else if (is_other_reader(search->program, pid))
		search->place = FOREGROUND_BESIDE;
	return search->place != FOREGROUND_IN_FRONT;
}

static pid_t find_root(pid_t pid, pid_t group)
{
	struct tty_process process;
	for (unsigned count = 0; count < ANCESTORS_MAX; count++) {
		if (!pane_tty_process(pid, &process) || process.parent <= 1 ||
		    getpgid(process.parent) != group)
			break;
		pid = process.parent;
	}
	return pid;
}

enum foreground_place foreground_find(pid_t pane_pid, const struct foreground_program *program)
{
	struct tty_process process, pane;
	struct group_search search = {
	    .is_found = is_obstacle, .program = program->pid, .place = FOREGROUND_IN_FRONT};
	if (program->pid <= 0 || !pane_tty_process(program->pid, &process) ||
	    process.start != program->start || strchr("ZXx", process.state) != NULL)
		return FOREGROUND_ENDED;
	if (!pane_tty_process(pane_pid, &pane) || pane.tty == 0 ||
	    !is_shown(pane.session, program->pid))
		return FOREGROUND_BEHIND;
	/* The search may not reach a program far below, so check it here. */
	if (process.state == 'T' || process.state == 't')
		return FOREGROUND_STOPPED;
	search.group = process.group;
	(void)search_group(&search, find_root(program->pid, process.group), 0);
	return search.place;
}

void foreground_leader(pid_t pane_pid, struct foreground_program *ret_program)
{
	pid_t pid = pane_tty_front_pid(pane_pid);
	uint64_t start = pid > 0 ? process_start_ticks(pid) : 0;
	*ret_program = (struct foreground_program){start != 0 ? pid : 0, start};
}

enum foreground_place foreground_find_leader(pid_t pane_pid)
{
	struct foreground_program leader;
	foreground_leader(pane_pid, &leader);
	return foreground_find(pane_pid, &leader);
}

static bool is_numbered(const char *path, int tty)
{
	unsigned number = (unsigned)tty;
	struct stat status;
	return stat(path, &status) == 0 && S_ISCHR(status.st_mode) &&
	    major(status.st_rdev) == (number >> 8 & 0xfff) &&
	    minor(status.st_rdev) == ((number & 0xff) | (number >> 12 & 0xfff00));
}

bool foreground_inner_tty(pid_t pane_pid, pid_t pid, char *out, size_t size)
{
	struct tty_process process, pane;
	char path[64];
	ssize_t len;
	if (!pane_tty_process(pid, &process) || !pane_tty_process(pane_pid, &pane) ||
	    process.session == pane.session)
		return false;
	snprintf(path, sizeof path, "/proc/%d/fd/0", (int)pid);
	len = readlink(path, out, size - 1);
	out[len > 0 ? len : 0] = '\0';
	if (!is_numbered(out, process.tty))
		out[0] = '\0';
	return true;
}
