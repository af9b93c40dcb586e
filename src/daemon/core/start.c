/* SPDX-License-Identifier: ISC */
#include "daemon/core/start.h"

#include <malloc.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/process.h"
#include "client/link.h"
#include "daemon/core/config.h"
#include "daemon/core/log_file.h"
#include "daemon/core/rlimit.h"
#include "daemon/core/state_dir.h"
#include "wire/address.h"

#define FIRST_FD 3 /* the first passed descriptor, as sd_listen_fds(3) defines */

static struct sockaddr_un notify_address;
static socklen_t notify_len;

/* NOTIFY_SOCKET is "/path", or "@name" for an abstract socket. */
static void take_notify_address(void)
{
	const char *name = getenv("NOTIFY_SOCKET");
	size_t len = name != NULL ? strlen(name) : 0;
	if (len >= 2 && len < sizeof notify_address.sun_path && strchr("/@", name[0])) {
		notify_address.sun_family = AF_UNIX;
		memcpy(notify_address.sun_path, name, len + 1);
		if (name[0] == '@')
			notify_address.sun_path[0] = '\0';
		notify_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len +
		    /* the length of a path includes its NUL, that of an abstract name does not */
		    (name[0] == '/'));
	}
	(void)unsetenv("NOTIFY_SOCKET");
}

static uint32_t take_fd_count(void)
{
	const char *pid_text = getenv("LISTEN_PID");
	const char *count_text = getenv("LISTEN_FDS");
	uint32_t pid;
	uint32_t count = 0;
	if (pid_text == NULL || !str_parse_u32(pid_text, strlen(pid_text), &pid) ||
	    pid != (uint32_t)getpid() || count_text == NULL ||
	    !str_parse_u32(count_text, strlen(count_text), &count))
		count = 0;
	(void)unsetenv("LISTEN_PID");
	(void)unsetenv("LISTEN_PIDFDID");
	(void)unsetenv("LISTEN_FDS");
	(void)unsetenv("LISTEN_FDNAMES");
	return count;
}

static int check_socket(int fd, const char *path, char *ret_reason, size_t size)
{
	struct sockaddr_un address = {0};
	socklen_t len = sizeof address;
	int type = 0;
	int listens = 0;
	socklen_t int_len = sizeof(int);
	if (getsockname(fd, (struct sockaddr *)&address, &len) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &int_len) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &int_len) < 0)
		return str_refuse(ret_reason, size,
		    "the service manager passed a descriptor that is not a socket: %s",
		    strerror(errno));
	if (address.sun_family != AF_UNIX || type != SOCK_STREAM || !listens)
		return str_refuse(ret_reason, size,
		    "the service manager's socket is not a listening UNIX stream socket: "
		    "ListenStream= must be %s",
		    path);
	if (strncmp(address.sun_path, path, sizeof address.sun_path) != 0)
		return str_refuse(ret_reason, size,
		    "the service manager's socket is %.*s, but peers look for %s: correct "
		    "ListenStream=, or use -s",
		    (int)sizeof address.sun_path, address.sun_path, path);
	return 0;
}

/* Checks that only this user may connect to the socket file. Returns -1 with a reason. */
static int check_file(const char *path, char *ret_reason, size_t size)
{
	struct stat st;
	if (lstat(path, &st) < 0)
		return str_refuse(ret_reason, size, "%s: %s", path, strerror(errno));
	if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
		return str_refuse(ret_reason, size, "%s: is not a socket of this user", path);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return str_refuse(ret_reason, size,
		    "%s: has the mode %03o, so that other users can connect: set SocketMode=0600",
		    path, (unsigned)st.st_mode & 0777);
	return 0;
}

/*
 * Reads the variables of the service manager and removes them, as child processes must not have
 * them. Call this before descriptors are opened or closed. *ret_fd is the passed socket; 0: none.
 * Returns -1 with a reason if the socket cannot be used, for example if it is not at that path, or
 * other users may connect to it.
 */
static int sd_notify_take(const char *path, int *ret_fd, char *ret_reason, size_t reason_size)
{
	int flags;
	uint32_t count;
	*ret_fd = 0;
	take_notify_address();
	count = take_fd_count();
	if (count == 0)
		return 0;
	if (count > 1)
		return str_refuse(ret_reason, reason_size,
		    "the service manager hands over %u sockets: one is wanted", count);
	if (check_socket(FIRST_FD, path, ret_reason, reason_size) < 0 ||
	    check_file(path, ret_reason, reason_size) < 0)
		return -1;
	flags = fcntl(FIRST_FD, F_GETFL);
	if (flags < 0 || fcntl(FIRST_FD, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC) < 0)
		return str_refuse(ret_reason, reason_size, "%s: %s", path, strerror(errno));
	*ret_fd = FIRST_FD;
	return 0;
}

void sd_notify_tell(const char *state)
{
	int fd;
	if (notify_len == 0)
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL,
	    (const struct sockaddr *)&notify_address, notify_len);
	(void)close(fd);
}

#define FILE_NAME "lock"
/*
 * A starting daemon connects to the lock's socket to learn the process of the holder. The holder
 * does not accept these connections.
 */
#define HOLDER_BACKLOG 4096
/* await_end() waits at most END_TRIES * END_TRY_MS for a daemon that is ending. */
#define END_TRIES 1000
#define END_TRY_MS 10

/* The lock file has "PID\nSOCKET\n". */
static void read_holder(int fd, struct lock_holder *ret_holder)
{
	char text[sizeof ret_holder->socket + 32];
	char *newline, *socket;
	uint32_t pid;
	ssize_t len;
	*ret_holder = (struct lock_holder){0};
	len = pread(fd, text, sizeof text - 1, 0);
	if (len <= 0)
		return;
	text[len] = '\0';
	newline = strchr(text, '\n');
	if (newline == NULL || !str_parse_u32(text, (size_t)(newline - text), &pid) ||
	    pid > INT_MAX)
		return;
	ret_holder->pid = (pid_t)pid;
	socket = newline + 1;
	newline = strchr(socket, '\n');
	if (newline != NULL && (size_t)(newline - socket) < sizeof ret_holder->socket)
		memcpy(ret_holder->socket, socket, (size_t)(newline - socket));
}

/* Opens the lock file. Returns -1 with a reason on failure, or if the file is not our own. */
static int open_file(int dir, const char *state_dir, char *ret_reason, size_t size)
{
	int fd = openat(dir, FILE_NAME,
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
	struct stat st;
	if (fd < 0)
		return str_refuse(ret_reason, size, "%s/" FILE_NAME ": %s", state_dir,
		    errno == ELOOP ? "is a symbolic link; remove it" : strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		return fd;
	(void)close(fd);
	return str_refuse(
	    ret_reason, size, "%s/" FILE_NAME ": is no file of ours; remove it", state_dir);
}

/* Waits a moment for the holder to end. Returns false if it is not ending, or takes too long. */
static bool await_end(const struct lock_holder *holder, unsigned *tries)
{
	if (strcmp(holder->socket, LOCK_ENDING) != 0 || ++*tries >= END_TRIES)
		return false;
	(void)usleep(END_TRY_MS * 1000);
	return true;
}

enum lock_result lock_take(const char *state_dir, int *ret_fd, struct lock_holder *ret_holder,
    char *ret_reason, size_t reason_size)
{
	enum lock_result result;
	int dir = state_dir_open(state_dir, ret_reason, reason_size);
	unsigned tries = 0, end_tries = 0;
	int fd;
	if (dir < 0)
		return LOCK_ERROR;
	fd = open_file(dir, state_dir, ret_reason, reason_size);
	(void)close(dir);
	if (fd < 0)
		return LOCK_ERROR;
	do {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
			*ret_fd = fd;
			return LOCK_OK;
		}
		result = errno == EWOULDBLOCK ? LOCK_HELD : LOCK_ERROR;
		if (result == LOCK_HELD)
			read_holder(fd, ret_holder);
	} while (result == LOCK_HELD &&
	    (process_await_release(ret_holder->pid, &tries) || await_end(ret_holder, &end_tries)));
	if (result == LOCK_ERROR)
		(void)str_refuse(
		    ret_reason, reason_size, "%s/" FILE_NAME ": %s", state_dir, strerror(errno));
	(void)close(fd);
	return result;
}

void lock_describe(int fd, const char *socket)
{
	char text[sizeof((struct lock_holder *)NULL)->socket + 32];
	int len = snprintf(text, sizeof text, "%ld\n%s\n", (long)getpid(), socket);
	struct stat st;
	/* The content of the file is information for people and starting daemons, not the lock. */
	if (fstat(fd, &st) < 0 || st.st_nlink > 1)
		log_warning("the lock has another name in the file system: it is not written");
	else if (len > 0 && (size_t)len < sizeof text && ftruncate(fd, 0) == 0)
		(void)!pwrite(fd, text, (size_t)len, 0);
}

/*
 * Finds the process that holds an address. LOCK_HELD with pid 0: it cannot be asked. Returns
 * LOCK_ERROR if another user holds the address, or on failure.
 */
static enum lock_result find_holder(
    const struct sockaddr_un *address, socklen_t len, struct lock_holder *ret_holder)
{
	struct ucred peer;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	enum lock_result result = LOCK_HELD;
	*ret_holder = (struct lock_holder){.socket = "of another state directory"};
	if (fd < 0)
		return LOCK_ERROR;
	if (connect(fd, (const struct sockaddr *)address, len) == 0) {
		if (process_is_peer(fd, &peer))
			ret_holder->pid = peer.pid;
		else
			result = LOCK_ERROR;
	}
	(void)close(fd);
	return result;
}

static enum lock_result take_address(
    const struct sockaddr_un *address, socklen_t len, int *ret_fd, struct lock_holder *ret_holder)
{
	enum lock_result result;
	unsigned tries = 0;
	do {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			return LOCK_ERROR;
		if (bind(fd, (const struct sockaddr *)address, len) == 0 &&
		    listen(fd, HOLDER_BACKLOG) == 0) {
			*ret_fd = fd;
			return LOCK_OK;
		}
		result = errno == EADDRINUSE ? find_holder(address, len, ret_holder) : LOCK_ERROR;
		(void)close(fd);
	} while (result == LOCK_HELD && process_await_release(ret_holder->pid, &tries));
	return result;
}

bool lock_server(struct server_lock *lock, const char *tmux_socket, struct lock_holder *ret_holder)
{
	pid_t server;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	unsigned long long start =
	    muxbus_server_pid(tmux_socket, &server) < 0 ? 0 : process_start_ticks(server);
	socklen_t len = offsetof(struct sockaddr_un, sun_path) + 1;
	enum lock_result result;
	if (start == 0 || (lock->server == server && lock->start == start))
		return true;
	if (lock->server != 0)
		(void)close(lock->fd); /* releases the lock of a server that has ended */
	lock->server = 0;
	len += (socklen_t)snprintf(address.sun_path + 1, sizeof address.sun_path - 1,
	    "muxbus/%u/%ld-%llu", (unsigned)geteuid(), (long)server, start);
	result = take_address(&address, len, &lock->fd, ret_holder);
	if (result == LOCK_OK) {
		lock->server = server;
		lock->start = start;
	}
	return result != LOCK_HELD;
}

/* The write end of the pipe to the parent, which waits until we are ready; -1: no parent waits. */
static int ready_pipe = -1;

/*
 * Waits in the parent. Exits with 0 when the child is ready, or with the status of a child that has
 * ended. The child prints its errors.
 */
static void __attribute__((noreturn)) wait_for_child(int fd, pid_t child)
{
	char word;
	ssize_t n;
	int status;
	do
		n = read(fd, &word, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		_exit(EXIT_SUCCESS);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

static void close_others(int a, int b)
{
	const int kept[] = {a < b ? a : b, a < b ? b : a};
	unsigned from = 3;
	for (size_t at = 0; at < 2; at++) {
		if (kept[at] > (int)from)
			(void)close_range(from, (unsigned)kept[at] - 1, 0);
		if (kept[at] >= (int)from)
			from = (unsigned)kept[at] + 1;
	}
	(void)close_range(from, UINT_MAX, 0);
}

int daemonize_enter(int keep_fd)
{
	int ends[2];
	pid_t child;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	child = fork();
	if (child < 0)
		return -1;
	if (child > 0) {
		(void)close(ends[1]); /* or read() would not see the end of the child */
		wait_for_child(ends[0], child);
	}
	ready_pipe = ends[1];
	close_others(ready_pipe, keep_fd);
	(void)setsid();
	return chdir("/");
}

void daemonize_ready(void)
{
	int null;
	if (ready_pipe < 0)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		(void)dup2(null, fd);
	if (null > 2)
		(void)close(null);
	(void)!write(ready_pipe, "", 1);
	(void)close(ready_pipe);
	ready_pipe = -1;
}

#define LISTEN_TRIES 50
#define LISTEN_TRY_MS 10

int start_fail(const char *format, ...)
{
	char text[2 * PATH_MAX + 512];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	(void)fprintf(stderr, "muxbusd: %s\n", text);
	return -1;
}

void start_write_ready(int fd)
{
	if (fd < 0)
		return;
	(void)!write(fd, "ready\n", 6);
	(void)close(fd);
}

int start_printed(bool is_written)
{
	if (is_written && fflush(stdout) == 0)
		return EXIT_SUCCESS;
	if (errno != EPIPE) /* the reader has closed its end */
		(void)start_fail("standard output: %s", strerror(errno));
	return EXIT_FAILURE;
}

int start_take_service(struct config *config)
{
	char reason[512];
	/* Jobs must not get the starter's descriptors. CLOSE_RANGE_CLOEXEC needs Linux 5.11. */
	if (close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC) < 0 && config->ready_fd > 2)
		(void)fcntl(config->ready_fd, F_SETFD, FD_CLOEXEC);
	if (sd_notify_take(config->socket, &config->listen_fd, reason, sizeof reason) < 0)
		return start_fail("%s", reason);
	if (config->listen_fd > 0 && !config->is_foreground)
		return start_fail("the socket comes from a service manager: add -f");
	return 0;
}

/*
 * If the socket of the running daemon was removed, makes the daemon listen again, by SIGUSR1. An
 * older version does not catch this signal, and would be ended by it, so it gets none.
 */
static void make_listen(const struct lock_holder *holder, const char *own_socket)
{
	const char *socket = holder->socket[0] == '/' ? holder->socket : own_socket;
	bool is_asked = false;
	for (unsigned tries = 0; tries < LISTEN_TRIES && holder->pid > 1; tries++) {
		int fd = link_connect(socket, 0);
		if (fd >= 0)
			(void)close(fd);
		if (fd >= 0 || (errno != ENOENT && errno != ECONNREFUSED) ||
		    !process_catches(holder->pid, SIGUSR1))
			return;
		if (!is_asked && kill(holder->pid, SIGUSR1) < 0)
			return;
		is_asked = true;
		(void)usleep(LISTEN_TRY_MS * 1000);
	}
}

/*
 * Returns the process of the tmux server, as in struct start: the one that was locked, or else the
 * one in the variable TMUX.
 */
static pid_t find_server(pid_t locked, const char *tmux_socket)
{
	const char *tmux = getenv("TMUX");
	size_t len = strlen(tmux_socket);
	char name[16];
	pid_t pid, answering;
	if (locked != 0 || tmux == NULL || strncmp(tmux, tmux_socket, len) != 0 || tmux[len] != ',')
		return locked;
	pid = (pid_t)atoi(tmux + len + 1);
	/* A server that answers, but could not be locked, may be in another PID namespace. */
	if (pid <= 0 || muxbus_server_pid(tmux_socket, &answering) == 0)
		return 0;
	/* Another program may have the pid of a server that has ended. */
	return process_read(pid, "comm", name, sizeof name) > 0 && strstr(name, "tmux") ? pid : -1;
}

enum start_result start_take(struct start *start, const struct config *config)
{
	struct lock_holder holder;
	char reason[2 * PATH_MAX + 256];
	enum lock_result result =
	    lock_take(config->state_dir, &start->lock_fd, &holder, reason, sizeof reason);
	if (result == LOCK_OK && !config->is_fleet &&
	    !lock_server(&start->server_lock, config->tmux_socket, &holder))
		result = LOCK_HELD;
	switch (result) {
	case LOCK_OK:
		lock_describe(start->lock_fd, ""); /* the daemon does not listen yet */
		break;
	case LOCK_HELD:
		make_listen(&holder, config->socket);
		(void)fprintf(stderr, "muxbusd: already running for %s: process %ld, socket %s\n",
		    config->is_fleet ? "the fleet" : "this tmux server", (long)holder.pid,
		    holder.socket[0] ? holder.socket : "not open yet");
		if (config->listen_fd > 0) {
			(void)start_fail("stop that daemon or this service: that daemon does not "
					 "listen on the socket of the service");
			return START_FAILED;
		}
		start_write_ready(config->ready_fd);
		return START_RUNNING;
	case LOCK_ERROR:
		(void)start_fail("%s", reason);
		return START_FAILED;
	}
	if (log_file_open(config->log_file, "muxbusd", config->log_level, reason, sizeof reason) <
	    0) {
		(void)start_fail("%s", reason);
		return START_FAILED;
	}
	start->server = find_server(start->server_lock.server, config->tmux_socket);
	/* The daemon is not in a pane, even if it was started in one. */
	(void)unsetenv("TMUX");
	(void)unsetenv("TMUX_PANE");
	library_log_take();
	(void)mallopt(
	    /* one thread uses nearly all memory, so a second arena would waste memory */
	    M_ARENA_MAX, 1);
	rlimit_raise_files();
	return START_OK;
}

int start_make_dir(const struct config *config, char *ret_reason, size_t size)
{
	char dir[PATH_MAX], own[PATH_MAX];
	const char *slash = strrchr(config->socket, '/');
	int fd;
	if (slash == NULL || slash == config->socket)
		return 0;
	(void)snprintf(dir, sizeof dir, "%.*s", (int)(slash - config->socket), config->socket);
	if (access(dir, F_OK) == 0)
		return 0; /* server_new() checks the directory */
	if (!config->is_fleet &&
	    (file_tmux_socket(own, sizeof own, "", NULL) < 0 ||
		strncmp(own, config->socket, (size_t)(slash - config->socket) + 1) != 0))
		return 0;
	fd = state_dir_open(dir, ret_reason, size);
	if (fd < 0)
		return -1;
	(void)close(fd);
	return 0;
}
