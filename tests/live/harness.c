/* SPDX-License-Identifier: ISC */
/* Private tmux servers and the daemon on them, with a guaranteed end. */
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "guardian.h"

enum { LENT_RESULTS = 16, READY_FD = 3, OUTPUT_MAX = 64 * 1024 * 1024, BINARIES_MAX = 16 };

/* The oldest release that the library supports, as release_of() counts. */
#define OLDEST_RELEASE 3003000

/* Small helpers. */

_Noreturn void live_bail(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)printf("Bail out! ");
	(void)vprintf(format, args);
	(void)printf("\n");
	va_end(args);
	exit(99);
}

int64_t live_now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t live_now_ms(void)
{
	return live_now_ns() / 1000000;
}

void live_sleep_ms(int ms)
{
	struct timespec rest = {ms / 1000, (ms % 1000) * 1000000L};
	while (nanosleep(&rest, &rest) == -1 && errno == EINTR)
		;
}

/* Binaries. */

const char *live_cached(const char *name)
{
	const char *dir = getenv("MUXBUS_TMUX_CACHE");
	char *path = dir == NULL ? NULL : xasprintf("%s/%s", dir, name);
	if (path != NULL && access(path, X_OK) == 0)
		return path;
	mem_free(path);
	return NULL;
}

const char *live_tmux_path(void)
{
	static char found[256];
	const char *path = getenv("PATH");
	for (const char *dir = path; found[0] == '\0' && dir != NULL && *dir != '\0';) {
		size_t len = strcspn(dir, ":");
		(void)snprintf(found, sizeof found, "%.*s/tmux", (int)len, dir);
		if (access(found, X_OK) != 0)
			found[0] = '\0';
		dir += len + (dir[len] == ':');
	}
	if (found[0] == '\0')
		skip_all("no tmux in the PATH");
	return found;
}

/* "3.3a" as a number for comparison, 3003001; 0: not a release. */
static unsigned release_of(const char *version)
{
	unsigned major, minor;
	char letter = '`', rest;
	int fields = sscanf(version, "%2u.%2u%c%c", &major, &minor, &letter, &rest);
	if (fields < 2 || fields > 3 || letter < '`' || letter > 'z')
		return 0;
	return major * 1000000 + minor * 1000 + (unsigned)(letter - '`');
}

static unsigned release_of_program(const char *program)
{
	char version[32] = "";
	char *command = xasprintf("'%s' -V", program);
	FILE *answer = popen(command, "re");
	if (answer != NULL) {
		if (fscanf(answer, "tmux %31s", version) != 1)
			version[0] = '\0';
		(void)pclose(answer);
	}
	mem_free(command);
	return release_of(version);
}

static int compare_releases(const struct dirent **a, const struct dirent **b)
{
	unsigned release_a = release_of((*a)->d_name + strlen("tmux-"));
	unsigned release_b = release_of((*b)->d_name + strlen("tmux-"));
	return release_a < release_b ? -1 : release_a > release_b;
}

static int is_supported(const struct dirent *entry)
{
	return strncmp(entry->d_name, "tmux-", 5) == 0 &&
	    release_of(entry->d_name + 5) >= OLDEST_RELEASE;
}

const char *const *live_tmux_paths(void)
{
	static const char *paths[BINARIES_MAX + 1];
	const char *dir = getenv("MUXBUS_TMUX_CACHE");
	struct dirent **entries = NULL;
	unsigned own;
	size_t n = 0;
	int count;
	if (paths[0] != NULL)
		return paths;
	paths[n++] = live_tmux_path();
	own = release_of_program(paths[0]);
	count = dir == NULL ? 0 : scandir(dir, &entries, is_supported, compare_releases);
	for (int i = 0; i < count; i++) {
		const char *path = live_cached(entries[i]->d_name);
		if (path != NULL && release_of(entries[i]->d_name + 5) != own && n < BINARIES_MAX)
			paths[n++] = path;
		free(entries[i]);
	}
	free(entries);
	return paths;
}

/* The program itself if libtool made a script of it; the script would distort measurements. */
const char *live_daemon_path(void)
{
	static char path[512];
	static char libraries[512];
	const char *dir = getenv("MUXBUS_BUILDDIR") == NULL ? "." : getenv("MUXBUS_BUILDDIR");
	(void)snprintf(path, sizeof path, "%s/.libs/muxbusd", dir);
	if (access(path, X_OK) == 0) {
		(void)snprintf(libraries, sizeof libraries, "%s/.libs", dir);
		(void)setenv("LD_LIBRARY_PATH", libraries, 1);
		return path;
	}
	(void)snprintf(path, sizeof path, "%s/muxbusd", dir);
	if (access(path, X_OK) != 0)
		skip_all("muxbusd is not built");
	return path;
}

/* Running things. */

static void enter(const struct live *live)
{
	(void)setenv("HOME", live->dir, 1);
	(void)setenv("TMUX_TMPDIR", live->dir, 1);
	(void)setenv("XDG_STATE_HOME", live->dir, 1);
	(void)unsetenv("XDG_CONFIG_HOME");
	(void)setenv("LC_ALL", "C.UTF-8", 1);
	(void)setenv("TERM", "xterm-256color", 1);
	(void)setenv("SHELL", "/bin/sh", 1);
	(void)setenv("PS1", "$ ", 1);
	(void)unsetenv("TMUX");
	(void)unsetenv("TMUX_PANE");
	(void)unsetenv("MUXBUS");
	(void)unsetenv("ENV");
	(void)signal(SIGPIPE, SIG_DFL);
	if (chdir(live->dir) == -1)
		_exit(126);
}

/* Runs a shell command with its output in a pipe, all bytes of which are collected. */
static const char *collect(struct live *live, const char *command)
{
	static struct buf lent[LENT_RESULTS];
	static size_t turn;
	struct buf *out = &lent[turn++ % LENT_RESULTS];
	char bytes[65536];
	ssize_t n;
	int fds[2];
	int status = -1;
	pid_t pid;
	out->max = OUTPUT_MAX;
	buf_clear(out);
	(void)buf_append(out, "", 0);
	(void)fflush(stdout);
	if (pipe2(fds, O_CLOEXEC) == -1)
		live_bail("pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		(void)dup2(fds[1], 1);
		(void)dup2(fds[1], 2);
		enter(live);
		(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	(void)close(fds[1]);
	while ((n = read(fds[0], bytes, sizeof bytes)) > 0 || (n == -1 && errno == EINTR)) {
		if (n > 0)
			(void)buf_append(out, bytes, (size_t)n);
	}
	(void)close(fds[0]);
	while (waitpid(pid, &status, 0) == -1 && errno == EINTR)
		;
	live->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (out->len > 0 && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	return out->data == NULL ? "" : (const char *)out->data;
}

static const char *run_tmux(struct live *live, const char *format, va_list args)
{
	struct buf command;
	const char *out;
	buf_init(&command, OUTPUT_MAX);
	(void)buf_printf(
	    &command, "exec '%s' -S '%s' -f /dev/null ", live->tmux, live->tmux_socket);
	(void)buf_vprintf(&command, format, args);
	out = collect(live, (const char *)command.data);
	buf_finish(&command);
	return out;
}

const char *live_tmux(struct live *live, const char *format, ...)
{
	va_list args;
	const char *out;
	va_start(args, format);
	out = run_tmux(live, format, args);
	va_end(args);
	return out;
}

const char *live_run(struct live *live, const char *format, ...)
{
	struct buf command;
	va_list args;
	const char *out;
	buf_init(&command, OUTPUT_MAX);
	va_start(args, format);
	(void)buf_vprintf(&command, format, args);
	va_end(args);
	out = collect(live, (const char *)command.data);
	buf_finish(&command);
	return out;
}

bool live_tmux_until(struct live *live, const char *want, const char *format, ...)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	const char *out;
	for (;;) {
		va_list args;
		va_start(args, format);
		out = run_tmux(live, format, args);
		va_end(args);
		if (strcmp(out, want) == 0)
			return true;
		if (live_now_ms() > end_ms)
			break;
		live_sleep_ms(20);
	}
	diag("waited for \"%s\", got \"%s\"", want, out);
	return false;
}

pid_t live_spawn(struct live *live, const char *format, ...)
{
	va_list args;
	struct buf command;
	pid_t pid;
	buf_init(&command, OUTPUT_MAX);
	va_start(args, format);
	(void)buf_vprintf(&command, format, args);
	va_end(args);
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int null_fd = open("/dev/null", O_RDWR);
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)dup2(null_fd, 0);
		(void)dup2(null_fd, 1);
		enter(live);
		(void)execl("/bin/sh", "sh", "-c", (char *)command.data, (char *)NULL);
		_exit(127);
	}
	buf_finish(&command);
	guardian_process(pid);
	return pid;
}

/* A server. */

struct live *live_new(const char *tmux)
{
	static int count;
	struct live *live = xcalloc(1, sizeof *live);
	const char *version, *number;
	guardian_start();
	live->tmux = tmux == NULL ? live_tmux_path() : tmux;
	(void)snprintf(live->dir, sizeof live->dir, "/tmp/mbt-%d-XXXXXX", (int)getpid());
	if (mkdtemp(live->dir) == NULL)
		live_bail("%s: %s", live->dir, strerror(errno));
	guardian_directory(live->dir);
	(void)snprintf(live->tmux_socket, sizeof live->tmux_socket, "%s/mbt-%d-%d", live->dir,
	    (int)getpid(), count++);
	(void)snprintf(live->socket, sizeof live->socket, "%s.muxbus", live->tmux_socket);
	/* The programs of the tests that are agents: their rows remove nothing. */
	(void)live_run(live,
	    "mkdir -p .config/muxbus && printf 'fake_agent ready\nedit ready\n' "
	    ">.config/muxbus/agents");
	version = live_run(live, "'%s' -V", live->tmux);
	number = strrchr(version, ' ');
	if (number == NULL)
		live_bail("%s -V: %s", live->tmux, version);
	(void)snprintf(live->version, sizeof live->version, "%s", number + 1);
	return live;
}

void live_start_tmux(struct live *live, const char *command)
{
	const char *out = live_tmux(
	    live, "new-session -d -s main -x 80 -y 24 -- '%s'", command == NULL ? "sh" : command);
	if (live->status != 0)
		live_bail("%s: new-session: %s", live->tmux, out);
	out = live_tmux(live, "display-message -p '#{pid}'");
	live->server_pid = (pid_t)atoi(out);
	if (live->server_pid <= 1)
		live_bail("%s: no server: %s", live->tmux, out);
	guardian_process(live->server_pid);
}

static _Noreturn void exec_daemon(const struct live *live, const char *arguments, int ready_fd)
{
	const char *wrapper = getenv("MUXBUS_WRAPPER"), *attach = getenv("MUXBUS_TEST_ATTACH");
	char *command = xasprintf("exec %s '%s' -f --ready-fd %d %s%s -S '%s' %s",
	    wrapper != NULL ? wrapper : "", live_daemon_path(), READY_FD,
	    attach != NULL ? "-o attach=" : "", attach != NULL ? attach : "", live->tmux_socket,
	    arguments != NULL ? arguments : "");
	char log_path[64];
	int log_fd, null_fd;
	(void)snprintf(log_path, sizeof log_path, "%s/muxbusd.log", live->dir);
	log_fd = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
	null_fd = open("/dev/null", O_RDWR);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)dup2(null_fd, 0);
	(void)dup2(log_fd, 1);
	(void)dup2(log_fd, 2);
	if (ready_fd == READY_FD)
		(void)fcntl(ready_fd, F_SETFD, 0);
	else
		(void)dup2(ready_fd, READY_FD);
	enter(live);
	(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

bool live_try_daemon(struct live *live, const char *arguments)
{
	int fds[2], status;
	char byte;
	struct pollfd wait;
	bool is_ready;
	pid_t pid;
	(void)fflush(stdout);
	(void)live_daemon_path();
	if (pipe2(fds, O_CLOEXEC) == -1)
		live_bail("pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		exec_daemon(live, arguments, fds[1]);
	guardian_process(pid);
	(void)close(fds[1]);
	wait = (struct pollfd){.fd = fds[0], .events = POLLIN};
	is_ready = poll(&wait, 1, LIVE_TIMEOUT_MS) == 1 && read(fds[0], &byte, 1) == 1;
	(void)close(fds[0]);
	if (is_ready) {
		live->daemon_pid = pid;
		return true;
	}
	status = 0;
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
	live->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return false;
}

void live_start_daemon(struct live *live, const char *arguments)
{
	if (!live_try_daemon(live, arguments))
		live_bail("muxbusd is not ready: %s", live_daemon_log(live));
}

const char *live_daemon_log(struct live *live)
{
	return live_run(live, "cat muxbusd.log");
}

int live_stop_daemon(struct live *live, int signal_number)
{
	int64_t end_ms = live_now_ms() + LIVE_TIMEOUT_MS;
	pid_t pid = live->daemon_pid;
	int status = -1;
	if (pid == 0)
		return -1;
	if (signal_number != 0)
		(void)kill(pid, signal_number);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (live_now_ms() > end_ms)
			return -1;
		live_sleep_ms(5);
	}
	live->daemon_pid = 0;
	return status;
}

struct live *live_start(const char *tmux, const char *command)
{
	struct live *live = live_new(tmux);
	live_start_tmux(live, command);
	live_start_daemon(live, NULL);
	return live;
}

void live_free(struct live *live)
{
	if (live->daemon_pid != 0 && live_stop_daemon(live, SIGTERM) == -1) {
		diag("muxbusd did not end at SIGTERM");
		(void)live_stop_daemon(live, SIGKILL);
	}
	if (live->server_pid != 0) {
		(void)live_tmux(live, "kill-server");
		(void)kill(live->server_pid, SIGKILL);
	}
	/* Jobs outlive the daemon that started them, but not the test. */
	(void)live_run(live,
	    "sed -n 's/^pid=/-/p' muxbus/*/jobs/*.started 2>/dev/null | "
	    "xargs -r kill -9 -- 2>/dev/null || :");
	(void)live_run(live, "rm -rf '%s'", live->dir);
	mem_free(live);
}

/* CPU, memory and wake-ups of processes. */

static uint64_t read_task(const char *path, const char *key)
{
	char text[4096];
	FILE *file = fopen(path, "re");
	const char *found;
	size_t n;
	if (file == NULL)
		return 0;
	n = fread(text, 1, sizeof text - 1, file);
	(void)fclose(file);
	text[n] = '\0';
	found = strstr(text, key);
	return found == NULL ? 0 : strtoull(found + strlen(key), NULL, 10);
}

struct live_usage live_usage(pid_t pid)
{
	struct live_usage usage = {0};
	char path[320];
	DIR *dir;
	(void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	dir = opendir(path);
	for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(
		    path, sizeof path, "/proc/%d/task/%s/schedstat", (int)pid, entry->d_name);
		usage.cpu_ns += read_task(path, "");
		(void)snprintf(
		    path, sizeof path, "/proc/%d/task/%s/status", (int)pid, entry->d_name);
		usage.wakeups += read_task(path, "\nvoluntary_ctxt_switches:");
		usage.wakeups += read_task(path, "\nnonvoluntary_ctxt_switches:");
	}
	if (dir != NULL)
		(void)closedir(dir);
	(void)snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
	usage.rss_bytes = read_task(path, "Rss:") * 1024;
	return usage;
}

size_t live_connections(const struct live *live, pid_t *ret_pids, size_t max)
{
	char path[64];
	size_t n = 0;
	int pid;
	FILE *file;
	(void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)live->daemon_pid,
	    (int)live->daemon_pid);
	file = fopen(path, "re");
	while (file != NULL && n < max && fscanf(file, "%d", &pid) == 1)
		ret_pids[n++] = pid;
	if (file != NULL)
		(void)fclose(file);
	return n;
}
