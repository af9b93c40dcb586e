/* SPDX-License-Identifier: ISC */
#include "base/process.h"

#include <dirent.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/str.h"

enum {
	PARENT_FIELD = 4, /* number of a field in /proc/PID/stat: proc(5) */
	TERMINAL_FIELD = 7,
	FLAGS_FIELD = 9,
	TIME_FIELD = 14, /* the first of utime, stime, cutime and cstime */
	START_FIELD = 22,
	PAGES_FIELD = 24, /* pages of memory in use */
	SIGNAL_FIELD = 31, /* mask of pending signals */
	CAUGHT_FIELD = 34, /* mask of signals with a handler */
	IS_EXITING = 0x4, /* PF_EXITING, a flag of FLAGS_FIELD, from the kernel's sched.h */
	STAT_SIZE = 1024,
	/* If read() returns less, a file of /proc has ended. Else more numbers may follow. */
	PROC_FULL = 4096 - 16,
	CHILDREN_MAX = 8 * 1024, /* bytes of a thread's list of children; the rest is not read */
	THREADS_MAX = 1024, /* threads whose children are read */
	CHILD_LOOK_MS = 5, /* between two checks whether a child has ended */
	LINKS_OF_ONE = 3, /* hard links of /proc/PID/task if the process has one thread */
	RELEASE_TRIES = 100,
	RELEASE_TRY_MS = 10,
};

const char *process_root = "/proc";

ssize_t process_read(pid_t pid, const char *name, char *out, size_t size)
{
	char path[128];
	size_t len = 0;
	ssize_t count;
	int fd;
	snprintf(path, sizeof path, "%s/%d/%s", process_root, (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	out[0] = '\0';
	if (fd < 0)
		return -1;
	do {
		count = read(fd, out + len, size - 1 - len);
		len += count > 0 ? (size_t)count : 0;
	} while (count >= PROC_FULL);
	(void)close(fd);
	out[count < 0 ? 0 : len] = '\0';
	return count < 0 ? -1 : (ssize_t)len;
}

/* Adds the children that one thread has started. Returns false on failure. */
static bool add_children(pid_t pid, const char *thread, pid_t *children, size_t max, size_t *count)
{
	char name[64], text[CHILDREN_MAX], *at = text, *end;
	snprintf(name, sizeof name, "task/%.20s/children", thread);
	if (process_read(pid, name, text, sizeof text) < 0)
		return false;
	/* A whole number ends with a space, so if the text was cut, its last number is ignored. */
	for (long child; *count < max && (child = strtol(at, &end, 10)) > 0 && *end == ' ';
	     at = end)
		children[(*count)++] = (pid_t)child;
	return true;
}

bool process_children(pid_t pid, pid_t *children, size_t max, size_t *ret_count)
{
	char path[128], first[16];
	const struct dirent *entry;
	struct stat status;
	unsigned entries = 0;
	bool is_known = false;
	DIR *threads;
	*ret_count = 0;
	snprintf(path, sizeof path, "%s/%d/task", process_root, (int)pid);
	snprintf(first, sizeof first, "%d", (int)pid);
	if (stat(path, &status) == 0 && status.st_nlink == LINKS_OF_ONE)
		return add_children(pid, first, children, max, ret_count);
	threads = opendir(path);
	while (threads != NULL && (entry = readdir(threads)) != NULL && entries++ < THREADS_MAX)
		if (entry->d_name[0] != '.')
			is_known |= add_children(pid, entry->d_name, children, max, ret_count);
	if (threads != NULL)
		(void)closedir(threads);
	return is_known && entries <= THREADS_MAX;
}

/* Returns a number of /proc/PID/stat, by its field number; 0 if absent. */
static uint64_t field_of(const char *text, int wanted)
{
	uint64_t value = 0;
	/* The program name before this parenthesis may contain any character. */
	const char *at = strrchr(text, ')');
	for (int field = 2; at != NULL && field < wanted; field++)
		at = strchr(at + 1, ' ');
	if (at == NULL || sscanf(at, "%" SCNu64, &value) != 1)
		return 0;
	return value;
}

static uint64_t read_field(pid_t pid, int wanted)
{
	char text[STAT_SIZE];
	(void)process_read(pid, "stat", text, sizeof text);
	return field_of(text, wanted);
}

uint64_t process_start_ticks(pid_t pid)
{
	return read_field(pid, START_FIELD);
}

bool process_add_cpu_ticks(pid_t pid, uint64_t *ticks)
{
	char text[STAT_SIZE];
	(void)process_read(pid, "stat", text, sizeof text);
	for (int field = TIME_FIELD; field < TIME_FIELD + 4; field++)
		*ticks += field_of(text, field);
	return field_of(text, START_FIELD) != 0;
}

static bool has_ended(const char *stat)
{
	return field_of(stat, START_FIELD) == 0 ||
	    (field_of(stat, FLAGS_FIELD) & IS_EXITING) != 0 ||
	    (field_of(stat, SIGNAL_FIELD) & (UINT64_C(1) << (SIGKILL - 1))) != 0;
}

int64_t process_age_ms(uint64_t start_ticks)
{
	return clock_boot_ms() - (int64_t)(start_ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

bool process_has_ended(pid_t pid)
{
	char text[STAT_SIZE];
	(void)process_read(pid, "stat", text, sizeof text);
	return has_ended(text);
}

bool process_has_terminal(pid_t pid)
{
	char text[STAT_SIZE];
	(void)process_read(pid, "stat", text, sizeof text);
	return !has_ended(text) && field_of(text, TERMINAL_FIELD) != 0;
}

bool process_await_release(pid_t pid, unsigned *tries)
{
	if (!process_has_ended(pid) || ++*tries >= RELEASE_TRIES)
		return false;
	(void)usleep(RELEASE_TRY_MS * 1000);
	return true;
}

static void pass_over(int signal UNUSED)
{
}

void process_begin(int mode)
{
	sigset_t none;
	int fd;
	(void)sigemptyset(&none);
	/* Programs that this process becomes or starts would inherit SIG_IGN, but not a handler. */
	(void)signal(SIGPIPE, pass_over);
	(void)signal(SIGXFSZ, pass_over);
	(void)signal(SIGCHLD, SIG_DFL); /* SIG_IGN would discard the exit statuses of children */
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (mode == O_RDWR)
		(void)umask(umask(0) & 077);
	do
		fd = open("/dev/null", mode);
	while (fd >= 0 && fd <= 2);
	if (fd > 2)
		(void)close(fd);
}

bool process_catches(pid_t pid, int signal)
{
	return (read_field(pid, CAUGHT_FIELD) & (UINT64_C(1) << (signal - 1))) != 0;
}

static size_t read_link(pid_t pid, const char *name, char *out, size_t size)
{
	char path[128];
	ssize_t len;
	snprintf(path, sizeof path, "%s/%d/%s", process_root, (int)pid, name);
	len = readlink(path, out, size - 1);
	out[len > 0 ? len : 0] = '\0';
	return len > 0 ? (size_t)len : 0;
}

bool process_cwd(pid_t pid, char *out, size_t size)
{
	return read_link(pid, "cwd", out, size) > 0;
}

int64_t process_memory(pid_t pid)
{
	return (int64_t)read_field(pid, PAGES_FIELD) * sysconf(_SC_PAGESIZE);
}

pid_t process_parent(pid_t pid)
{
	return (pid_t)read_field(pid, PARENT_FIELD);
}

bool process_program(pid_t pid, char *out, size_t size)
{
	static const char removed[] = " (deleted)";
	const size_t suffix = sizeof removed - 1;
	size_t len = read_link(pid, "exe", out, size);
	if (len > suffix && strcmp(out + len - suffix, removed) == 0)
		out[len - suffix] = '\0';
	return len > 0;
}

bool process_runs(pid_t pid, const char *name)
{
	char path[PATH_MAX];
	return process_program(pid, path, sizeof path) && strcmp(str_last_part(path), name) == 0;
}

char *process_cut_name(char *name)
{
	char *end;
	if (*name == '"')
		name++;
	name[strcspn(name, "\"")] = '\0';
	if (strncmp(name, "exec ", strlen("exec ")) == 0)
		name += strlen("exec ");
	name += strspn(name, " -");
	end = name + strcspn(name, " ");
	while (end > name + 1 && (end[-1] <= ' ' || end[-1] > '~'))
		end--;
	*end = '\0';
	if (*name != '/')
		return name;
	while (end > name + 1 && end[-1] == '/')
		*--end = '\0';
	return end == name + 1 ? name : strrchr(name, '/') + 1;
}

static pid_t find_below(pid_t pid, const char *name, unsigned generations, unsigned *left)
{
	pid_t children[PROCESS_FIND_MAX], found = 0;
	size_t count;
	if (pid <= 0 || *left == 0)
		return 0;
	--*left;
	if (process_runs(pid, name))
		return pid;
	if (generations == 0)
		return 0;
	(void)process_children(
	    pid, children, PROCESS_FIND_MAX, &count); /* false: some may be missing */
	for (size_t at = 0; found == 0 && at < count; at++)
		found = find_below(children[at], name, generations - 1, left);
	return found;
}

pid_t process_find_program(pid_t pid, const char *name, unsigned generations)
{
	unsigned left = PROCESS_FIND_MAX;
	return find_below(pid, name, generations, &left);
}

void process_read_environ(pid_t pid, struct buf *out)
{
	char path[96];
	ssize_t count;
	int fd;
	snprintf(path, sizeof path, "%s/%d/environ", process_root, (int)pid);
	fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	/* Keep room for a NUL after the last bytes. */
	while (
	    buf_reserve(out, 16384 + 1) == 0 && (count = read(fd, out->data + out->len, 16384)) > 0)
		out->len += (size_t)count;
	(void)close(fd);
	(void)buf_append_byte(out, '\0');
}

const char *process_variable(const struct buf *block, const char *name)
{
	size_t len = strlen(name);
	for (size_t at = 0; at < block->len; at += strlen((const char *)block->data + at) + 1) {
		const char *text = (const char *)block->data + at;
		if (strncmp(text, name, len) == 0 && text[len] == '=')
			return text;
	}
	return NULL;
}

int process_open(pid_t pid, uint64_t start_ticks)
{
	int fd;
	if (pid <= 0)
		return -1;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return -1;
	/* If the start time still matches, the pid was not reused before pidfd_open(). */
	if (process_start_ticks(pid) != start_ticks) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Lists a process and its descendants, parents first. */
static size_t list_tree(pid_t pid, const pid_t **ret_pids)
{
	/* Not on the stack, which `ulimit -s` may limit to 64 KiB. */
	static pid_t pids[PROCESS_TREE_MAX];
	size_t count = 1, more;
	*ret_pids = pids;
	pids[0] = pid;
	for (size_t at = 0; at < count; at++) {
		(void)process_children(pids[at], pids + count, PROCESS_TREE_MAX - count, &more);
		count += more;
	}
	return count;
}

void process_tree_walk(pid_t pid, void (*fn)(void *data, pid_t pid), void *data)
{
	const pid_t *pids;
	size_t count = list_tree(pid, &pids);
	for (size_t at = 0; at < count; at++)
		fn(data, pids[at]);
}

void process_tree_walk_up(pid_t pid, void (*fn)(void *data, pid_t pid), void *data)
{
	const pid_t *pids;
	size_t count = list_tree(pid, &pids);
	while (count-- > 0)
		fn(data, pids[count]);
}

bool process_is_peer(int socket, struct ucred *ret_peer)
{
	struct ucred peer;
	socklen_t size = sizeof peer;
	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return false;
	if (ret_peer != NULL)
		*ret_peer = peer;
	return peer.uid == geteuid() || peer.uid == 0;
}

/*
 * Until it execs, the child of vfork() shares our memory. So the child must change nothing but
 * struct child_start and environ. All signals are blocked until the child has reset the handlers,
 * so that no handler of ours runs in the child.
 */
enum { STATUS_FAILED = 127 };

struct child_start {
	const struct child_options *options;
	int from[CHILD_STREAMS]; /* source descriptors of the streams; -1: /dev/null */
	pid_t parent;
	volatile enum child_step failed; /* set by the child, as error */
	volatile int error;
};

static _Noreturn void fail(struct child_start *start, enum child_step step)
{
	start->error = errno;
	start->failed = step;
	_exit(STATUS_FAILED);
}

static bool is_default(const int defaults[CHILD_DEFAULTS], int number)
{
	for (int at = 0; at < CHILD_DEFAULTS && defaults[at] != 0; at++)
		if (defaults[at] == number)
			return true;
	return defaults[0] == 0;
}

static void reset_signals(const int defaults[CHILD_DEFAULTS])
{
	const struct sigaction fresh = {.sa_handler = SIG_DFL};
	struct sigaction ours;
	sigset_t none;
	for (int number = 1; number < NSIG; number++)
		if (is_default(defaults, number) ||
		    (sigaction(number, NULL, &ours) == 0 && ours.sa_handler != SIG_IGN))
			(void)sigaction(number, &fresh, NULL); /* fails for SIGKILL and SIGSTOP */
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Moves the descriptors to 0 to 3, after duplicating those that are in this range. */
static bool place_streams(const struct child_start *start)
{
	const struct child_stream *streams = start->options->streams;
	int from[CHILD_STREAMS], null = -1;
	for (int at = 0; at < CHILD_STREAMS; at++) {
		from[at] = start->from[at];
		if (streams[at].kind == CHILD_INHERIT)
			continue;
		if (from[at] < 0 && null < 0)
			null = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (from[at] < 0)
			from[at] = null;
		if (from[at] >= 0 && from[at] < CHILD_STREAMS)
			from[at] = fcntl(from[at], F_DUPFD_CLOEXEC, CHILD_STREAMS);
		if (from[at] < 0)
			return false;
	}
	for (int at = 0; at < CHILD_STREAMS; at++)
		if (streams[at].kind != CHILD_INHERIT && dup2(from[at], at) < 0)
			return false;
	return true;
}

static void close_others(int first)
{
	struct rlimit limit = {.rlim_cur = 1024};
	if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0)
		return;
	(void)getrlimit(RLIMIT_NOFILE, &limit); /* Linux before 5.9 has no close_range() */
	for (int fd = first; fd < (int)limit.rlim_cur && fd < 65536; fd++)
		close(fd);
}

static _Noreturn void become(struct child_start *start)
{
	const struct child_options *options = start->options;
	char *const *env = options->env != NULL ? options->env : environ;
	reset_signals(options->defaults);
	if (options->group == CHILD_NEW_GROUP)
		(void)setpgid(0, 0); /* setpgid() and setsid() cannot fail in a new process */
	if (options->group == CHILD_NEW_SESSION)
		(void)setsid();
	if (options->death_signal != 0) {
		(void)prctl(PR_SET_PDEATHSIG, options->death_signal);
		if (getppid() != start->parent)
			_exit(STATUS_FAILED); /* the parent died before prctl() */
	}
	if (!place_streams(start))
		fail(start, CHILD_FORK);
	if (options->dir != NULL && chdir(options->dir) < 0)
		fail(start, CHILD_DIR);
	if (options->is_shut)
		close_others(options->streams[CHILD_STREAMS - 1].kind == CHILD_INHERIT
			? CHILD_STREAMS - 1
			: CHILD_STREAMS);
	if (options->files != NULL)
		(void)setrlimit(RLIMIT_NOFILE, options->files);
	if (options->path != NULL) {
		(void)execve(options->path, options->argv, env);
		fail(start, CHILD_EXEC);
	}
	environ = (char **)(uintptr_t)env; /* execvp() uses environ; spawn() restores ours */
	(void)execvp(options->argv[0], options->argv);
	fail(start, CHILD_EXEC);
}

/* Not inlined, so that the child of vfork() cannot change variables of the caller. */
__attribute__((noinline)) static pid_t split(struct child_start *start)
{
	pid_t pid = vfork();
	if (pid == 0)
		become(start);
	return pid;
}

static int spawn(struct child_start *start, struct child *child)
{
	char **ours = environ;
	sigset_t all, before;
	pid_t pid;
	int error;
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &before);
	pid = split(start);
	error = pid < 0 ? errno : start->error;
	if (environ != ours)
		environ = ours;
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	if (error == 0) {
		child->pid = pid;
	} else if (pid > 0) {
		child->tried = pid;
		(void)child_reap(pid);
	}
	return error;
}

static int open_streams(struct child_start *start, int ends[CHILD_STREAMS])
{
	for (int at = 0; at < CHILD_STREAMS; at++) {
		const struct child_stream *stream = &start->options->streams[at];
		int fds[2], theirs = stream->kind == CHILD_PIPE_OUT;
		start->from[at] = stream->kind == CHILD_FD ? stream->fd : -1;
		if (stream->kind != CHILD_PIPE_IN && stream->kind != CHILD_PIPE_OUT)
			continue;
		if (pipe2(fds, O_CLOEXEC) < 0)
			return errno;
		start->from[at] = fds[theirs];
		ends[at] = fds[!theirs];
	}
	return 0;
}

int child_start(const struct child_options *options, struct child *ret_child)
{
	struct child_start start = {
	    .options = options, .from = {-1, -1, -1, -1}, .parent = getpid(), .error = 0};
	int error;
	*ret_child = (struct child){.pidfd = -1, .ends = {-1, -1, -1, -1}};
	start.failed = CHILD_FORK;
	error = open_streams(&start, ret_child->ends);
	if (error == 0)
		error = spawn(&start, ret_child);
	for (int at = 0; at < CHILD_STREAMS; at++) {
		if (ret_child->ends[at] < 0)
			continue;
		close(start.from[at]);
		if (error == 0)
			continue;
		close(ret_child->ends[at]);
		ret_child->ends[at] = -1;
	}
	ret_child->failed = error == 0 ? CHILD_STARTED : start.failed;
	if (error == 0 && options->wants_pidfd)
		ret_child->pidfd = (int)syscall(SYS_pidfd_open, ret_child->pid, 0);
	return error;
}

int child_reap(pid_t pid)
{
	int status = -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

bool child_ends_in(pid_t pid, int64_t wait_ms, siginfo_t *ret_info)
{
	int64_t end_ms = clock_deadline_ms(wait_ms);
	memset(ret_info, 0, sizeof *ret_info);
	while (waitid(P_PID, (id_t)pid, ret_info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
	    ret_info->si_pid == 0) {
		if (clock_left_ms(end_ms) == 0)
			return false;
		(void)poll(NULL, 0, CHILD_LOOK_MS);
	}
	return true;
}

void sibling_find(const char *name, char *out, size_t size)
{
	static const char *const ways[] = {"", "../"};
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;
	self[len > 0 ? len : 0] = '\0';
	slash = strrchr(self, '/');
	for (size_t at = 0; slash != NULL && at < sizeof ways / sizeof *ways; at++)
		if ((size_t)snprintf(
			out, size, "%.*s/%s%s", (int)(slash - self), self, ways[at], name) < size &&
		    access(out, X_OK) == 0)
			return;
	(void)snprintf(out, size, "%s/%s", MUXBUS_LIBEXECDIR, name);
}
