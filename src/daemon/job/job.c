/* SPDX-License-Identifier: ISC */
#include "daemon/job/job.h"

#include <dirent.h>
#include <sys/syscall.h>

#include "base/process.h"
#include "daemon/core/rlimit.h"
#include "daemon/core/state_dir.h"
#include "daemon/queue/consumer.h"
#include "daemon/queue/once.h"
#include "io/loop_pidfd.h"
#include "io/loop_timer.h"

enum {
	PATH_SIZE = 4096,
	EXCERPT_READ = 16 * 1024, /* bytes of output that are read for each of two excerpts */
	AGAIN_MS = 1000, /* time between attempts while a limit of the system is reached */
};

struct job_set {
	struct event_base *base;
	struct queue *queue;
	int dir_fd;
	char dir[PATH_SIZE - JOB_NAME_SIZE];
	char supervisor[PATH_SIZE];
	struct job_starter *starter;
	struct loop_timer *again;
	struct list jobs; /* oldest first */
	int64_t last_number; /* number of the newest job */
	struct list listeners;
	size_t running;
	size_t ended;
	size_t quick; /* number of quick jobs that have ended; "ended" does not count them */
};

struct tracked {
	struct job job;
	struct job_set *set;
	/* a child of this process; 0: it has ended, or an earlier daemon started it */
	pid_t supervisor;
	struct loop_pidfd *watch; /* tells when the supervisor has ended */
	int news_fd; /* gets reports of the supervisor; -1: none, so the files tell */
	struct event *news;
	bool is_started; /* started() of the listeners was called */
	bool is_restarting; /* job_stop_for_restart() has asked the job to end */
	const char **env; /* the changes of its environment, only in memory; NULL: not known */
};

static struct tracked *tracked_of(const struct job *job)
{
	return (struct tracked *)(uintptr_t)job; /* each job is a member of a struct tracked */
}

const struct job *job_find(const struct job_set *set, const char *id)
{
	next_each (const struct job, job, job_next, set)
		if (strcmp(job->id, id) == 0)
			return job;
	return NULL;
}

const struct job *job_next(const struct job_set *set, const struct job *previous)
{
	const struct list *link = previous == NULL ? set->jobs.next : previous->link.next;
	return link == &set->jobs ? NULL : list_entry(link, const struct job, link);
}

size_t job_running(const struct job_set *set)
{
	return set->running;
}

bool job_is_quick(const struct job *job)
{
	return job->is_silent && job->state != JOB_RUNNING;
}

static size_t *ended_count(struct job_set *set, const struct job *job)
{
	return job_is_quick(job) ? &set->quick : &set->ended;
}

void job_path(
    const struct job_set *set, const struct job *job, enum job_file file, char *out, size_t size)
{
	char name[JOB_NAME_SIZE];
	job_file_name(name, job->id, file);
	snprintf(out, size, "%s/%s", set->dir, name);
}

static void tracked_close_news(struct tracked *tracked)
{
	if (tracked->news != NULL)
		event_free(tracked->news);
	if (tracked->news_fd >= 0)
		close(tracked->news_fd);
	tracked->news = NULL;
	tracked->news_fd = -1;
}

static void tracked_unwatch(struct tracked *tracked)
{
	tracked_close_news(tracked);
	loop_pidfd_free(tracked->watch);
	tracked->watch = NULL;
}

static void tracked_free(struct tracked *tracked)
{
	tracked_unwatch(tracked);
	list_remove(&tracked->job.link);
	queue_release_id(tracked->set->queue, tracked->job.id);
	record_finish(job_kind.rows, &tracked->job);
	mem_free(tracked->env);
	mem_free(tracked);
}

static void set_forget(struct job_set *set)
{
	list_each_safe (struct job, job, &set->jobs, link) {
		char name[JOB_NAME_SIZE];
		bool is_full;
		if (set->ended <= JOBS_KEEP && set->quick <= JOBS_KEEP_QUICK)
			return;
		is_full = job_is_quick(job) ? set->quick > JOBS_KEEP_QUICK : set->ended > JOBS_KEEP;
		if (!is_full || job->state == JOB_RUNNING || tracked_of(job)->watch != NULL)
			continue; /* the supervisor may still write its files */
		for (int file = 0; file < JOB_FILE_COUNT_; file++) {
			job_file_name(name, job->id, (enum job_file)file);
			(void)unlinkat(set->dir_fd, name, 0);
		}
		record_delete(queue_store(set->queue), &job_kind, job->id);
		--*ended_count(set, job);
		tracked_free(tracked_of(job));
	}
}

static int64_t read_output(
    const struct job_set *set, const struct job *job, int64_t offset, struct buf *out)
{
	int64_t from, end;
	size_t before;
	do { /* the last bytes of a long output are in a second file */
		before = out->len;
		if (job_read(set, job, JOB_FILE_OUT, offset + (int64_t)out->len,
			EXCERPT_READ - out->len, out, &from, &end) < 0)
			return 0;
	} while (out->len > before && out->len < EXCERPT_READ && offset + (int64_t)out->len < end);
	return job_kept_end(set, job, JOB_FILE_OUT);
}

/* Returns the begin of the output; *ret_tail gets the end, or NULL. The caller frees both. */
static char *job_excerpt(const struct job_set *set, const struct job *job, char **ret_tail)
{
	struct buf raw = BUF(2 * EXCERPT_READ);
	bool is_cut = false;
	int64_t end;
	char *head;
	*ret_tail = NULL;
	end = read_output(set, job, 0, &raw);
	head = job_record_head(raw.data, raw.len, &is_cut);
	if (end > EXCERPT_READ) {
		raw.len = 0;
		(void)read_output(set, job, end - EXCERPT_READ, &raw);
		*ret_tail = job_record_tail(raw.data, raw.len, true);
	} else if (is_cut) {
		*ret_tail = job_record_tail(raw.data, raw.len, false);
	}
	buf_finish(&raw);
	return head;
}

static enum notification_source job_source(const struct job *job)
{
	return job->tool != NULL ? SOURCE_TOOL : SOURCE_JOB;
}

static void job_post(struct job_set *set, const struct job *job)
{
	struct notification_draft draft = {
	    .source = job_source(job), .id = job->id, .pane = &job->pane};
	char path[PATH_SIZE], *head, *tail, *text, *data;
	head = job_excerpt(set, job, &tail);
	job_path(set, job, JOB_FILE_OUT, path, sizeof path);
	text = job_record_text(job);
	data = job_record_data(job, path, job_log_bytes(set, job), head, tail);
	draft.text = text;
	draft.data = data;
	(void)queue_post(set->queue, &draft);
	mem_free(head);
	mem_free(tail);
	mem_free(text);
	mem_free(data);
}

static void tell(struct job_set *set, const struct job *job, bool has_ended)
{
	list_each_safe (struct job_listener, listener, &set->listeners, link) {
		job_listener_fn *heard = has_ended ? listener->ended : listener->started;
		if (heard != NULL &&
		    (listener->id[0] == '\0' || strcmp(listener->id, job->id) == 0))
			heard(listener, job);
	}
}

/* Stores the end of a job, and posts its notification unless is_silent, in one transaction. */
static void job_settle(struct job_set *set, struct job *job)
{
	set->running--;
	++*ended_count(set, job);
	queue_begin(set->queue);
	record_put(queue_store(set->queue), &job_kind, job->id, job);
	if (!job->is_silent)
		job_post(set, job);
	(void)queue_commit(set->queue);
	tell(set, job, true);
}

static enum job_state state_of(const struct job_status *status)
{
	if (status->is_stopped || status->is_timed_out)
		return JOB_STOPPED;
	return status->exit_code == 0 ? JOB_EXITED : JOB_FAILED;
}

/* Reads how a job ended. Without a status, it is lost; at a limit of the system, tries again. */
static void job_read_end(struct job_set *set, struct job *job)
{
	struct job_start start = {0};
	int error;
	if (job_start_read(set->dir_fd, job->id, &start) == 0)
		job->pid = start.pid;
	error = -job_status_read(set->dir_fd, job->id, &job->status);
	if (rlimit_text(error) != NULL) {
		loop_timer_arm(set->again, AGAIN_MS);
		return;
	}
	if (error == 0) {
		job->state = state_of(&job->status);
	} else {
		job->state = JOB_LOST;
		job->status = (struct job_status){.exit_code = -1, .end_ms = clock_real_ms()};
		job->status.is_held =
		    start.pid_start > 0 && process_start_ticks(start.pid) == start.pid_start;
	}
	job_settle(set, job);
	job_secrets_remove(set->dir_fd, job->id);
}

/* Called when a supervisor has ended. Removes old jobs now, so that no answer waits for this. */
static void job_collect(void *data)
{
	struct tracked *tracked = data;
	struct job_set *set = tracked->set;
	tracked_unwatch(tracked);
	if (tracked->supervisor > 0)
		/* does not wait: the pidfd says that it has ended */
		(void)child_reap(tracked->supervisor);
	tracked->supervisor = 0;
	if (tracked->job.state == JOB_RUNNING) /* otherwise the pipe has reported the end */
		job_read_end(set, &tracked->job);
	set_forget(set);
	job_starter_prepare(set->starter);
}

/* Watches the supervisor, and owns pidfd. Returns false if that fails, as when it has ended. */
static bool tracked_watch(struct tracked *tracked, int pidfd)
{
	tracked->watch = loop_pidfd_new(tracked->set->base, pidfd, job_collect, tracked);
	return tracked->watch != NULL;
}

/*
 * A report of the supervisor says that the command has started, ended, or both. If the pipe closes
 * without a report, the supervisor was killed or is of an earlier release; then the files say how
 * the job ended.
 */
static void news_came(evutil_socket_t fd, short what UNUSED, void *data)
{
	struct tracked *tracked = data;
	struct job *job = &tracked->job;
	char text[JOB_NEWS_MAX];
	ssize_t len = read(fd, text, sizeof text - 1);
	struct job_start start;
	struct job_news news;
	text[len > 0 ? len : 0] = '\0';
	job_news_read(text, &news);
	if (news.has_started)
		job->pid = news.start.pid;
	if (len <= 0 || news.has_ended)
		tracked_close_news(tracked);
	if (len <= 0 && job_start_read(tracked->set->dir_fd, job->id, &start) == 0)
		job->pid = start.pid;
	if ((len <= 0 || news.has_started) && !tracked->is_started) {
		tracked->is_started = true;
		tell(tracked->set, job, false);
	}
	if (!news.has_ended)
		return;
	job->status = news.status;
	job->state = state_of(&job->status);
	job_settle(tracked->set, job);
}

static int start_supervisor(struct tracked *tracked)
{
	struct job_supervisor supervisor;
	int error = job_starter_start(tracked->set->starter, tracked->job.id, &supervisor);
	if (error != 0)
		return error;
	tracked->supervisor = supervisor.pid;
	tracked->news_fd = supervisor.news_fd;
	if (tracked->news_fd >= 0)
		tracked->news = event_new(
		    tracked->set->base, tracked->news_fd, EV_READ | EV_PERSIST, news_came, tracked);
	if (tracked->news != NULL && event_add(tracked->news, NULL) < 0)
		tracked_close_news(tracked);
	if (!tracked_watch(tracked, supervisor.pidfd))
		log_error("job %s: its supervisor cannot be watched", tracked->job.id);
	return 0;
}

static struct tracked *tracked_new(struct job_set *set)
{
	struct tracked *tracked = xcalloc(1, sizeof *tracked);
	tracked->set = set;
	tracked->news_fd = -1;
	pane_ref_clear(&tracked->job.pane);
	list_append(&set->jobs, &tracked->job.link);
	return tracked;
}

static int write_spec(struct job_set *set, const struct job_order *order, const char *id)
{
	const char **env = job_env_make(order->session_env, order->env, id);
	struct job_spec spec = {
	    .cwd = (char *)(uintptr_t)order->cwd,
	    .argv = (char **)(uintptr_t)order->argv,
	    .env = (char **)(uintptr_t)env,
	    .input = (char *)(uintptr_t)order->input,
	    .timeout_ms = order->timeout_ms,
	    .umask = order->umask,
	    .out_max = order->out_max > 0 ? order->out_max : JOB_OUT_MAX,
	    .has_err = order->has_err,
	};
	char reason[64];
	size_t last = 0;
	int error, dir = state_dir_open(set->dir, reason, sizeof reason);
	if (dir >= 0) { /* another directory, if a program has removed or moved the old one */
		(void)close(set->dir_fd);
		set->dir_fd = dir;
	}
	error = job_spec_write(set->dir_fd, id, &spec);
	while (env[last + 1] != NULL)
		last++;
	mem_free((char *)(uintptr_t)env[last]);
	mem_free(env);
	return error;
}

const struct job *job_start(
    struct job_set *set, const struct job_order *order, char *ret_reason, size_t size)
{
	struct tracked *tracked;
	struct job *job;
	const char *at = set->dir, *text;
	int error;
	if (set->running == JOBS_MAX) {
		snprintf(ret_reason, size, "%d jobs run already, the most there may be", JOBS_MAX);
		errno = ENOSPC;
		return NULL;
	}
	tracked = tracked_new(set);
	job = &tracked->job;
	queue_new_id(set->queue, job->id);
	job->name = order->name != NULL ? xstrdup(order->name) : NULL;
	job->command = xstrdup(order->command);
	job->tool = order->tool != NULL ? xstrdup(order->tool) : NULL;
	job->answer = order->answer != NULL ? xstrdup(order->answer) : NULL;
	job->cwd = xstrdup(order->cwd);
	job->number = ++set->last_number;
	job->created_ms = clock_real_ms();
	job->timeout_ms = order->timeout_ms;
	job->umask = order->umask;
	job->is_silent = order->is_silent;
	job->is_program = order->is_program;
	job->has_env = order->env != NULL && order->env[0] != NULL;
	tracked->env = job_env_join(order->session_env, order->env, JOB_ENV_KEEP);
	if (order->pane != NULL)
		job->pane = *order->pane;
	error = -write_spec(set, order, job->id);
	if (error == 0) {
		/* From now on a crash does not lose the job. */
		set->running++;
		queue_begin(set->queue);
		record_put(queue_store(set->queue), &job_kind, job->id, job);
		once_keep(order->once, job->id);
		(void)queue_commit(set->queue);
		at = set->supervisor;
		error = start_supervisor(tracked);
		if (error == 0)
			return job;
		set->running--;
		record_delete(queue_store(set->queue), &job_kind, job->id);
		once_forget(order->once);
	}
	job_secrets_remove(set->dir_fd, job->id);
	text = rlimit_text(error);
	snprintf(ret_reason, size, "%s: %s", at, text != NULL ? text : strerror(error));
	tracked_free(tracked);
	errno = text != NULL ? ENOSPC : error;
	return NULL;
}

static void job_take_up(struct tracked *tracked)
{
	struct job_set *set = tracked->set;
	struct job *job = &tracked->job;
	struct job_start start;
	int pidfd, error;
	(void)job_supervisor_open(set->dir_fd, job->id, &pidfd);
	error = pidfd < 0 ? errno : 0;
	if (pidfd >= 0 && (size_t)pidfd >= rlimit_file_room()) {
		(void)close(pidfd);
		error = EMFILE;
	}
	if (error == 0 && tracked_watch(tracked, pidfd)) {
		if (job_start_read(set->dir_fd, job->id, &start) == 0)
			job->pid = start.pid;
		return;
	}
	if (rlimit_text(error) == NULL &&
	    job_status_read(set->dir_fd, job->id, &job->status) == -ENOENT &&
	    job_start_read(set->dir_fd, job->id, &start) == -ENOENT &&
	    (error = start_supervisor(tracked)) == 0)
		return; /* an earlier daemon was killed before it started the accepted job */
	if (rlimit_text(error) != NULL)
		loop_timer_arm(set->again, AGAIN_MS);
	else
		job_collect(tracked);
}

static void job_adopt(struct tracked *tracked)
{
	struct job *job = &tracked->job;
	tracked->set->running++;
	if (job->is_silent && !job->is_program) {
		job->is_silent = false; /* the waiting request ended with its connection */
		record_put(queue_store(tracked->set->queue), &job_kind, job->id, job);
	}
	job_take_up(tracked);
}

/* Tries again to watch a job for which a limit of the system was reached, and then the next one. */
static void on_again(void *data)
{
	struct job_set *set = data;
	list_each (struct job, job, &set->jobs, link) {
		struct tracked *tracked = tracked_of(job);
		if (job->state != JOB_RUNNING || tracked->watch != NULL || tracked->news_fd >= 0)
			continue;
		loop_timer_arm(set->again, 0);
		job_take_up(tracked); /* may free this job, and others that have ended */
		return;
	}
}

static bool is_later(const struct job *job, const struct job *other)
{
	return job->number != other->number ? job->number > other->number
					    : job->created_ms > other->created_ms;
}

/* Keeps the list sorted: the store has the records in another order. */
static void job_place(struct job_set *set, struct job *job)
{
	struct list *before = set->jobs.prev == &job->link ? job->link.prev : set->jobs.prev;
	list_remove(&job->link);
	while (before != &set->jobs && is_later(list_entry(before, struct job, link), job))
		before = before->prev;
	list_add_after(before, &job->link);
	if (job->number > set->last_number)
		set->last_number = job->number;
}

static bool job_load(void *data, const char *id, const struct json *value)
{
	struct job_set *set = data;
	struct tracked *tracked = tracked_new(set);
	strcpy(tracked->job.id, id);
	queue_hold_id(set->queue, id);
	if (record_read(job_kind.rows, value, &tracked->job)) {
		job_place(set, &tracked->job);
		return true;
	}
	tracked_free(tracked);
	return false;
}

/* Removes files that a crash may leave: the environment and input of jobs that do not run. */
static void set_sweep(struct job_set *set)
{
	static const char *const suffixes[] = {".in", ".spec", ".spec.new", NULL};
	DIR *dir = opendir(set->dir);
	const struct dirent *entry;
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		size_t len = strcspn(entry->d_name, ".");
		char id[JOB_NAME_SIZE];
		const struct job *job;
		snprintf(id, sizeof id, "%.*s", (int)len, entry->d_name);
		job = job_find(set, id);
		if (str_is_in(entry->d_name + len, suffixes) &&
		    (job == NULL || job->state != JOB_RUNNING))
			(void)unlinkat(set->dir_fd, entry->d_name, 0);
	}
	if (dir != NULL)
		closedir(dir);
}

static void set_load(struct job_set *set)
{
	queue_load(set->queue, &job_kind, job_load, set);
	list_each_safe (struct job, job, &set->jobs, link)
		if (job->state == JOB_RUNNING)
			job_adopt(tracked_of(job));
		else
			++*ended_count(set, job);
	set_sweep(set);
}

struct job_set *job_set_new(struct event_base *base, struct queue *queue, const char *state_dir,
    char *ret_reason, size_t reason_size)
{
	struct job_set *set = xcalloc(1, sizeof *set);
	set->base = base;
	set->queue = queue;
	list_init(&set->jobs);
	list_init(&set->listeners);
	snprintf(set->dir, sizeof set->dir, "%s/jobs", state_dir);
	sibling_find("muxbus-job", set->supervisor, sizeof set->supervisor);
	set->dir_fd = state_dir_open(set->dir, ret_reason, reason_size);
	if (set->dir_fd < 0) {
		mem_free(set);
		return NULL;
	}
	set->starter = job_starter_new(base, set->supervisor, set->dir);
	set->again = loop_timer_new(base, on_again, set);
	set_load(set);
	return set;
}

void job_set_free(struct job_set *set)
{
	if (set == NULL)
		return;
	while (!list_is_empty(&set->jobs))
		tracked_free(tracked_of(list_entry(set->jobs.next, struct job, link)));
	job_starter_free(set->starter);
	loop_timer_free(set->again);
	close(set->dir_fd);
	mem_free(set);
}

int job_stop(struct job_set *set, const char *id, int signal)
{
	const struct job *job = job_find(set, id);
	struct job_start start;
	int fd, result;
	pid_t supervisor;
	if (job == NULL || job->state != JOB_RUNNING)
		return -ESRCH;
	if (signal == SIGTERM || signal == SIGINT) {
		fd = loop_pidfd_fd(tracked_of(job)->watch);
		result = syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0) < 0 ? -errno : 0;
		tracked_of(job)->job.is_cancelled |= result == 0;
		return result;
	}
	if (job_start_read(set->dir_fd, id, &start) != 0)
		return -EAGAIN;
	/*
	 * A child of the supervisor with this pid is the command: the pid is not used again before
	 * the supervisor has reaped the command.
	 */
	supervisor = job_supervisor_open(set->dir_fd, job->id, &fd);
	if (fd < 0)
		return -ESRCH;
	result = process_parent(start.pid) == supervisor ? kill(-start.pid, signal) : 1;
	result = result > 0 ? -ESRCH : result < 0 ? -errno : 0;
	close(fd);
	return result;
}

int job_stop_for_restart(struct job_set *set, const char *id)
{
	const struct job *job = job_find(set, id);
	int error;
	if (job != NULL && tracked_of(job)->is_restarting)
		return -EBUSY;
	error = job_stop(set, id, SIGTERM);
	if (error == -ESRCH && job != NULL && job->state == JOB_RUNNING)
		error = 0; /* the job has just ended, which will be reported soon */
	if (error == 0)
		tracked_of(job)->is_restarting = true;
	return error;
}

const char *const *job_env(const struct job *job)
{
	return tracked_of(job)->env;
}

void job_settle_waited(struct job_set *set, const struct job *job)
{
	const struct notification *note = queue_find_id(set->queue, job->id);
	for (; note != NULL; note = note_index_older(note))
		if (note->source == job_source(job) && note->state == NOTE_QUEUED)
			consumer_settle(set->queue, note->seq, NULL);
}

void job_set_silent(
    struct job_set *set, const char *id, bool is_silent, const struct pane_ref *pane)
{
	const struct job *found = job_find(set, id);
	struct job *job;
	if (found == NULL || found->state != JOB_RUNNING)
		return;
	job = &tracked_of(found)->job;
	job->is_silent = is_silent;
	if (pane != NULL)
		job->pane = *pane;
	record_put(queue_store(set->queue), &job_kind, job->id, job);
}

void job_listen(struct job_set *set, struct job_listener *listener, const char *id)
{
	strcpy(listener->id, id);
	list_append(&set->listeners, &listener->link);
}

static int64_t file_size(const struct job_set *set, const struct job *job, enum job_file file)
{
	char name[JOB_NAME_SIZE];
	struct stat status;
	job_file_name(name, job->id, file);
	if (fstatat(set->dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	return status.st_size;
}

int64_t job_log_bytes(const struct job_set *set, const struct job *job)
{
	return file_size(set, job, JOB_FILE_OUT) + job->status.tail_bytes;
}

/* Returns the size of the separate file with the last bytes of a long output. */
static int64_t tail_bytes(const struct job_set *set, const struct job *job, enum job_file file)
{
	return file == JOB_FILE_OUT ? job->status.tail_bytes
				    : file_size(set, job, JOB_FILE_ERR_TAIL);
}

static int64_t all_bytes(const struct job *job, enum job_file file)
{
	return file == JOB_FILE_OUT ? job->status.out_bytes : job->status.err_bytes;
}

int64_t job_kept_end(const struct job_set *set, const struct job *job, enum job_file file)
{
	return tail_bytes(set, job, file) > 0 ? all_bytes(job, file) : file_size(set, job, file);
}

int job_read(const struct job_set *set, const struct job *job, enum job_file file, int64_t offset,
    size_t max, struct buf *out, int64_t *ret_from, int64_t *ret_end)
{
	int64_t kept = file_size(set, job, file), tail = tail_bytes(set, job, file);
	int64_t end = all_bytes(job, file);
	end = end > kept ? end : kept; /* the status is written when the job has ended */
	*ret_end = end;
	*ret_from = offset;
	if (offset < kept || end == kept) {
		size_t before = out->len;
		int error = job_file_read(set->dir_fd, job->id, file, offset, max, out);
		offset += (int64_t)(out->len - before);
		max -= out->len - before;
		if (error != 0 || offset < kept || end - tail != kept)
			return error;
	} else if (offset < end - tail) {
		*ret_from = offset = end - tail;
	}
	return tail == 0 || max == 0 ? 0 /* or there are no last bytes, as the disk was full */
				     : job_file_read(set->dir_fd, job->id,
					   file == JOB_FILE_OUT ? JOB_FILE_TAIL : JOB_FILE_ERR_TAIL,
					   offset - (end - tail), max, out);
}
