/* SPDX-License-Identifier: ISC */
/* Examines and starts processes. A pid may be reused; with a start time it identifies a process. */
#pragma once

#include <sys/resource.h>

#include "base/std.h"

extern const char *process_root; /* "/proc"; tests set another folder */

/* Reads a file of /proc/PID, cut to less than size bytes. Returns the length, or -1 with "". */
ssize_t process_read(pid_t pid, const char *name, char *out, size_t size);

/*
 * Reads at most max children of a process. If a thread has started about 1,000 or more children,
 * some may be missing. Returns false if no list of children can be read, or if the process has
 * about 1,000 threads or more.
 */
bool process_children(pid_t pid, pid_t *children, size_t max, size_t *ret_count);

/* Returns when a process started, in clock ticks since boot; 0 if it cannot be read. */
uint64_t process_start_ticks(pid_t pid);

/* Adds the CPU time of a process and its reaped children. Returns false if it cannot be read. */
bool process_add_cpu_ticks(pid_t pid, uint64_t *ticks);

/* Returns how long ago a process started, from its process_start_ticks(). */
int64_t process_age_ms(uint64_t start_ticks);

/* Returns true if a process has ended (a zombie too), is ending or killed, or cannot be read. */
bool process_has_ended(pid_t pid);

/* Returns true if a process lives and has a controlling terminal. */
bool process_has_terminal(pid_t pid);

/*
 * Waits a moment for an ended process to release its open files, such as a lock. Returns false at
 * once if the process lives, or if the calls have waited for about a second. *tries counts the
 * calls and must begin as 0.
 */
bool process_await_release(pid_t pid, unsigned *tries);

/*
 * Sets up a program at its start. Closed descriptors 0 to 2 become /dev/null, opened with mode. No
 * signal is blocked; SIGPIPE and SIGXFSZ do not kill; SIGCHLD is not ignored. With O_RDWR the umask
 * changes: the owner keeps all permissions on new files.
 */
void process_begin(int mode);

/* Returns true if a process has a handler for a signal. */
bool process_catches(pid_t pid, int signal);

/* Returns the bytes of resident memory of a process; 0 if they cannot be read. */
int64_t process_memory(pid_t pid);

pid_t process_parent(pid_t pid); /* 0 if it cannot be read */

/* Reads the working directory; " (deleted)" follows a removed one. Returns false if unknown. */
bool process_cwd(pid_t pid, char *out, size_t size);

/* Reads the path of the program file. The file may be removed or replaced. False if unknown. */
bool process_program(pid_t pid, char *out, size_t size);

/* Returns true if the program file of a process has this name, in any folder. */
bool process_runs(pid_t pid, const char *name);

/*
 * Cuts a command line in place to its program's name, as tmux does for pane_current_command.
 * Returns the name, a part of line; it may be "".
 */
char *process_cut_name(char *line);

#define PROCESS_FIND_MAX 256

/*
 * Returns a process that runs the program `name`: pid itself or a descendant, at most this many
 * generations below; 0 if none is found among the first PROCESS_FIND_MAX.
 */
pid_t process_find_program(pid_t pid, const char *name, unsigned generations);

struct buf;

#define PROCESS_ENVIRON_MAX ((size_t)256 * 1024) /* size of a buffer for an environment */

/* Appends an environment, as far as pieces of 16 KiB fit: "NAME=VALUE" strings with their NULs. */
void process_read_environ(pid_t pid, struct buf *out);

/* Returns "NAME=VALUE" of a variable in the result of process_read_environ(), or NULL. */
const char *process_variable(const struct buf *block, const char *name);

/* Opens a pidfd of the process with this pid and start time. Returns -1 on failure. */
int process_open(pid_t pid, uint64_t start_ticks);

struct ucred;

/* Returns true if the peer of a UNIX socket runs as our user or root. ret_peer may be NULL. */
bool process_is_peer(int socket, struct ucred *ret_peer);

#define PROCESS_TREE_MAX 10000 /* maximum number of processes in a walk */

/*
 * Call fn for a process and its descendants, at most PROCESS_TREE_MAX: parents first; with _up,
 * children first. Only one thread may walk, and fn may not walk again.
 */
void process_tree_walk(pid_t pid, void (*fn)(void *data, pid_t pid), void *data);
void process_tree_walk_up(pid_t pid, void (*fn)(void *data, pid_t pid), void *data);

/* Starts programs by vfork(2), which is fast even if this process uses much memory. */

enum {
	CHILD_STREAMS = 4, /* the standard streams and one more */
	CHILD_DEFAULTS = 4,
};

enum child_stream_kind {
	CHILD_INHERIT, /* a standard stream of this process; the fourth stream is not placed */
	CHILD_NULL, /* /dev/null, for reading and writing */
	CHILD_FD, /* a descriptor, which stays open in this process; if negative: /dev/null */
	CHILD_PIPE_IN, /* a new pipe from this process to the program */
	CHILD_PIPE_OUT, /* a new pipe from the program to this process */
};

struct child_stream {
	enum child_stream_kind kind;
	int fd; /* for CHILD_FD; may have the number of another stream of the child */
};

enum child_group {
	CHILD_OUR_GROUP,
	CHILD_NEW_GROUP,
	CHILD_NEW_SESSION,
};

/* All pointers must stay valid until child_start() returns. */
struct child_options {
	const char *path; /* path of the program; NULL: argv[0] is searched as by execvp(3) */
	char *const *argv; /* NULL-terminated */
	char *const *env; /* NULL-terminated; its PATH is searched; NULL: our environment */
	const char *dir; /* working directory of the program; NULL: ours */
	struct child_stream streams[CHILD_STREAMS];
	enum child_group group;
	/* The ignored signals to reset to their default; 0 ends a shorter list. None: all. */
	int defaults[CHILD_DEFAULTS];
	int death_signal; /* sent to the program when the calling thread ends; 0: none */
	const struct rlimit *files; /* limit of open descriptors; NULL: ours */
	bool is_shut; /* close all descriptors except the streams, even without close-on-exec */
	bool wants_pidfd;
};

enum child_step {
	CHILD_STARTED,
	CHILD_FORK, /* failed to make the pipes or the process, or to place the streams */
	CHILD_DIR, /* failed to enter dir */
	CHILD_EXEC, /* failed to execute the program */
};

struct child {
	pid_t pid; /* 0 if the program did not start */
	pid_t tried; /* pid of a child that failed and was reaped; 0: none */
	int pidfd; /* -1 if not wanted or not available */
	int ends[CHILD_STREAMS]; /* our ends of pipes: close-on-exec, blocking; -1: no pipe */
	enum child_step failed; /* the step that failed; CHILD_STARTED: none */
};

/*
 * Starts a program. Returns 0 once the program runs. The caller then closes pidfd and the ends, and
 * reaps the child. On failure returns an errno, and leaves no process and no descriptor.
 */
int child_start(const struct child_options *options, struct child *ret_child);

/* Waits for the end of a child. Returns the status of waitpid(2); -1 if there is no such child. */
int child_reap(pid_t pid);
/*
 * Waits up to wait_ms (-1: forever) for the end of a child. Returns false if it still runs. Call
 * child_reap() after its end. waitid(2) sets *ret_info; si_pid is 0 if the child runs or does not
 * exist.
 */
bool child_ends_in(pid_t pid, int64_t wait_ms, siginfo_t *ret_info);

/*
 * Writes the path of another program of Muxbus: beside this program or in the folder above (in a
 * build), else where it is installed. The file may be absent.
 */
void sibling_find(const char *name, char *out, size_t size);
