/* SPDX-License-Identifier: ISC */
#include "base/process.h"

#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/buf.h"
#include "base/clock.h"

enum {
	PARENT_FIELD = 4, /* of /proc/PID/stat: proc(5) */
	TERMINAL_FIELD = 7,
	FLAGS_FIELD = 9,
	START_FIELD = 22,
	SIGNAL_FIELD = 31, /* a mask of the signals that it has yet to take */
	CAUGHT_FIELD = 34, /* a mask too */
	IS_EXITING = 0x4, /* of the flags: PF_EXITING in the kernel's sched.h */
	STAT_SIZE = 1024,
	PROC_PAGE = 4096, /* bytes that the kernel gives at once */
	CHILDREN_MAX = 1023, /* bytes of the pids of the children of one; the rest is not read */
	RELEASE_TRIES = 100,
	RELEASE_TRY_MS = 10,
	DEPTH_MAX = 32, /* of a walk */
};

ssize_t process_read(pid_t pid, const char *name, char *out, size_t size)
{
	char path[96];
	size_t len = 0;
	ssize_t count;
	int fd;
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	out[0] = '\0';
	if (fd < 0)
		return -1;
	do {
		count = read(fd, out + len, size - 1 - len);
		len += count > 0 ? (size_t)count : 0;
	} while (count >= PROC_PAGE); /* less is the end */
	(void)close(fd); /* only read */
	out[len] = '\0';
	return count < 0 ? -1 : (ssize_t)len;
}

bool process_children(pid_t pid, pid_t *children, size_t max, size_t *ret_count)
{
	char name[32], text[CHILDREN_MAX + 1], *at = text, *end;
	size_t count = 0;
	bool is_known;
	snprintf(name, sizeof name, "task/%d/children", (int)pid);
	is_known = process_read(pid, name, text, sizeof text) >= 0;
	/* A space ends each: the last one of too many is cut off. */
	for (long child; count < max && (child = strtol(at, &end, 10)) > 0 && *end == ' '; at = end)
		children[count++] = (pid_t)child;
	*ret_count = count;
	return is_known;
}

/* A field of that text behind the name, as a number; 0 if there is none. */
static uint64_t field_of(const char *text, int wanted)
{
	uint64_t value = 0;
	/* The program name before it is in parentheses and may contain any character. */
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
	/* Not SIG_IGN, which a program that this one becomes, or starts, would inherit. */
	(void)signal(SIGPIPE, pass_over);
	(void)signal(SIGXFSZ, pass_over);
	(void)signal(SIGCHLD, SIG_DFL); /* ignored, it would take the statuses of children */
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (mode == O_RDWR)
		(void)umask(umask(0) & 077);
	do
		fd = open("/dev/null", mode);
	while (fd >= 0 && fd <= 2);
	if (fd > 2)
		(void)close(fd); /* of /dev/null */
}

bool process_catches(pid_t pid, int signal)
{
	char text[STAT_SIZE];
	(void)process_read(pid, "stat", text, sizeof text);
	return (field_of(text, CAUGHT_FIELD) & (UINT64_C(1) << (signal - 1))) != 0;
}

bool process_cwd(pid_t pid, char *out, size_t size)
{
	char link[64];
	ssize_t len;
	(void)snprintf(link, sizeof link, "/proc/%d/cwd", (int)pid);
	len = pid > 0 ? readlink(link, out, size - 1) : -1;
	if (len > 0)
		out[len] = '\0';
	return len > 0;
}

pid_t process_parent(pid_t pid)
{
	return (pid_t)read_field(pid, PARENT_FIELD);
}

bool process_runs(pid_t pid, const char *name)
{
	char link[64], path[PATH_MAX];
	const char *slash;
	ssize_t len;
	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	len = readlink(link, path, sizeof path - 1);
	if (len <= 0)
		return false;
	path[len] = '\0';
	slash = strrchr(path, '/');
	return slash != NULL && strcmp(slash + 1, name) == 0;
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
	(void)process_children(pid, children, PROCESS_FIND_MAX, &count); /* none then */
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
	char path[64];
	ssize_t count;
	int fd;
	snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
	fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	/* The last NUL has its place too. */
	while (
	    buf_reserve(out, 16384 + 1) == 0 && (count = read(fd, out->data + out->len, 16384)) > 0)
		out->len += (size_t)count;
	(void)close(fd); /* only read */
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
	/* The pidfd is open now: if the start time matches, it refers to that process. */
	if (process_start_ticks(pid) != start_ticks) {
		close(fd);
		return -1;
	}
	return fd;
}

static void walk(
    pid_t pid, unsigned depth, unsigned *count, void (*fn)(void *data, pid_t pid), void *data)
{
	char path[64];
	FILE *file;
	int child;
	if (depth > DEPTH_MAX || ++*count > PROCESS_TREE_MAX)
		return;
	fn(data, pid);
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return;
	while (fscanf(file, "%d", &child) == 1)
		walk((pid_t)child, depth + 1, count, fn, data);
	fclose(file);
}

void process_tree_walk(pid_t pid, void (*fn)(void *data, pid_t pid), void *data)
{
	unsigned count = 0;
	walk(pid, 0, &count, fn, data);
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
