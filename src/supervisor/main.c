/* SPDX-License-Identifier: ISC */
/*
 * muxbus-job DIR ID [FD]: supervises one command, so that its exit status survives the daemon. Runs
 * the command of DIR/ID.spec at most once, ever, and writes DIR/ID.status. ID "-": reads the ID
 * from standard input. SIGTERM or SIGINT stops the job: its process group gets the same signal, and
 * after a grace period all descendants get SIGKILL. A timeout stops the job by SIGTERM. FD is a
 * pipe to the daemon, to which the start and the status are written as soon as they are known.
 *
 * --server supervises a program that the daemon talks to. --hand-over SOCKET NONCE only hands
 * standard input over to the daemon.
 */
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "base/base.h"
#include "base/file.h"
#include "base/hand_over.h"
#include "base/process.h"
#include "config.h"
#include "supervisor/pump.h"

/* Limit of how often all descendants are killed, a millisecond apart. */
enum { SWEEPS_MAX = 50 };

static void signal_one(void *data, pid_t pid)
{
	const int *signal = data;
	if (pid != getpid())
		(void)kill(pid, *signal);
}

/* Signals all descendants, the deepest first. Another call finds those forked meanwhile. */
static void tree_signal(int signal)
{
	process_tree_walk_up(getpid(), signal_one, &signal);
}

static bool tree_has_children(void)
{
	siginfo_t info;
	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

static void tree_kill(void)
{
	for (unsigned sweep = 0; sweep < SWEEPS_MAX && tree_has_children(); sweep++) {
		tree_signal(SIGKILL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			continue;
		if (tree_has_children())
			(void)poll(NULL, 0, 1);
	}
}

/*
 * muxbus-job --server FD DIRECTORY COMMAND…: supervises a program on standard streams, the server.
 * The server is ended when the daemon closes the pipe FD, or dies. Then its descendants are killed.
 */

enum {
	EXIT_FAILED = 2, /* such as: the server could not be started */
	EXIT_NO_PROGRAM = 127,
	LEAVE_MS = 1000, /* time from the end of the pipe to SIGTERM */
	TERM_MS = 2000, /* time from SIGTERM to SIGKILL */
};

static int start_server(const char *directory, char *const *command, pid_t *ret_pid)
{
	const struct child_options options = {
	    .argv = command, .dir = directory, .death_signal = SIGKILL};
	struct child child;
	int error = child_start(&options, &child);
	const char *subject = "muxbus-job";
	*ret_pid = child.pid;
	if (error == 0)
		return 0;
	if (child.failed != CHILD_FORK)
		subject = child.failed == CHILD_DIR ? directory : command[0];
	dprintf(STDERR_FILENO, "%s: %s\n", subject, strerror(error));
	return child.failed == CHILD_EXEC ? EXIT_NO_PROGRAM : EXIT_FAILED;
}

static bool reap(pid_t server, int *ret_how)
{
	bool has_ended = false;
	pid_t pid;
	int how;
	while ((pid = waitpid(-1, &how, WNOHANG)) > 0) {
		if (pid != server)
			continue;
		has_ended = true;
		*ret_how = how;
	}
	return has_ended;
}

/* Waits for the server, and sends signals after the pipe has closed. Returns the wait status. */
static int wait_for_end(pid_t server, int life_fd, int signal_fd)
{
	int64_t due_ms = 0;
	int next_signal = SIGTERM;
	int how = 0;
	while (!reap(server, &how)) {
		struct pollfd fds[] = {
		    {.fd = signal_fd, .events = POLLIN},
		    {.fd = due_ms == 0 ? life_fd : -1, .events = POLLIN},
		};
		struct signalfd_siginfo info;
		int64_t left_ms = due_ms == 0 ? -1 : due_ms - clock_mono_ms();
		if (due_ms != 0 && left_ms <= 0) {
			tree_signal(next_signal);
			next_signal = SIGKILL;
			due_ms = clock_mono_ms() + TERM_MS;
			continue;
		}
		if (poll(fds, 2, (int)left_ms) < 0 && errno != EINTR)
			break;
		while (read(signal_fd, &info, sizeof info) == sizeof info)
			continue;
		if (fds[1].revents != 0)
			due_ms = clock_mono_ms() + LEAVE_MS;
	}
	return how;
}

/* Returns the server's exit status, or dies by the same signal. */
static int end_as(int how)
{
	struct rlimit no_core = {0};
	sigset_t none;
	if (!WIFSIGNALED(how))
		return WEXITSTATUS(how);
	(void)setrlimit(RLIMIT_CORE, &no_core);
	sigemptyset(&none);
	signal(WTERMSIG(how), SIG_DFL); /* fails for SIGKILL, which needs no handler */
	sigprocmask(SIG_SETMASK, &none, NULL);
	(void)raise(WTERMSIG(how));
	return EXIT_FAILED;
}

/* words: FD, DIRECTORY, COMMAND…, NULL. Returns the exit status, or dies by the server's signal. */
static int server_run(char *const *words)
{
	int life_fd = atoi(words[0]);
	pid_t server;
	sigset_t signals;
	int signal_fd, status, how;
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_fd < 0 || fcntl(life_fd, F_SETFD, FD_CLOEXEC) < 0)
		return EXIT_FAILED;
	signal(SIGTERM, SIG_IGN); /* the end of the pipe says when to end */
	signal(SIGINT, SIG_IGN);
	setsid(); /* fails if we lead a session already, which is fine */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	status = start_server(words[1], words + 2, &server);
	if (status != 0)
		return status;
	/* Close our copies, so that the daemon sees when the server closes its streams. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		close(fd);
	how = wait_for_end(server, life_fd, signal_fd);
	tree_kill();
	return end_as(how);
}

enum {
	EXIT_USAGE = 2,
	EXIT_LOCKED = 3, /* another supervisor has this job */
	EXIT_STARTED = 4, /* the command was started before */
	EXIT_SPEC = 5, /* the spec or its directory is missing or invalid */
	EXIT_HAND_OVER = 6, /* the daemon did not take the descriptor */
	EXIT_NO_ROOM = 7, /* a file cannot be made or written; errno says why */
	STOP_GRACE_MS = 5000, /* time between the signal and SIGKILL, which is then repeated */
	HELD_GRACE_MS = 200, /* time for output that is still in the pipe when the command ends */
	STATUS_ROOM = 64 * 1024, /* bytes to free, besides those for ID.tail */
	STATUS_TRIES = 60, /* to write the status, a second apart */
};

struct supervised_job {
	const char *id;
	int dir_fd;
	struct job_spec spec;
	pid_t pid;
	int signal_fd;
	int news_fd; /* the pipe to the daemon; -1 if none */
	struct pump out;
	struct pump err;
	int64_t begin_ms; /* CLOCK_MONOTONIC */
	int64_t deadline_ms; /* of the command; 0: none */
	int64_t kill_ms; /* time to send SIGKILL; 0 if nothing has stopped the job */
	int64_t held_ms; /* deadline for remaining output; 0 while the command runs */
	struct job_status status;
};

static int open_file(const struct supervised_job *job, enum job_file file, int flags)
{
	char name[JOB_NAME_SIZE];
	job_file_name(name, job->id, file);
	return openat(job->dir_fd, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static int take_lock(const struct supervised_job *job)
{
	char text[64];
	int fd = open_file(job, JOB_FILE_LOCK, O_RDWR | O_CREAT);
	if (fd < 0)
		return EXIT_NO_ROOM;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return EXIT_LOCKED;
	snprintf(text, sizeof text, "%d %llu\n", (int)getpid(),
	    (unsigned long long)process_start_ticks(getpid()));
	return ftruncate(fd, 0) < 0 || write(fd, text, strlen(text)) < 0 ? EXIT_NO_ROOM : 0;
}

/* Opens the spec's file, a memfd with the spec's text, or /dev/null. Returns -1 on failure. */
static int open_input(const struct supervised_job *job)
{
	size_t len = job->spec.input != NULL ? strlen(job->spec.input) : 0;
	int fd;
	if (job->spec.input_path != NULL)
		return open(job->spec.input_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (len == 0)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	fd = memfd_create("input", MFD_CLOEXEC);
	if (fd >= 0 &&
	    (file_write_all(fd, job->spec.input, len) < 0 || lseek(fd, 0, SEEK_SET) != 0)) {
		int error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

static void job_ended(struct supervised_job *job, int how, const struct rusage *usage)
{
	job->held_ms = clock_mono_ms() + HELD_GRACE_MS;
	job->status.end_ms = clock_real_ms();
	job->status.elapsed_ms = clock_mono_ms() - job->begin_ms;
	job->status.exit_code = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
	job->status.signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
	if (job->status.exec_errno != 0)
		job->status.exit_code = -1;
	job->status.max_rss_kb = usage->ru_maxrss;
}

/*
 * Starts the command. If the program cannot be executed, the job counts as ended, with the error in
 * its status. Returns an error number if no process was created.
 */
static int start_command(struct supervised_job *job, int in_fd, int out_fd, int err_fd)
{
	const struct child_options options = {
	    .argv = job->spec.argv,
	    .env = job->spec.env,
	    .dir = job->spec.cwd,
	    .streams = {{CHILD_FD, in_fd}, {CHILD_FD, out_fd}, {CHILD_FD, err_fd}},
	    .group = CHILD_NEW_GROUP,
	};
	struct child child;
	mode_t own_umask = umask(job->spec.umask);
	struct rusage usage;
	int error;
	if (job->spec.umask == 0)
		(void)umask(own_umask);
	error = child_start(&options, &child);
	(void)umask(own_umask);
	job->pid = child.pid;
	if (child.tried == 0)
		return error;
	job->pid = child.tried;
	job->status.exec_errno = error;
	(void)getrusage(RUSAGE_CHILDREN, &usage);
	job_ended(job, 0, &usage);
	return 0;
}

/*
 * Opens a pump. The file of standard output exists from the start, since people follow it. The file
 * of separate standard error is created at its first byte.
 */
static int open_pump(
    struct supervised_job *job, struct pump *pump, enum job_file file, int *ret_write_fd)
{
	char name[JOB_NAME_SIZE];
	int to = -1, fds[2];
	job_file_name(name, job->id, file);
	if (file == JOB_FILE_OUT && (to = pump_make_file(job->dir_fd, name)) < 0)
		return -errno;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	if (file == JOB_FILE_OUT)
		pump_init(pump, fds[0], to, job->spec.out_max);
	else
		pump_init_late(pump, fds[0], job->dir_fd, name, job->spec.out_max);
	*ret_write_fd = fds[1];
	return 0;
}

static void keep_start(
    const struct supervised_job *job, int started_fd, struct job_start *ret_start)
{
	*ret_start = (struct job_start){
	    .pid = job->pid,
	    .pid_start = process_start_ticks(job->pid),
	    .real_ms = job->status.start_ms,
	};
	(void)job_start_write(started_fd, ret_start); /* an empty file means "started" too */
	close(started_fd);
}

static int job_start(struct supervised_job *job, int started_fd)
{
	int in_fd = open_input(job), out_fd = -1, err_fd, error;
	struct job_start start;
	if (in_fd < 0)
		return -errno;
	if (open_pump(job, &job->out, JOB_FILE_OUT, &out_fd) != 0)
		return -errno;
	err_fd = out_fd;
	if (job->spec.has_err && open_pump(job, &job->err, JOB_FILE_ERR, &err_fd) != 0)
		return -errno;
	job->begin_ms = clock_mono_ms();
	job->status.start_ms = clock_real_ms();
	error = start_command(job, in_fd, out_fd, err_fd);
	if (error != 0)
		return -error;
	close(in_fd);
	close(out_fd);
	if (err_fd != out_fd)
		close(err_fd);
	keep_start(job, started_fd, &start);
	job_secrets_remove(job->dir_fd, job->id); /* the job is never started again */
	if (job->news_fd >= 0)
		(void)job_start_tell(job->news_fd, &start); /* the daemon may have ended */
	if (job->spec.timeout_ms > 0)
		job->deadline_ms = job->begin_ms + job->spec.timeout_ms;
	return 0;
}

static void job_stop(struct supervised_job *job, int signal)
{
	if (job->kill_ms == 0)
		job->kill_ms = clock_mono_ms() + STOP_GRACE_MS;
	if (job->held_ms == 0)
		(void)kill(-job->pid, signal);
}

static void reap_children(struct supervised_job *job)
{
	struct rusage usage;
	pid_t pid;
	int how;
	while ((pid = wait4(-1, &how, WNOHANG, &usage)) > 0)
		if (pid == job->pid)
			job_ended(job, how, &usage);
}

static void read_signals(struct supervised_job *job)
{
	struct signalfd_siginfo info;
	while (read(job->signal_fd, &info, sizeof info) == sizeof info) {
		if (info.ssi_signo == SIGCHLD) {
			reap_children(job);
		} else {
			job->status.is_stopped = true;
			job_stop(job, (int)info.ssi_signo);
		}
	}
}

static int job_timeout_ms(const struct supervised_job *job)
{
	int64_t due_ms = 0, left_ms;
	if (job->held_ms != 0)
		due_ms = job->held_ms;
	else if (job->kill_ms != 0)
		due_ms = job->kill_ms;
	else if (job->deadline_ms != 0)
		due_ms = job->deadline_ms;
	else
		return -1;
	left_ms = due_ms - clock_mono_ms();
	return left_ms < 0 ? 0 : left_ms > 1000000 ? 1000000 : (int)left_ms;
}

static void job_check_deadlines(struct supervised_job *job)
{
	int64_t now_ms = clock_mono_ms();
	if (job->held_ms != 0)
		return;
	if (job->kill_ms != 0 && now_ms >= job->kill_ms) {
		(void)kill(-job->pid, SIGKILL);
		tree_signal(SIGKILL);
		job->kill_ms = now_ms + STOP_GRACE_MS;
	}
	if (job->deadline_ms != 0 && now_ms >= job->deadline_ms) {
		job->deadline_ms = 0;
		job->status.is_timed_out = true;
		job_stop(job, SIGTERM);
	}
}

/* Runs until the command has ended and its output is read or held open for HELD_GRACE_MS more. */
static void job_loop(struct supervised_job *job)
{
	bool has_out = true, has_err = job->spec.has_err;
	while (job->held_ms == 0 || has_out || has_err) {
		struct pollfd fds[] = {
		    {.fd = job->signal_fd, .events = POLLIN},
		    {.fd = has_out ? job->out.from : -1, .events = POLLIN},
		    {.fd = has_err ? job->err.from : -1, .events = POLLIN},
		};
		if (poll(fds, 3, job_timeout_ms(job)) < 0 && errno != EINTR)
			break;
		if (fds[1].revents != 0)
			has_out = pump_run(&job->out);
		if (fds[2].revents != 0)
			has_err = pump_run(&job->err);
		read_signals(job);
		job_check_deadlines(job);
		if (job->held_ms != 0 && clock_mono_ms() >= job->held_ms)
			break;
	}
	job->status.is_held = has_out || has_err;
}

/*
 * If an output was longer than its file, writes the last bytes to another file. Returns how many
 * bytes that file has: 0 if there is none, or not all could be written.
 */
static int64_t keep_end(
    const struct supervised_job *job, const struct pump *pump, enum job_file file)
{
	int64_t written;
	int fd;
	if (pump->total <= pump->kept)
		return 0;
	fd = open_file(job, file, O_WRONLY | O_CREAT | O_TRUNC);
	written = fd < 0 ? 0 : pump_write_tail(pump, fd);
	if (written < 0 && ftruncate(fd, 0) < 0)
		written = 0; /* the file stays until the job is removed */
	if (fd >= 0)
		close(fd);
	return written > 0 ? written : 0;
}

/* Cuts a large output file, so that the disk has room for the tail and the status. */
static void make_room(struct supervised_job *job)
{
	int64_t left = job->out.kept - JOB_TAIL_SIZE - STATUS_ROOM;
	int fd = open_file(job, JOB_FILE_OUT, O_WRONLY);
	if (fd >= 0 && left > 0 && ftruncate(fd, left) == 0)
		job->out.kept = left;
	if (fd >= 0)
		close(fd);
}

/*
 * Keeps the end of the output, and reports the status: to the pipe, and in a file. If the daemon
 * dies before its journal has the end, the next daemon waits for this process and reads the file.
 * If the file cannot be written, tries again for a while.
 */
static void job_finish(struct supervised_job *job)
{
	if (job->status.is_stopped || job->status.is_timed_out)
		tree_kill();
	job->status.tail_bytes = keep_end(job, &job->out, JOB_FILE_TAIL);
	if (job->out.total > job->out.kept && job->status.tail_bytes == 0) {
		make_room(job); /* the status shows the gap by out_bytes and tail_bytes */
		job->status.tail_bytes = keep_end(job, &job->out, JOB_FILE_TAIL);
	}
	(void)keep_end(job, &job->err, JOB_FILE_ERR_TAIL);
	job->status.out_bytes = job->out.total;
	job->status.err_bytes = job->spec.has_err ? job->err.total : 0;
	if (job->news_fd >= 0)
		(void)job_status_tell(job->news_fd, &job->status); /* the daemon may have ended */
	for (unsigned attempt = 0; attempt < STATUS_TRIES; attempt++) {
		int error = job_status_write(job->dir_fd, job->id, &job->status);
		if (error == 0)
			error = job_status_sync(job->dir_fd, job->id);
		if (error == 0)
			return;
		(void)poll(NULL, 0, 1000);
	}
}

/* Opens a descriptor for SIGCHLD, SIGTERM and SIGINT; ignores SIGHUP, SIGPIPE and SIGXFSZ. */
static int open_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_SETMASK, &set, NULL);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Returns true if the command was started before. Its spec may then be missing. */
static bool was_started(const struct supervised_job *job)
{
	int fd = open_file(job, JOB_FILE_STARTED, O_RDONLY);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Tells the daemon that the command was not started, since a file cannot be made (errno). */
static int report_no_room(struct supervised_job *job)
{
	job->status.exec_errno = errno;
	job->status.end_ms = clock_real_ms();
	job_secrets_remove(job->dir_fd, job->id);
	if (job->news_fd >= 0)
		(void)job_status_tell(job->news_fd, &job->status);
	return EXIT_NO_ROOM;
}

static int supervise(struct supervised_job *job)
{
	int started_fd, status, error;
	job->status.exit_code = -1;
	status = take_lock(job);
	if (status != 0)
		return status == EXIT_NO_ROOM ? report_no_room(job) : status;
	if (was_started(job))
		return EXIT_STARTED;
	if (job_spec_read(job->dir_fd, job->id, &job->spec) != 0)
		return EXIT_SPEC;
	started_fd = open_file(job, JOB_FILE_STARTED, O_WRONLY | O_CREAT | O_EXCL);
	if (started_fd < 0)
		return errno == EEXIST ? EXIT_STARTED : report_no_room(job);
	job->signal_fd = open_signals();
	error = job_start(job, started_fd);
	if (error != 0) {
		job_secrets_remove(job->dir_fd, job->id);
		job->status.exec_errno = -error;
		job->status.end_ms = clock_real_ms();
	} else {
		job_loop(job);
	}
	job_finish(job);
	pump_finish(&job->out);
	pump_finish(&job->err);
	job_spec_finish(&job->spec);
	return 0;
}

/* Waits for the id of a job. Returns NULL if none comes, as if the daemon has ended. */
static const char *wait_for_id(void)
{
	static char id[JOB_NAME_SIZE];
	ssize_t len;
	do
		len = read(STDIN_FILENO, id, sizeof id - 1);
	while (len < 0 && errno == EINTR);
	if (len <= 0 || dup2(STDOUT_FILENO, STDIN_FILENO) < 0)
		return NULL;
	return id;
}

static int usage(FILE *to, int status)
{
	fprintf(to,
	    "usage: muxbus-job directory id [descriptor]\n"
	    "       muxbus-job --server descriptor directory command [argument ...]\n"
	    "       muxbus-job --hand-over socket nonce\n"
	    "Supervises one job or server of muxbusd; do not run it by hand.\n");
	return status;
}

int main(int argc, char **argv)
{
	static struct supervised_job job = {
	    .out = {.from = -1, .to = -1}, .err = {.from = -1, .to = -1}};
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		printf("muxbus-job %s\n", PACKAGE_VERSION);
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return usage(stdout, 0);
	if (argc >= 5 && strcmp(argv[1], "--server") == 0)
		return server_run(argv + 2);
	if (argc == 4 && strcmp(argv[1], "--hand-over") == 0)
		return hand_over_send(argv[2], argv[3], STDIN_FILENO) == 0 ? 0 : EXIT_HAND_OVER;
	if (argc < 3 || argc > 4 || argv[1][0] == '-')
		return usage(stderr, EXIT_USAGE);
	job.news_fd = argc == 4 ? atoi(argv[3]) : -1;
	if (job.news_fd >= 0 && fcntl(job.news_fd, F_SETFD, FD_CLOEXEC) < 0)
		return EXIT_USAGE;
	setsid(); /* fails if we lead a session already, which is fine */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	job.id = strcmp(argv[2], "-") == 0 ? wait_for_id() : argv[2];
	if (job.id == NULL)
		return 0;
	/* The daemon has made the directory again if it was removed while we waited. */
	job.dir_fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return job.dir_fd < 0 ? EXIT_SPEC : supervise(&job);
}
