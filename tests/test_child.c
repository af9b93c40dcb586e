/* SPDX-License-Identifier: ISC */
/* Starting a program: its streams, signals, group, directory and environment, and its failures. */
#include "base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

enum { LARGE = 1024 * 1024, LIMIT_MS = 10000, FDS_MAX = 1024 };

static char self[4096]; /* this program */
static char folder[] = "/tmp/muxbus-child-XXXXXX";

static size_t count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t count = 0;
	while (dir != NULL && readdir(dir) != NULL)
		count++;
	if (dir != NULL)
		(void)closedir(dir);
	return count;
}

/* "PROGRAM fds": the open descriptors, without the one that reads them. */
static int report_fds(void)
{
	for (int fd = 0; fd < FDS_MAX; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			(void)printf("%d ", fd);
	return 0;
}

/* "PROGRAM signals": the blocked and the ignored ones. */
static int report_signals(void)
{
	sigset_t mask;
	(void)sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;
		if (sigismember(&mask, number) == 1)
			(void)printf("blocked %d ", number);
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			(void)printf("ignored %d ", number);
	}
	return 0;
}

/* "PROGRAM place": the group, the session, and the signal at the death of the parent. */
static int report_place(void)
{
	int death = 0;
	(void)prctl(PR_GET_PDEATHSIG, &death);
	(void)printf("%s %s %d", getpgrp() == getpid() ? "group" : "-",
	    getsid(0) == getpid() ? "session" : "-", death);
	return 0;
}

/* "PROGRAM limit": the limit of open descriptors. */
static int report_limit(void)
{
	struct rlimit limit;
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	(void)printf("%d", (int)limit.rlim_cur);
	return 0;
}

/* "PROGRAM streams": writes to each stream which one it is; then the fourth echoes the first. */
static int report_streams(void)
{
	char bytes[64];
	ssize_t len = read(STDIN_FILENO, bytes, sizeof bytes);
	(void)!write(STDOUT_FILENO, "out", 3);
	(void)!write(STDERR_FILENO, "err", 3);
	(void)!write(3, bytes, len > 0 ? (size_t)len : 0);
	return 0;
}

static void count_one(void *data, pid_t pid UNUSED)
{
	++*(int *)data;
}

/* "PROGRAM walk": walks the tree of its processes both ways. */
static int report_walk(void)
{
	int count = 0;
	process_tree_walk(getpid(), count_one, &count);
	process_tree_walk_up(getpid(), count_one, &count);
	return count == 2 ? 0 : 1;
}

static int report(const char *what)
{
	static const struct {
		const char *name;
		int (*fn)(void);
	} reports[] = {
	    {"fds", report_fds},
	    {"signals", report_signals},
	    {"place", report_place},
	    {"limit", report_limit},
	    {"streams", report_streams},
	    {"walk", report_walk},
	};
	for (size_t at = 0; at < sizeof reports / sizeof *reports; at++)
		if (strcmp(reports[at].name, what) == 0)
			return reports[at].fn();
	return 2;
}

/* All that can be read, as text. */
static const char *read_text(int fd)
{
	static char text[4096];
	size_t len = 0;
	for (ssize_t n = 1; n > 0 && len<sizeof text - 1; len += n> 0 ? (size_t)n : 0)
		n = read(fd, text + len, sizeof text - 1 - len);
	text[len] = '\0';
	close(fd);
	return text;
}

/* Starts with a pipe from standard output, and returns all output. */
static const char *output_of(struct child_options *options)
{
	struct child child;
	const char *text;
	int error;
	if (options->streams[1].kind == CHILD_INHERIT)
		options->streams[1].kind = CHILD_PIPE_OUT;
	error = child_start(options, &child);
	if (error != 0)
		return strerror(error);
	text = read_text(child.ends[1]);
	(void)child_reap(child.pid);
	return text;
}

static const char *report_of(const char *what, struct child_options options)
{
	char *argv[] = {self, (char *)(uintptr_t)what, NULL};
	options.path = self;
	options.argv = argv;
	return output_of(&options);
}

static void fails(
    const struct child_options *options, int error, enum child_step step, const char *what)
{
	size_t before = count_fds();
	struct child child;
	is_int(child_start(options, &child), error, "%s: %s", what, strerror(error));
	is_int(child.failed, step, "%s: the step that failed", what);
	ok(child.pid == 0 && child.pidfd == -1 && child.ends[0] == -1 && child.ends[1] == -1,
	    "%s: there is no child", what);
	is_int((long long)count_fds(), (long long)before, "%s: all is closed", what);
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "%s: nothing is left to reap", what);
}

static void test_failures(void)
{
	char *argv[] = {(char *)"muxbus-none", NULL};
	struct child_options options = {.argv = argv,
	    .streams = {{CHILD_PIPE_IN, 0}, {CHILD_PIPE_OUT, 0}},
	    .wants_pidfd = true};
	char gone[4096], file[4096];
	(void)snprintf(gone, sizeof gone, "%s/gone", folder);
	(void)snprintf(file, sizeof file, "%s/file", folder);
	close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	fails(&options, ENOENT, CHILD_EXEC, "a name that PATH does not have");
	options.path = gone;
	fails(&options, ENOENT, CHILD_EXEC, "a path without a file");
	options.path = file;
	fails(&options, EACCES, CHILD_EXEC, "a file that is not executable");
	options.path = "/bin/true";
	options.dir = gone;
	fails(&options, ENOENT, CHILD_DIR, "a directory that is gone");
	options.dir = file;
	fails(&options, ENOTDIR, CHILD_DIR, "a directory that is a file");
	options.dir = NULL;
	options.streams[2] = (struct child_stream){CHILD_FD, 999};
	fails(&options, EBADF, CHILD_FORK, "a descriptor that is closed");
	(void)unlink(file);
}

static void test_no_room(void)
{
	char *argv[] = {(char *)"true", NULL};
	const struct child_options options = {.path = "/bin/true",
	    .argv = argv,
	    .streams = {{CHILD_PIPE_IN, 0}, {CHILD_PIPE_OUT, 0}}};
	struct rlimit before, limit;
	struct child child;
	int next = dup(0), error;
	close(next);
	(void)getrlimit(RLIMIT_NOFILE, &before);
	limit = before;
	limit.rlim_cur = (rlim_t)next + 2;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	error = child_start(&options, &child);
	(void)setrlimit(RLIMIT_NOFILE, &before);
	is_int(error, EMFILE, "the second pipe has no room");
	is_int(child.failed, CHILD_FORK, "this is before the start");
	is_int(fcntl(next, F_GETFD), -1, "the first pipe is closed");
}

static void test_environment(void)
{
	char *const env[] = {(char *)"A=b", NULL};
	char *const argv[] = {(char *)"env", NULL};
	char *const asking[] = {(char *)"printenv", (char *)"MUXBUS_CHILD", NULL};
	struct child_options options = {.path = "/usr/bin/env", .argv = argv, .env = env};
	char path[4200], script[4200];
	char *const searching[] = {path, NULL};
	char *const words[] = {(char *)"muxbus-own", NULL};
	FILE *file;
	is_str(output_of(&options), "A=b\n", "the environment is the one that is given");
	(void)setenv("MUXBUS_CHILD", "here", 1);
	options = (struct child_options){.path = "/usr/bin/printenv", .argv = asking};
	is_str(output_of(&options), "here\n", "NULL is ours");
	(void)snprintf(path, sizeof path, "PATH=%s", folder);
	(void)snprintf(script, sizeof script, "%s/muxbus-own", folder);
	file = fopen(script, "we");
	(void)fputs("#!/bin/sh\necho found\n", file);
	(void)fclose(file);
	(void)chmod(script, 0700);
	options = (struct child_options){.argv = words, .env = searching, .group = CHILD_NEW_GROUP};
	is_str(output_of(&options), "found\n", "a name is searched in PATH of its environment");
	is_str(getenv("MUXBUS_CHILD"), "here", "our environment stays");
	(void)unlink(script);
}

static void test_place(void)
{
	char *const argv[] = {(char *)"pwd", NULL};
	struct child_options options = {.argv = argv, .dir = "/proc"};
	const struct rlimit limit = {.rlim_cur = 77, .rlim_max = 77};
	is_str(output_of(&options), "/proc\n", "the directory");
	is_str(report_of("place", (struct child_options){0}), "- - 0", "our group");
	is_str(report_of("place", (struct child_options){.group = CHILD_NEW_GROUP}), "group - 0",
	    "a new group");
	is_str(report_of("place", (struct child_options){.group = CHILD_NEW_SESSION}),
	    "group session 0", "a new session");
	is_str(report_of("place", (struct child_options){.death_signal = SIGKILL}), "- - 9",
	    "the signal at our death");
	is_str(report_of("limit", (struct child_options){.files = &limit}), "77",
	    "the limit of descriptors");
}

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
	handled = number;
}

static void test_signals(void)
{
	sigset_t some, before, after;
	(void)sigemptyset(&some);
	(void)sigaddset(&some, SIGTERM);
	(void)sigaddset(&some, SIGUSR1);
	(void)sigprocmask(SIG_BLOCK, &some, &before);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGUSR2, on_signal);
	is_str(
	    report_of("signals", (struct child_options){0}), "", "no signal is blocked or ignored");
	is_str(report_of("signals", (struct child_options){.defaults = {SIGPIPE}}), "ignored 1 ",
	    "signals that are not named stay ignored");
	(void)sigprocmask(SIG_SETMASK, NULL, &after);
	ok(sigismember(&after, SIGTERM) == 1 && sigismember(&after, SIGINT) == 0, "our mask stays");
	(void)raise(SIGUSR2);
	is_int(handled, SIGUSR2, "our handlers stay");
	ok(signal(SIGPIPE, SIG_DFL) == SIG_IGN, "a signal that we ignore stays ignored here");
	(void)signal(SIGHUP, SIG_DFL);
	(void)signal(SIGUSR2, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
}

static void test_fds(void)
{
	int high = fcntl(0, F_DUPFD_CLOEXEC, 200), fds[2];
	is_str(report_of("fds", (struct child_options){0}), "0 1 2 ",
	    "no descriptor of ours is in the program");
	is_str(report_of("fds", (struct child_options){.streams = {[3] = {CHILD_NULL, 0}}}),
	    "0 1 2 3 ", "a fourth descriptor");
	(void)!pipe2(fds, O_CLOEXEC);
	is_str(
	    report_of("fds",
		(struct child_options){.streams = {{CHILD_FD, fds[0]}, [2] = {CHILD_FD, fds[1]}}}),
	    "0 1 2 ", "descriptors that become streams are not there twice");
	(void)fcntl(high, F_SETFD, 0);
	is_str(report_of("fds", (struct child_options){.is_shut = true}), "0 1 2 ",
	    "nor, if it is shut, one that programs inherit");
	is_str(report_of("fds",
		   (struct child_options){.is_shut = true, .streams = {[3] = {CHILD_NULL, 0}}}),
	    "0 1 2 3 ", "but the fourth stream");
	close(fds[0]);
	close(fds[1]);
	close(high);
}

static void test_streams(void)
{
	char *const argv[] = {self, (char *)"streams", NULL};
	const struct child_options options = {
	    .path = self,
	    .argv = argv,
	    .streams = {{CHILD_PIPE_IN, 0}, {CHILD_PIPE_OUT, 0}, {CHILD_PIPE_OUT, 0},
		{CHILD_PIPE_OUT, 0}},
	    .wants_pidfd = true,
	};
	struct pollfd ended = {.events = POLLIN};
	struct child child;
	is_int(child_start(&options, &child), 0, "a start with four pipes");
	for (int at = 0; at < CHILD_STREAMS; at++)
		ok(fcntl(child.ends[at], F_GETFD) == FD_CLOEXEC, "end %d is close-on-exec", at);
	(void)!write(child.ends[0], "in", 2);
	close(child.ends[0]);
	is_str(read_text(child.ends[1]), "out", "standard output");
	is_str(read_text(child.ends[2]), "err", "standard error");
	is_str(read_text(child.ends[3]), "in", "the input, from the fourth descriptor");
	ended.fd = child.pidfd;
	is_int(poll(&ended, 1, LIMIT_MS), 1, "the pidfd is readable at the end");
	is_int(child_reap(child.pid), 0, "the status");
	is_int(child_reap(child.pid), -1, "there is no child any more");
	close(child.pidfd);
}

/* Descriptors that stand in each other's places. */
static void test_crossed(void)
{
	int saved[CHILD_STREAMS], fds[2], out[2];
	char *const argv[] = {self, (char *)"streams", NULL};
	struct child_options options = {.path = self, .argv = argv};
	struct child child;
	int error;
	(void)fflush(stdout);
	(void)!pipe2(fds, O_CLOEXEC);
	(void)!pipe2(out, O_CLOEXEC);
	(void)!write(fds[1], "in", 2);
	for (int at = 0; at < CHILD_STREAMS; at++)
		saved[at] = fcntl(at, F_DUPFD_CLOEXEC, 50);
	(void)dup3(fds[0], 3, O_CLOEXEC);
	(void)dup3(out[1], 0, O_CLOEXEC);
	options.streams[0] = (struct child_stream){CHILD_FD, 3};
	options.streams[1] = (struct child_stream){CHILD_FD, 0};
	options.streams[2] = (struct child_stream){CHILD_NULL, 0};
	options.streams[3] = (struct child_stream){CHILD_FD, 0};
	error = child_start(&options, &child);
	for (int at = 0; at < CHILD_STREAMS; at++)
		if (saved[at] >= 0)
			(void)dup3(saved[at], at, at == 3 ? O_CLOEXEC : 0);
	is_int(error, 0, "descriptors change places");
	(void)child_reap(child.pid);
	for (int at = 0; at < CHILD_STREAMS; at++)
		if (saved[at] >= 0)
			close(saved[at]);
	close(fds[0]);
	close(fds[1]);
	close(out[1]);
	is_str(read_text(out[0]), "outin", "each is in its place");
}

/* Pipes of a process without standard streams take their numbers. */
static void test_closed(void)
{
	int saved[3];
	char *const argv[] = {self, (char *)"fds", NULL};
	const struct child_options options = {.path = self,
	    .argv = argv,
	    .streams = {{CHILD_PIPE_IN, 0}, {CHILD_PIPE_OUT, 0}, {CHILD_NULL, 0}}};
	struct child child;
	char text[64] = "";
	int error;
	(void)fflush(stdout);
	for (int fd = 0; fd < 3; fd++) {
		saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 50);
		close(fd);
	}
	error = child_start(&options, &child);
	if (error == 0) {
		close(child.ends[0]);
		(void)snprintf(text, sizeof text, "%s", read_text(child.ends[1]));
		(void)child_reap(child.pid);
	}
	for (int fd = 0; fd < 3; fd++) {
		(void)dup2(saved[fd], fd);
		close(saved[fd]);
	}
	is_int(error, 0, "a start without standard streams");
	is_str(text, "0 1 2 ", "the program has its streams");
}

static void test_large(void)
{
	char *const argv[] = {(char *)"cat", NULL};
	const struct child_options options = {
	    .argv = argv, .streams = {{CHILD_PIPE_IN, 0}, {CHILD_PIPE_OUT, 0}}};
	static char in[LARGE], out[LARGE + 1];
	size_t put = 0, got = 0;
	struct child child;
	for (size_t at = 0; at < LARGE; at++)
		in[at] = (char)(at * 7 + at / 251);
	is_int(child_start(&options, &child), 0, "a filter");
	(void)fcntl(child.ends[0], F_SETFL, O_NONBLOCK);
	for (;;) {
		struct pollfd fds[] = {{.fd = put < LARGE ? child.ends[0] : -1, .events = POLLOUT},
		    {.fd = child.ends[1], .events = POLLIN}};
		ssize_t n;
		if (poll(fds, 2, LIMIT_MS) <= 0)
			break;
		if (fds[0].revents != 0 && (n = write(child.ends[0], in + put, LARGE - put)) > 0)
			put += (size_t)n;
		if (fds[0].fd >= 0 && put == LARGE)
			close(child.ends[0]);
		if (fds[1].revents != 0) {
			n = read(child.ends[1], out + got, sizeof out - got);
			if (n <= 0)
				break;
			got += (size_t)n;
		}
	}
	close(child.ends[1]);
	is_int(child_reap(child.pid), 0, "the filter ends with its input");
	is_mem(out, got, in, LARGE, "1 MiB to a program and back");
}

static void test_status(void)
{
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)"kill -TERM $$", NULL};
	const struct child_options options = {.argv = argv};
	struct child child;
	int status;
	is_int(child_start(&options, &child), 0, "a program that kills itself");
	is_int(child.pidfd, -1, "no pidfd that was not wanted");
	status = child_reap(child.pid);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "its status is the signal");
}

/* `ulimit -s` may limit the stack to 64 KiB, in muxbus-job too. */
static void test_small_stack(void)
{
	char *argv[] = {
	    (char *)"sh", (char *)"-c", (char *)"ulimit -s 64; exec \"$0\" walk", self, NULL};
	const struct child_options options = {.argv = argv};
	struct child child;
	is_int(child_start(&options, &child), 0, "a program with a small stack");
	is_int(child_reap(child.pid), 0, "walks its processes");
}

struct family {
	pthread_barrier_t both; /* passed once they run, and once they were seen */
	struct child child;
	pid_t seen[8];
	int count;
};

/* Starts a shell, which starts a program. */
static void *run_family(void *data)
{
	struct family *family = data;
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)"sleep 60 & echo; wait", NULL};
	const struct child_options options = {
	    .argv = argv, .streams = {[STDOUT_FILENO] = {CHILD_PIPE_OUT, 0}}};
	char byte;
	ok(child_start(&options, &family->child) == 0 &&
		read(family->child.ends[STDOUT_FILENO], &byte, 1) == 1,
	    "a thread starts a program");
	(void)pthread_barrier_wait(&family->both);
	(void)pthread_barrier_wait(&family->both);
	return NULL;
}

static void see(void *data, pid_t pid)
{
	struct family *family = data;
	if (family->count < 8)
		family->seen[family->count++] = pid;
}

/* The kernel lists the children of each thread apart. */
static void test_threads(void)
{
	struct family family = {0};
	pid_t children[8];
	size_t count = 0;
	pthread_t thread;
	(void)pthread_barrier_init(&family.both, NULL, 2);
	if (!ok(pthread_create(&thread, NULL, run_family, &family) == 0, "a thread"))
		return;
	(void)pthread_barrier_wait(&family.both);
	ok(process_children(getpid(), children, 8, &count) && count == 1 &&
		children[0] == family.child.pid,
	    "the child of a thread is a child of its process");
	process_tree_walk(getpid(), see, &family);
	ok(family.count == 3 && family.seen[0] == getpid() && family.seen[1] == family.child.pid,
	    "a walk finds it and its own child, parents first");
	/* The shell's child may not have become sleep yet. */
	for (int i = 0; i < 1000 && process_find_program(getpid(), "sleep", 2) == 0; i++)
		(void)poll(NULL, 0, 10);
	ok(family.count == 3 && process_find_program(getpid(), "sleep", 2) == family.seen[2],
	    "so does a search");
	family.count = 0;
	process_tree_walk_up(getpid(), see, &family);
	ok(family.count == 3 && family.seen[1] == family.child.pid && family.seen[2] == getpid(),
	    "and a walk with the children first");
	if (family.count == 3)
		(void)kill(family.seen[0], SIGKILL);
	(void)pthread_barrier_wait(&family.both);
	(void)pthread_join(thread, NULL);
	(void)child_reap(family.child.pid);
	(void)close(family.child.ends[STDOUT_FILENO]);
}

/* A list of children that is longer than a page comes in several reads. */
static void test_many_children(void)
{
	enum { MANY = 900 };
	static pid_t children[MANY + 1], pids[MANY];
	size_t made = 0, count = 0;
	while (made < MANY && (pids[made] = fork()) > 0)
		made++;
	if (made < MANY && pids[made] == 0) {
		(void)alarm(60); /* in case this test is killed */
		(void)pause();
		_exit(0);
	}
	(void)process_children(getpid(), children, MANY + 1, &count);
	ok(made == MANY && count == MANY, "%d children, %zu found", (int)made, count);
	while (made-- > 0) {
		(void)kill(pids[made], SIGKILL);
		(void)child_reap(pids[made]);
	}
}

int main(int argc, char **argv)
{
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	if (argc == 2)
		return report(argv[1]);
	if (len <= 0 || mkdtemp(folder) == NULL)
		skip_all("no /proc/self/exe or no folder");
	for (int fd = 3; fd < FDS_MAX; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC); /* inherited ones; most are closed */
	test_failures();
	test_no_room();
	test_environment();
	test_place();
	test_signals();
	test_fds();
	test_streams();
	test_crossed();
	test_closed();
	test_large();
	test_status();
	test_small_stack();
	test_threads();
	test_many_children();
	(void)rmdir(folder);
	return done_testing();
}
