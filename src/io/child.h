/* SPDX-License-Identifier: ISC */
/*
 * Starting a program, in one place for the daemon and the programs beside it. It knows no event
 * loop. A start costs the same for a process of any size: no memory is copied (vfork(2)).
 */
#pragma once

#include <sys/resource.h>

#include "base/base.h"

enum {
	CHILD_STREAMS = 4, /* the standard streams, and one descriptor more */
	CHILD_DEFAULTS = 4,
};

enum child_stream_kind {
	CHILD_INHERIT, /* a standard stream of this process; of the fourth: none */
	CHILD_NULL, /* /dev/null, for reading and writing */
	CHILD_FD, /* a descriptor of this process, which stays open here; below 0: /dev/null */
	CHILD_PIPE_IN, /* a new pipe: the program reads what this process writes */
	CHILD_PIPE_OUT, /* a new pipe: this process reads what the program writes */
};

struct child_stream {
	enum child_stream_kind kind;
	int fd; /* of CHILD_FD; any, also one of those that the streams replace */
};

enum child_group {
	CHILD_OUR_GROUP,
	CHILD_NEW_GROUP, /* the program leads a process group */
	CHILD_NEW_SESSION, /* the program leads a session */
};

/* All that is lent is needed until child_start() returns. */
struct child_options {
	const char *path; /* of the file; NULL: argv[0] is searched as by execvp(3) */
	char *const *argv; /* ended by NULL */
	char *const *env; /* ended by NULL, also for the search; NULL: that of this process */
	const char *dir; /* where the program starts; NULL: here */
	struct child_stream streams[CHILD_STREAMS];
	enum child_group group;
	/*
	 * Signals that the program does not ignore although this process does, ended by 0. None
	 * named: all. No signal is blocked in any case.
	 */
	int defaults[CHILD_DEFAULTS];
	int death_signal; /* that it gets when the thread of the call ends; 0: none */
	const struct rlimit *files; /* its limit of open descriptors; NULL: ours */
	bool wants_pidfd;
};

enum child_step {
	CHILD_STARTED,
	CHILD_FORK, /* pipes, process, streams: before anything that the caller has named */
	CHILD_DIR,
	CHILD_EXEC,
};

struct child {
	pid_t pid; /* 0: not started */
	pid_t tried; /* the number of a child that failed and is reaped; 0: none */
	int pidfd; /* -1: not wanted, or there was none to be had */
	int ends[CHILD_STREAMS]; /* our ends of the pipes, close-on-exec and blocking; else -1 */
	enum child_step failed;
};

/*
 * Starts a program. Returns when it runs, or an error number: also of a directory or a file that
 * is not there or not allowed. After an error there is no process, and all of ret_child is closed.
 * The program has no descriptor of ours that is close-on-exec, but the streams.
 * The caller closes pidfd and the ends, and reaps the child.
 */
int child_start(const struct child_options *options, struct child *ret_child);

/* Waits for the end of a child. Returns its status as waitpid(2) gives it; -1: there is no such child. */
int child_reap(pid_t pid);

/* Writes a path: beside this program while that is not installed, else where it was installed. */
void sibling_find(const char *name, char *out, size_t size);
