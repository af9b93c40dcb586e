/* SPDX-License-Identifier: ISC */
/*
 * Processes: their start, their identity (pid and start time together are never reused), and their
 * descendants.
 */
#pragma once

#include <sys/resource.h>

#include "base/std.h"

/*
 * Reads a file of /proc/PID, or its begin, as text of at most size - 1 bytes. Returns its length, or
 * -1 if it cannot be read: the text is empty then.
 */
ssize_t process_read(pid_t pid, const char *name, char *out, size_t size);

/* The children of a process, of about a hundred at most. False, and none, if they cannot be read. */
bool process_children(pid_t pid, pid_t *children, size_t max, size_t *ret_count);

/* When a process started, in clock ticks since boot; 0 if it does not exist. */
uint64_t process_start_ticks(pid_t pid);

/* How long ago a process started that has these clock ticks. */
int64_t process_age_ms(uint64_t start_ticks);

/* Whether a process has ended, also one that its parent has not reaped, ends now, or was killed. */
bool process_has_ended(pid_t pid);

/* Whether a process lives and has a terminal: the first one of a pane has until the pane closes. */
bool process_has_terminal(pid_t pid);

/*
 * Waits for what the process had open, such as a lock, if it has ended or was killed: the programs
 * that it was starting have that until they run. Each call waits 10 ms and counts in *tries, which
 * begins with 0. False: the process lives, or the calls were 100.
 */
bool process_await_release(pid_t pid, unsigned *tries);

/*
 * For the start of a program, whatever its parent left it. Opens those of descriptors 0 to 2 that
 * are closed as /dev/null, so that no socket can become "standard output"; mode: O_RDWR, or O_RDONLY
 * to have errors of writing stay. Lets all signals in. A write to a reader that has gone, or beyond
 * the limit of file sizes, is an error, and does not end the program. With O_RDWR the umask lets our
 * own user read and write what this program, and what it starts, makes.
 */
void process_begin(int mode);

/* Whether a process has a handler for a signal: it does not end by it. */
bool process_catches(pid_t pid, int signal);

/* The parent of a process; 0 if that cannot be read. */
pid_t process_parent(pid_t pid);

/*
 * The path of its directory, behind which the kernel writes " (deleted)" if that was removed. False:
 * it cannot be read.
 */
bool process_cwd(pid_t pid, char *out, size_t size);

/* Whether the program file of a process bears a name, in whatever folder. */
bool process_runs(pid_t pid, const char *name);

#define PROCESS_FIND_MAX 256 /* processes that are looked at */

/*
 * The process that runs a program: pid, or a descendant within so many generations, as behind a
 * launcher; 0: none, or not known.
 */
pid_t process_find_program(pid_t pid, const char *name, unsigned generations);

struct buf;

#define PROCESS_ENVIRON_MAX ((size_t)256 * 1024) /* bytes, for the buffer of an environment */

/* Reads "NAME=VALUE" texts of a process, each ended by a NUL; none if that is not allowed. */
void process_read_environ(pid_t pid, struct buf *out);

/* The text "NAME=VALUE" of a variable in an environment that was read; NULL: there is none. */
const char *process_variable(const struct buf *block, const char *name);

/* A pidfd of the process with this start time, or -1 if it has ended. */
int process_open(pid_t pid, uint64_t start_ticks);

struct ucred;

/*
 * Whether a process of our own user, or of root, is at the other end of a UNIX socket: nothing goes
 * to, or comes from, any other. *ret_peer is that process; NULL: not wanted.
 */
bool process_is_peer(int socket, struct ucred *ret_peer);

#define PROCESS_TREE_MAX 10000 /* processes of a walk */

/* Calls fn for a process and all that descends from it, parents first. */
void process_tree_walk(pid_t pid, void (*fn)(void *data, pid_t pid), void *data);

/*
 * Starting a program, in one place for the library, the daemon and the programs beside it. A start
 * costs the same for a process of any size: no memory is copied (vfork(2)).
 */

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
	bool is_shut; /* it has no descriptor but the streams, whatever the flags of ours are */
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

/* Waits for the end of a child. Returns its status as of waitpid(2); -1: no such child. */
int child_reap(pid_t pid);

/* Writes a path: beside this program while that is not installed, else where it was installed. */
void sibling_find(const char *name, char *out, size_t size);
