/* SPDX-License-Identifier: ISC */
/* Jobs for real: the supervisor runs commands, is killed, outlives its starter. */
#include "daemon/job/job.h"

#include <muxbus.h>

#include <dirent.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/event/event_log.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/store.h"
#include "tap.h"

enum { WAIT_MS = 20000 };

/* A daemon's worth of jobs in a directory of its own. */
struct world {
	char dir[64];
	struct event_base *base;
	struct journal_disk_dir *disk;
	struct event_log *events;
	struct store *store;
	struct queue *queue;
	struct job_set *jobs;
};

static void world_open(struct world *world)
{
	char reason[256];
	world->base = event_base_new();
	world->disk = journal_disk_dir_open(world->dir);
	world->events = event_log_new(world->dir, 1000, 1 << 20, reason, sizeof reason);
	world->store = store_open(&journal_disk_dir_table, world->disk, false, NULL, NULL);
	if (world->events == NULL || world->store == NULL)
		abort();
	world->queue = queue_new(world->store, world->events);
	world->jobs = job_set_new(world->base, world->queue, world->dir, reason, sizeof reason);
	if (world->jobs == NULL)
		abort();
}

static void world_close(struct world *world)
{
	job_set_free(world->jobs);
	queue_free(world->queue);
	store_close(world->store);
	event_log_free(world->events);
	journal_disk_dir_close(world->disk);
	event_base_free(world->base);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

static void world_make(struct world *world)
{
	memset(world, 0, sizeof *world);
	snprintf(world->dir, sizeof world->dir, "%s/muxbus-jobs-XXXXXX",
	    getenv("TMPDIR") != NULL && strlen(getenv("TMPDIR")) < 30 ? getenv("TMPDIR") : "/tmp");
	if (mkdtemp(world->dir) == NULL)
		abort();
	world_open(world);
}

static void world_remove(struct world *world)
{
	world_close(world);
	(void)nftw(world->dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static const struct job *start(struct world *world, const char *command, int64_t timeout_ms)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	const char *const env[] = {"GREETING=hello there", NULL};
	const struct job_order order = {
	    .command = command,
	    .argv = argv,
	    .env = env,
	    .cwd = "/",
	    .timeout_ms = timeout_ms,
	};
	char reason[256] = "";
	const struct job *job = job_start(world->jobs, &order, reason, sizeof reason);
	if (job == NULL)
		diag("%s", reason);
	return job;
}

/* Runs the loop until no job runs, at most for a while. */
static bool wait_all(struct world *world)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	while (job_running(world->jobs) > 0 && clock_mono_ms() < end_ms) {
		const struct timeval tick = {0, 50000};
		event_base_loopexit(world->base, &tick);
		event_base_dispatch(world->base);
	}
	return job_running(world->jobs) == 0;
}

/* Waits until a job's output holds a word. */
static bool wait_output(struct world *world, const struct job *job, const char *word)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS, from, end;
	bool is_there = false;
	while (!is_there && clock_mono_ms() < end_ms) {
		struct buf out;
		buf_init(&out, 1 << 20);
		(void)job_read(world->jobs, job, JOB_FILE_OUT, 0, 4096, &out, &from, &end);
		is_there = out.len > 0 && strstr((char *)out.data, word) != NULL;
		buf_finish(&out);
		if (!is_there)
			usleep(2000);
	}
	return is_there;
}

static const struct notification *note_of(const struct world *world, const char *id)
{
	const struct notification *note = NULL, *found = NULL;
	while ((note = queue_next(world->queue, note)) != NULL) {
		if (strcmp(note->id, id) == 0)
			found = note;
	}
	return found;
}

static void test_ends(void)
{
	const struct job *good, *bad, *killed, *missing;
	const char *const argv[] = {"/no/such/program", NULL};
	const struct job_order order = {.command = "/no/such/program", .argv = argv, .cwd = "/"};
	char reason[256];
	struct world world;
	world_make(&world);
	good = start(&world, "echo $GREETING; echo oops >&2", 0);
	bad = start(&world, "exit 7", 0);
	killed = start(&world, "kill -9 $$", 0);
	missing = job_start(world.jobs, &order, reason, sizeof reason);
	ok(wait_all(&world), "four jobs end");
	is_int(good->state, JOB_EXITED, "one that succeeds has exited");
	is_int(good->status.exit_code, 0, "with 0");
	is_int(bad->status.exit_code, 7, "another with 7");
	is_int(bad->state, JOB_FAILED, "which is failed");
	is_int(killed->status.signal, SIGKILL, "a third by a signal");
	is_int(missing->status.exec_errno, ENOENT, "a job that cannot be started gives the reason");
	ok(strstr(note_of(&world, good->id)->data, "\"output\":\"hello there\\noops\\n\"") != NULL,
	    "the notification has the first of the output: %s", note_of(&world, good->id)->data);
	ok(strstr(note_of(&world, bad->id)->text, "exit 7") != NULL, "and its end: %s",
	    note_of(&world, bad->id)->text);
	ok(strstr(note_of(&world, missing->id)->text, "No such file") != NULL, "or the reason: %s",
	    note_of(&world, missing->id)->text);
	world_remove(&world);
}

static void test_limits(void)
{
	const struct job *late, *held, *loud;
	int64_t from, end;
	struct world world;
	struct buf out;
	world_make(&world);
	late = start(&world, "sleep 1000", 100);
	held = start(&world, "sleep 1000 & echo left", 0);
	loud = start(&world, "head -c 70000000 /dev/zero; echo THE END", 0);
	ok(wait_all(&world), "a late, a held and a loud job end");
	ok(late->status.is_timed_out && late->state == JOB_STOPPED,
	    "one whose time is over is stopped");
	ok(held->status.is_held, "a process left behind that holds the output is reported");
	is_int(held->status.exit_code, 0, "and nothing hangs");
	is_int(loud->status.out_bytes, 70000008, "all output is counted");
	is_int(job_log_bytes(world.jobs, loud), JOB_OUT_MAX + JOB_TAIL_SIZE,
	    "and its log has what is kept");
	is_int(job_log_bytes(world.jobs, held), 5, "which is all of a little");
	buf_init(&out, 1 << 20);
	(void)job_read(world.jobs, loud, JOB_FILE_OUT, JOB_OUT_MAX, 1000, &out, &from, &end);
	is_int(from, 70000008 - JOB_TAIL_SIZE, "output that was not kept is skipped");
	buf_clear(&out);
	(void)job_read(world.jobs, loud, JOB_FILE_OUT, end - 8, 1000, &out, &from, &end);
	is_mem(out.data, out.len, "THE END\n", 8, "but the last bytes are there");
	buf_finish(&out);
	world_remove(&world);
}

static void test_stop(void)
{
	const struct job *tree;
	struct world world;
	char word[64];
	int pid;
	struct buf out;
	int64_t from, end;
	world_make(&world);
	tree = start(&world,
	    "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo pid $$ ready; while :; do sleep 1; "
	    "done' & "
	    "while :; do sleep 1; done",
	    0);
	ok(wait_output(&world, tree, "ready"), "a tree that ignores SIGTERM runs");
	buf_init(&out, 4096);
	(void)job_read(world.jobs, tree, JOB_FILE_OUT, 0, 100, &out, &from, &end);
	is_int(sscanf((char *)out.data, "pid %d %60s", &pid, word), 2,
	    "and its supervisor announces its pid");
	buf_finish(&out);
	is_int(job_stop(world.jobs, tree->id, SIGTERM), 0, "it is asked to stop");
	ok(wait_all(&world), "and ends");
	is_int(tree->state, JOB_STOPPED, "stopped");
	ok(kill(pid, 0) < 0 && errno == ESRCH, "with the process in another session");
	is_int(job_stop(world.jobs, tree->id, SIGTERM), -ESRCH, "once");
	world_remove(&world);
}

/* Starts jobs in a child that is killed at once; the jobs end while no daemon runs. */
static void test_killed_daemon(void)
{
	enum { ROUNDS = 10, JOBS = 6 };
	unsigned accepted = 0, told = 0, right = 0;
	struct world world;

	world_make(&world);
	for (unsigned round = 0; round < ROUNDS; round++) {
		const struct job *job = NULL;
		int ready[2];
		pid_t pid;
		char byte;
		world_close(&world);
		if (pipe(ready) < 0)
			abort();
		pid = fork();
		if (pid == 0) {
			world_open(&world);
			for (unsigned at = 0; at < JOBS; at++) {
				char command[64];
				snprintf(command, sizeof command, "sleep 0.0%u; exit %u",
				    at * 15 % 10, 10 + at);
				if (start(&world, command, 0) != NULL)
					(void)!write(ready[1], "j", 1);
			}
			kill(getpid(), SIGKILL);
		}
		close(ready[1]);
		while (read(ready[0], &byte, 1) == 1)
			accepted++;
		close(ready[0]);
		waitpid(pid, NULL, 0);
		world_open(&world);
		if (!wait_all(&world))
			diag("jobs still run");
		told = right = 0;
		while ((job = job_next(world.jobs, job)) != NULL) {
			const char *code = strstr(job->command, "exit ");
			right += code != NULL && job->status.exit_code == atoi(code + 5);
			told += note_of(&world, job->id) != NULL;
		}
	}
	is_int(accepted, ROUNDS * JOBS, "%d jobs are accepted by daemons that are then killed",
	    ROUNDS * JOBS);
	is_int(right, accepted, "each has its exit status");
	is_int(told, accepted, "and its notification");
	world_remove(&world);
}

/* Jobs that no descriptor is left for at the start: one has ended meanwhile, one runs on. */
static void test_no_descriptors(void)
{
	struct rlimit before, few;
	struct world world;
	char path[96];
	int next;
	world_make(&world);
	snprintf(path, sizeof path, "%s/go", world.dir);
	(void)setenv("GO", path, 1);
	ok(start(&world, "sleep 0.1; exit 3", 0) != NULL && start(&world, "exit 4", 0) != NULL &&
		start(&world, "until [ -e \"$GO\" ]; do sleep 0.05; done; exit 5", 0) != NULL,
	    "jobs are accepted");
	world_close(&world);
	getrlimit(RLIMIT_NOFILE, &before);
	next = dup(0);
	few = (struct rlimit){.rlim_cur = (rlim_t)next + 10, .rlim_max = before.rlim_max};
	(void)close(next);
	setrlimit(RLIMIT_NOFILE, &few);
	world_open(&world);
	setrlimit(RLIMIT_NOFILE, &before);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	is_int(
	    (int64_t)job_running(world.jobs), 3, "a daemon without descriptors cannot watch them");
	ok(wait_all(&world), "but later it can");
	next_each (const struct job, job, job_next, world.jobs)
		is_int(job->status.exit_code, 2 + (int)job->number, "%s", job->command);
	world_remove(&world);
}

static void test_killed_supervisor(void)
{
	const struct job *job;
	struct world world;
	char path[256];
	FILE *file;
	int pid = 0;
	world_make(&world);
	job = start(&world, "echo ready; sleep 1000", 0);
	ok(wait_output(&world, job, "ready"), "a job runs");
	job_path(world.jobs, job, JOB_FILE_LOCK, path, sizeof path);
	file = fopen(path, "re");
	ok(file != NULL && fscanf(file, "%d", &pid) == 1, "its supervisor announces its pid");
	if (file != NULL)
		fclose(file);
	kill(pid, SIGKILL);
	ok(wait_all(&world), "after its kill, the job is over for the daemon");
	is_int(job->state, JOB_LOST, "and lost");
	snprintf(path, sizeof path, "lost: its supervisor was killed, and its process %d runs on",
	    (int)job->pid);
	is_str(note_of(&world, job->id)->text, path, "the loss is reported, with what is left");
	if (job->pid > 0)
		kill(-job->pid, SIGKILL);
	world_remove(&world);
}

/* How many files of jobs hold a text. */
static unsigned files_with(const struct world *world, const char *text)
{
	char path[sizeof world->dir + 300];
	static char content[1 << 16];
	unsigned found = 0;
	const struct dirent *entry;
	DIR *dir;
	snprintf(path, sizeof path, "%s/jobs", world->dir);
	dir = opendir(path);
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		FILE *file;
		size_t len;
		snprintf(path, sizeof path, "%s/jobs/%s", world->dir, entry->d_name);
		file = fopen(path, "re");
		len = file != NULL ? fread(content, 1, sizeof content, file) : 0;
		found += memmem(content, len, text, strlen(text)) != NULL;
		if (file != NULL)
			fclose(file);
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

/* Waits for a while until at most max files contain a text. Returns how many do. */
static unsigned files_with_at_most(const struct world *world, const char *text, unsigned most)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	unsigned found = files_with(world, text);
	for (; found > most && clock_mono_ms() < end_ms; found = files_with(world, text))
		usleep(2000);
	return found;
}

static void put_file(const struct world *world, const char *name, const char *text)
{
	char path[sizeof world->dir + 64];
	FILE *file;
	snprintf(path, sizeof path, "%s/jobs/%s", world->dir, name);
	file = fopen(path, "we");
	if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
		abort();
}

/* The environment and the input of a job are on disk until it has started, not longer. */
static void test_secrets(void)
{
	const char *const argv[] = {"/bin/sh", "-c", "cat; echo ready; sleep 1000", NULL};
	const char *const missing[] = {"/no/such/program", NULL};
	const char *const env[] = {"PASSWORD=hunter2", NULL};
	struct job_order order = {
	    .command = "x", .argv = argv, .env = env, .cwd = "/", .input = "hunter2"};
	const struct job *job;
	struct world world;
	char reason[256], name[JOB_NAME_SIZE];
	world_make(&world);
	job = job_start(world.jobs, &order, reason, sizeof reason);
	ok(wait_output(&world, job, "ready"), "a job with an environment and input runs");
	is_int(
	    files_with_at_most(&world, "PASSWORD=hunter2", 0), 0, "its environment is not on disk");
	is_int(files_with_at_most(&world, "hunter2", 1), 1,
	    "nor its input, but for what it printed of it");
	job_stop(world.jobs, job->id, SIGTERM);
	order.argv = missing;
	(void)job_start(world.jobs, &order, reason, sizeof reason);
	order.cwd = "/no/such/directory";
	(void)job_start(world.jobs, &order, reason, sizeof reason);
	ok(wait_all(&world), "jobs end, some without a start");
	is_int(files_with(&world, "PASSWORD=hunter2"), 0, "then no environment is on disk");
	is_int(files_with(&world, "hunter2"), 1, "and no input");
	snprintf(name, sizeof name, "%.40s.spec", job->id);
	put_file(&world, name, "PASSWORD=hunter2");
	put_file(&world, "LOST.spec.new", "PASSWORD=hunter2");
	put_file(&world, "LOST.in", "hunter2");
	world_close(&world);
	world_open(&world);
	is_int(files_with(&world, "hunter2"), 1, "the next daemon removes what a crash left");
	world_remove(&world);
}

/* Runs the supervisor of a job once more, by hand. Returns its exit status. */
static int supervise_again(const struct world *world, const struct job *job)
{
	char self[512], directory[sizeof world->dir + 8], supervisor[640];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	int status = -1;
	pid_t pid;
	self[len > 0 ? len : 0] = '\0';
	snprintf(supervisor, sizeof supervisor, "%s", self);
	snprintf(strrchr(supervisor, '/'), 32, "/../muxbus-job");
	snprintf(directory, sizeof directory, "%s/jobs", world->dir);
	pid = fork();
	if (pid == 0) {
		execl(supervisor, "muxbus-job", directory, job->id, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs the loop until a process is gone, and reaped: it is our child. */
static bool wait_gone(struct world *world, pid_t pid)
{
	int64_t end_ms = clock_mono_ms() + WAIT_MS;
	while (kill(pid, 0) == 0 && clock_mono_ms() < end_ms) {
		const struct timeval tick = {0, 5000};
		event_base_loopexit(world->base, &tick);
		event_base_dispatch(world->base);
	}
	return kill(pid, 0) != 0;
}

/* The process of a job's supervisor; it holds the lock. */
static pid_t supervisor_of(const struct world *world, const struct job *job)
{
	char path[512], text[64] = "";
	FILE *file;
	job_path(world->jobs, job, JOB_FILE_LOCK, path, sizeof path);
	file = fopen(path, "re");
	if (file == NULL || fgets(text, sizeof text, file) == NULL)
		abort();
	fclose(file);
	return atoi(text);
}

/* The only child of this process; 0: there is none, or more than one. */
static pid_t only_child(void)
{
	char path[64];
	int first = 0, second = 0, count;
	FILE *file;
	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "re");
	count = file != NULL ? fscanf(file, "%d %d", &first, &second) : 0;
	if (file != NULL)
		fclose(file);
	return count == 1 ? first : 0;
}

/* After a job, a spare supervisor waits for the next job. A killed one is replaced. */
static void test_spare(void)
{
	const struct job *first, *second, *third;
	struct world world;
	pid_t spare;
	while (waitpid(-1, NULL, 0) > 0)
		; /* reaps supervisors of earlier tests */
	world_make(&world);
	is_int(only_child(), 0, "before the first job no supervisor is started");
	first = start(&world, "echo one", 0);
	ok(wait_all(&world) && wait_gone(&world, supervisor_of(&world, first)),
	    "a job and its supervisor end");
	spare = only_child();
	ok(spare > 0, "then a supervisor waits for the next job");
	second = start(&world, "echo two", 0);
	ok(wait_all(&world) && second->status.exit_code == 0, "the next job ends well");
	is_int(supervisor_of(&world, second), spare, "under this supervisor");
	ok(wait_gone(&world, spare), "which ends after it");
	spare = only_child();
	ok(spare > 0 && kill(spare, SIGKILL) == 0, "the next one is killed");
	(void)waitid(P_PID, (id_t)spare, &(siginfo_t){0}, WEXITED | WNOWAIT);
	third = start(&world, "echo three", 0);
	ok(wait_all(&world) && third->status.exit_code == 0 &&
		supervisor_of(&world, third) != spare,
	    "a job then has a supervisor of its own");
	(void)wait_gone(&world, supervisor_of(&world, third));
	spare = only_child();
	world_remove(&world);
	ok(spare > 0 && kill(spare, 0) != 0, "without a daemon none waits");
}

/* If its daemon was killed, a spare supervisor ends without having done anything. */
static void test_spare_alone(void)
{
	char self[512], supervisor[640];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	int fds[2], status = -1;
	pid_t pid;
	self[len > 0 ? len : 0] = '\0';
	snprintf(strrchr(self, '/'), 2, "/");
	snprintf(supervisor, sizeof supervisor, "%s../muxbus-job", self);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		dup2(fds[1], STDIN_FILENO);
		execl(supervisor, "muxbus-job", "/", "-", (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	close(fds[0]);
	ok(waitpid(pid, &status, 0) == pid && status == 0,
	    "a supervisor whose daemon has gone ends");
}

/* Standard error has a file as soon as there is some; standard input may be large. */
static void test_streams(void)
{
	const char *const quiet[] = {"/bin/sh", "-c", "wc -c", NULL};
	const char *const loud[] = {"/bin/sh", "-c", "echo oops >&2", NULL};
	const char *const much[] = {"/bin/sh", "-c",
	    "for f in 1 2; do { head -c 1501 /dev/zero; echo END; } >&$f; done", NULL};
	struct job_order order = {.command = "x", .argv = quiet, .cwd = "/", .has_err = true};
	const struct job *job;
	char *input = xcalloc(1, 1024 * 1024 + 1), path[512], reason[256];
	int64_t from, end;
	struct world world;
	struct buf out;
	world_make(&world);
	memset(input, 'x', 1024 * 1024);
	order.input = input;
	job = job_start(world.jobs, &order, reason, sizeof reason);
	ok(job != NULL && wait_all(&world), "a job with 1 MiB of input ends");
	buf_init(&out, 4096);
	(void)job_read(world.jobs, job, JOB_FILE_OUT, 0, 4000, &out, &from, &end);
	is_mem(out.data, out.len, "1048576\n", 8, "it has read all of it");
	job_path(world.jobs, job, JOB_FILE_ERR, path, sizeof path);
	ok(access(path, F_OK) != 0, "without standard error there is no file of it");
	order.argv = loud;
	job = job_start(world.jobs, &order, reason, sizeof reason);
	ok(job != NULL && wait_all(&world), "a job that writes to standard error ends");
	buf_clear(&out);
	(void)job_read(world.jobs, job, JOB_FILE_ERR, 0, 4000, &out, &from, &end);
	is_mem(out.data, out.len, "oops\n", 5, "what it wrote is kept");
	order.argv = much;
	order.out_max = 1000;
	job = job_start(world.jobs, &order, reason, sizeof reason);
	ok(job != NULL && wait_all(&world), "a job that writes more than is kept ends");
	for (int at = 0; at < 2; at++) {
		static const enum job_file files[] = {JOB_FILE_OUT, JOB_FILE_ERR};
		buf_clear(&out);
		(void)job_read(world.jobs, job, files[at], 500, 4000, &out, &from, &end);
		is_int((int64_t)out.len, 1005, "a text is read from its head on into its tail");
		is_int(end, 1505, "and its size is known");
		is_int(job_kept_end(world.jobs, job, files[at]), 1505, "also that it was kept");
		ok(out.len > 5 && memcmp(out.data + out.len - 5, "\0END\n", 5) == 0,
		    "the last bytes of %s are there", at == 0 ? "output" : "standard error");
	}
	buf_finish(&out);
	mem_free(input);
	world_remove(&world);
}

/* A job is started once, also if its supervisor was killed before it removed the spec. */
static void test_started_once(void)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", NULL, NULL};
	char *env[] = {(char *)"A=1", NULL};
	const struct job_spec spec = {
	    .cwd = (char *)"/", .argv = argv, .env = env, .out_max = 1000};
	struct world world;
	const struct job *job;
	char command[192], path[128], directory[sizeof world.dir + 8];
	struct stat status = {0};
	int dir_fd;
	world_make(&world);
	argv[2] = command;
	snprintf(path, sizeof path, "%s/ran", world.dir);
	snprintf(command, sizeof command, "printf x >>%s", path);
	job = start(&world, command, 0);
	ok(wait_all(&world), "a job has run");
	snprintf(directory, sizeof directory, "%s/jobs", world.dir);
	dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)wait_gone(&world, supervisor_of(&world, job));
	is_int(job_spec_write(dir_fd, job->id, &spec), 0, "its spec is there again");
	close(dir_fd);
	is_int(supervise_again(&world, job), 4, "another supervisor does not start it again");
	is_int(stat(path, &status) == 0 ? (int)status.st_size : -1, 1, "so it has run once");
	world_remove(&world);
}

static void copy_file(const char *from, const char *to)
{
	static char bytes[1 << 20];
	FILE *in = fopen(from, "re"), *out = fopen(to, "we");
	size_t len;
	if (in == NULL || out == NULL)
		abort();
	while ((len = fread(bytes, 1, sizeof bytes, in)) > 0)
		(void)fwrite(bytes, 1, len, out);
	fclose(in);
	fclose(out);
}

/* The daemon was killed between accepting a job and starting it: the next one starts it. */
static void test_not_started(void)
{
	static const enum job_file files[] = {
	    JOB_FILE_LOCK, JOB_FILE_OUT, JOB_FILE_STARTED, JOB_FILE_STATUS};
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)"exit 5", NULL};
	char *env[] = {(char *)"A=1", NULL};
	const struct job_spec spec = {
	    .cwd = (char *)"/", .argv = argv, .env = env, .out_max = 1000};
	char journal[128], kept[128], path[512];
	struct world world;
	const struct job *job;
	int dir_fd;
	world_make(&world);
	snprintf(journal, sizeof journal, "%s/%s", world.dir, STORE_FILE);
	snprintf(kept, sizeof kept, "%s/kept", world.dir);
	job = start(&world, "exit 5", 0);
	copy_file(journal, kept);
	ok(wait_all(&world), "a job ends");
	/* Back to the moment at which the job had only been accepted, with its spec. */
	snprintf(path, sizeof path, "%s/jobs", world.dir);
	dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	is_int(job_spec_write(dir_fd, job->id, &spec), 0, "its spec is written again");
	close(dir_fd);
	for (size_t at = 0; at < sizeof files / sizeof *files; at++) {
		job_path(world.jobs, job, files[at], path, sizeof path);
		(void)unlink(path);
	}
	world_close(&world);
	copy_file(kept, journal);
	world_open(&world);
	ok(wait_all(&world), "accepted by a daemon that was killed at once, it ends too");
	job = job_next(world.jobs, NULL);
	ok(job != NULL && job->state == JOB_FAILED && job->status.exit_code == 5,
	    "with its own exit status");
	world_remove(&world);
}

/* The first and the last of an output, as plain text, in whole characters. */
static void test_excerpts(void)
{
	static const char lines[] = "31mcut\n\033[32mok\033[0m\n\033]0;t\007done \xc3\xa9\n";
	char text[2 * (JOB_EXCERPT + 1) + 1], *head, *tail;
	bool is_cut = true;
	int bad = 0;
	for (size_t at = 0; at < sizeof text - 1; at += 2)
		memcpy(text + at, "\xc3\xa9", 2);
	text[sizeof text - 1] = '\0';
	head = job_record_head(lines, strlen(lines), &is_cut);
	is_str(head, "31mcut\nok\ndone \xc3\xa9\n", "escape sequences are left out");
	ok(!is_cut, "all of it is there");
	mem_free(head);
	tail = job_record_tail(lines, strlen(lines), true);
	is_str(tail, "ok\ndone \xc3\xa9\n", "a part of a sequence is left out with its line");
	mem_free(tail);
	head = job_record_head(text, strlen(text), &is_cut);
	tail = job_record_tail(text, strlen(text), false);
	ok(is_cut && strlen(head) == 2 * JOB_EXCERPT && strlen(tail) == 2 * JOB_EXCERPT &&
		strcmp(head, tail) == 0,
	    "the first and the last %d characters", JOB_EXCERPT);
	mem_free(head);
	mem_free(tail);
	for (size_t len = 0; len < sizeof lines; len++) {
		head = job_record_head(lines, len, &is_cut);
		tail = job_record_tail(lines, len, false);
		bad += strchr(head, '\033') != NULL || strcmp(head, tail) != 0;
		mem_free(head);
		mem_free(tail);
	}
	is_int(bad, 0, "cut at every byte, no part of a sequence stays");
}

/* A spec is written whole or not at all: no value is lost because only shorter ones still fit. */
static void test_spec_limit(void)
{
	char *argv[] = {(char *)"/bin/true", NULL};
	char *env[] = {(char *)"A=1", (char *)"Bend=1", NULL};
	char *input = malloc(JOB_SPEC_MAX + 1);
	struct job_spec spec = {
	    .cwd = (char *)"/", .argv = argv, .env = env, .input = input, .out_max = 1000};
	struct job_spec read = {0};
	struct world world;
	int written = 0, refused = 0, bad = 0, dir_fd;
	world_make(&world);
	dir_fd = open(world.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t len = JOB_SPEC_MAX - 200; len <= JOB_SPEC_MAX; len += 5) {
		int error;
		memset(input, 'x', len);
		input[len] = '\0';
		error = job_spec_write(dir_fd, "A", &spec);
		written += error == 0;
		refused += error == -E2BIG;
		bad += (job_spec_read(dir_fd, "A", &read) == 0) != (error == 0);
		bad += error == 0 && (read.input == NULL || strcmp(read.input, input) != 0);
		job_spec_finish(&read);
		(void)unlinkat(dir_fd, "A.spec", 0);
	}
	ok(written > 0 && refused > 0 && written + refused == 41,
	    "a spec near the limit is written (%d) or too long (%d)", written, refused);
	is_int(bad, 0, "what is written is read again, whole");
	close(dir_fd);
	free(input);
	world_remove(&world);
}

int main(void)
{
	test_ends();
	test_limits();
	test_stop();
	test_secrets();
	test_streams();
	test_spare();
	test_spare_alone();
	test_started_once();
	test_not_started();
	test_killed_daemon();
	test_no_descriptors();
	test_killed_supervisor();
	test_excerpts();
	test_spec_limit();
	return done_testing();
}
