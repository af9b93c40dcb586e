/* SPDX-License-Identifier: ISC */
/*
 * The guardian process: when the test is gone, for any reason, it ends the processes of the test.
 */
#include "guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/job_file.h"
#include "base/xalloc.h"
#include "harness.h"

enum { NOTES_MAX_BYTES = 1024 * 1024 };

/*
 * The guardian's pipe: a line "D directory" or "P pid start" registers an object; the end of the
 * pipe means that the test is gone.
 */
static int guardian_fd = -1;
static pid_t guardian_pid;

/* When a process started, in clock ticks; 0 if it is gone. With the pid it names a process for good. */
static unsigned long long start_ticks(pid_t pid)
{
	char text[1024];
	unsigned long long ticks = 0;
	const char *field;
	FILE *file;
	(void)snprintf(text, sizeof text, "/proc/%d/stat", (int)pid);
	file = fopen(text, "re");
	if (file == NULL)
		return 0;
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	(void)fclose(file);
	field = strrchr(text, ')');
	for (int i = 2; i < 22 && field != NULL; i++)
		field = strchr(field + 1, ' ');
	if (field != NULL)
		ticks = strtoull(field, NULL, 10);
	return ticks;
}

static void end_process(const char *note)
{
	char *rest;
	pid_t pid = (pid_t)strtol(note, &rest, 10);
	if (pid <= 1 || start_ticks(pid) != strtoull(rest, NULL, 10))
		return;
	(void)kill(pid, SIGCONT);
	(void)kill(pid, SIGKILL);
}

static void remove_directory(const char *path)
{
	pid_t pid = fork();
	if (pid == 0) {
		(void)execl("/bin/rm", "rm", "-rf", path, (char *)NULL);
		_exit(127);
	}
	(void)waitpid(pid, NULL, 0);
}

/* Kills the supervisor that holds a lock, and its command, if they run. */
static void end_job(char *lock_path)
{
	char *name = strrchr(lock_path, '/') + 1;
	struct job_start start;
	char note[64];
	int fd = open(lock_path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, note, sizeof note - 1);
	int dir_fd;
	if (fd >= 0)
		(void)close(fd);
	if (len <= 0)
		return;
	note[len] = '\0';
	name[-1] = '\0';
	*strchr(name, '.') = '\0';
	dir_fd = open(lock_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (job_start_read(dir_fd, name, &start) == 0 && start_ticks(start.pid) == start.pid_start)
		(void)kill(-start.pid, SIGKILL);
	(void)close(dir_fd);
	end_process(note);
}

/* Jobs outlive the daemon that started them, but must not outlive the test. */
static void end_jobs(const char *dir)
{
	char *pattern = xasprintf("%s/muxbus/*/jobs/*.lock", dir);
	glob_t found = {0};
	if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			end_job(found.gl_pathv[i]);
	}
	globfree(&found);
	mem_free(pattern);
}

static void guardian_clean(char *notes)
{
	char *save = NULL;
	char *copy = xstrdup(notes);
	for (char *note = strtok_r(copy, "\n", &save); note; note = strtok_r(NULL, "\n", &save)) {
		if (note[0] == 'P')
			end_process(note + 2);
	}
	for (char *note = strtok_r(notes, "\n", &save); note; note = strtok_r(NULL, "\n", &save)) {
		if (note[0] != 'D')
			continue;
		end_jobs(note + 2);
		remove_directory(note + 2);
	}
	mem_free(copy);
}

static _Noreturn void guardian_run(int fd)
{
	struct buf notes;
	ssize_t n;
	char bytes[4096];
	int null_fd = open("/dev/null", O_RDWR);
	(void)setsid();
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGTERM, SIG_IGN);
	for (int i = 0; i <= 2; i++)
		(void)dup2(null_fd, i);
	buf_init(&notes, NOTES_MAX_BYTES);
	while ((n = read(fd, bytes, sizeof bytes)) > 0 || (n == -1 && errno == EINTR)) {
		if (n > 0)
			(void)buf_append(&notes, bytes, (size_t)n);
	}
	if (notes.len > 0)
		guardian_clean((char *)notes.data);
	_exit(0);
}

static void guardian_end(void)
{
	if (guardian_fd == -1 || getpid() == guardian_pid)
		return;
	(void)close(guardian_fd);
	guardian_fd = -1;
	(void)waitpid(guardian_pid, NULL, 0);
}

static void end_by_signal(int signal_number)
{
	(void)signal_number;
	guardian_end();
	_exit(99);
}

static pid_t guarded_pid; /* its exit handlers clean up: forked children must not run them */

static void at_exit(void)
{
	if (getpid() == guarded_pid)
		guardian_end();
}

void guardian_start(void)
{
	int fds[2];
	if (guardian_fd != -1)
		return;
	(void)fflush(stdout);
	if (pipe2(fds, O_CLOEXEC) == -1)
		live_bail("pipe: %s", strerror(errno));
	guardian_pid = fork();
	if (guardian_pid == 0) {
		(void)close(fds[1]);
		guardian_run(fds[0]);
	}
	(void)close(fds[0]);
	guardian_fd = fds[1];
	guarded_pid = getpid();
	(void)atexit(at_exit);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGTERM, end_by_signal);
	(void)signal(SIGINT, end_by_signal);
	(void)signal(SIGALRM, end_by_signal);
}

static void tell(const char *note)
{
	size_t len = strlen(note);
	if (write(guardian_fd, note, len) != (ssize_t)len)
		live_bail("guardian: %s", strerror(errno));
}

void guardian_process(pid_t pid)
{
	char note[64];
	(void)snprintf(note, sizeof note, "P %d %llu\n", (int)pid, start_ticks(pid));
	tell(note);
}

void guardian_directory(const char *path)
{
	char note[128];
	(void)snprintf(note, sizeof note, "D %s\n", path);
	tell(note);
}
