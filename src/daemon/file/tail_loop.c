/* SPDX-License-Identifier: ISC */
#include "daemon/file/tail_loop.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include "daemon/file/inotify_hub.h"
#include "daemon/file/path_watch.h"
#include "io/loop_timer.h"

/* ms between tries to add inotify watches that failed */
#define RETRY_MS 30000
/*
 * After this time further looks are left to the next turn of the loop. Polled files with longer
 * looks are looked at less often.
 */
#define TURN_MS 20
#define REASON_SIZE 160

struct tail_loop_set {
	struct event_base *base;
	struct inotify_hub *hub; /* NULL: always poll */
	int64_t poll_ms;
	struct list tail_loops;
	struct list dirty; /* tail_loops to look at */
	struct loop_timer *soon; /* looks at the tail_loops of dirty */
	struct event *mounts;
	int mounts_fd;
	uint8_t *scratch;
};

struct tail_loop {
	struct list link;
	struct list dirty_link;
	struct tail_loop_set *set;
	char *path;
	struct tail *tail;
	struct path_watch *path_watch; /* NULL without inotify */
	struct tail_loop_handlers handlers;
	void *data;
	bool must_refresh; /* the directories of the path may have changed */
	int64_t refreshed_ms;
	struct loop_timer *timer; /* for the next look without an event */
	int path_error; /* -errno of a directory that cannot be watched */
	int file_error; /* -errno of an open file that cannot be watched */
	size_t unwatched; /* number of open files without a watch */
	char reason[REASON_SIZE]; /* why the path is polled; "": not polled */
	int64_t partial_end; /* offset of the end of the partial line; -1: none */
	int64_t partial_ms; /* when the file was first seen to end at partial_end */
	bool is_partial_told;
};

static void mark_dirty(struct tail_loop *tail_loop)
{
	if (list_is_empty(&tail_loop->dirty_link))
		list_append(&tail_loop->set->dirty, &tail_loop->dirty_link);
}

/* Returns the name of a file system whose changes cause no inotify events, or NULL. */
static const char *eventless_name(const struct statfs *status)
{
	static const struct {
		unsigned magic;
		const char *name;
	} names[] = {
	    {NFS_SUPER_MAGIC, "nfs"},
	    {SMB_SUPER_MAGIC, "smb"},
	    {SMB2_SUPER_MAGIC, "smb2"},
	    {CIFS_SUPER_MAGIC, "cifs"},
	    {CEPH_SUPER_MAGIC, "ceph"},
	    {AFS_FS_MAGIC, "afs"},
	    {AFS_SUPER_MAGIC, "afs"},
	    {CODA_SUPER_MAGIC, "coda"},
	    {V9FS_MAGIC, "9p"},
	    {FUSE_SUPER_MAGIC, "fuse"},
	    {OVERLAYFS_SUPER_MAGIC, "overlay"},
	    {PROC_SUPER_MAGIC, "proc"},
	    {SYSFS_MAGIC, "sysfs"},
	    {DEBUGFS_MAGIC, "debugfs"},
	    {TRACEFS_MAGIC, "tracefs"},
	    {CGROUP2_SUPER_MAGIC, "cgroup2"},
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if ((unsigned)status->f_type == names[i].magic)
			return names[i].name;
	return NULL;
}

/* Reads the file system of a path, or of its deepest existing directory. */
static bool find_fs(const char *path, struct statfs *ret_status)
{
	char part[PATH_MAX];
	snprintf(part, sizeof part, "%s", path);
	while (statfs(part, ret_status) < 0) {
		char *slash = strrchr(part, '/');
		if (slash == NULL || !part[1])
			return false;
		slash[slash == part ? 1 : 0] = '\0';
	}
	return true;
}

static int missing(const struct tail_loop *tail_loop)
{
	if (tail_loop->path_error != 0)
		return tail_loop->path_error;
	return tail_loop->unwatched > 0 ? tail_loop->file_error : 0;
}

/* Sets the reason why a path is polled, or "". */
static void judge(struct tail_loop *tail_loop)
{
	struct statfs status;
	const char *fs = find_fs(tail_loop->path, &status) ? eventless_name(&status) : NULL;
	tail_loop->reason[0] = '\0';
	if (tail_loop->path_watch == NULL || missing(tail_loop) == -EMFILE)
		snprintf(tail_loop->reason, sizeof tail_loop->reason,
		    "inotify is not available: %s",
		    tail_loop->path_watch != NULL ? strerror(EMFILE) : "switched off");
	else if (missing(tail_loop) == -ENOSPC)
		snprintf(tail_loop->reason, sizeof tail_loop->reason,
		    "the limit fs.inotify.max_user_watches is reached");
	else if (missing(tail_loop) != 0)
		snprintf(tail_loop->reason, sizeof tail_loop->reason,
		    "the path cannot be watched: %s", strerror(-missing(tail_loop)));
	else if (fs != NULL)
		snprintf(
		    tail_loop->reason, sizeof tail_loop->reason, "%s does not report changes", fs);
}

/* Reports a partial line that is old enough. Returns the time of the next look for it, or -1. */
static int64_t watch_partial(struct tail_loop *tail_loop, int64_t now_ms)
{
	struct tail_file *file = tail_file(tail_loop->tail);
	struct tail_block block;
	int64_t due_ms, end;
	if (file == NULL || !tail_file_peek(file, &block)) {
		tail_loop->partial_end = -1;
		return -1;
	}
	end = block.offset + (int64_t)block.len;
	if (end != tail_loop->partial_end) {
		tail_loop->partial_end = end;
		tail_loop->partial_ms = now_ms;
		tail_loop->is_partial_told = false;
	}
	if (tail_loop->is_partial_told)
		return -1;
	due_ms = tail_loop->partial_ms + TAIL_PARTIAL_MS;
	if (due_ms > now_ms)
		return due_ms;
	tail_loop->is_partial_told = true;
	tail_loop->handlers.partial(tail_loop->data, &block);
	return -1;
}

struct tail_watch {
	struct inotify_watch watch; /* must be first: on_file_event() casts a pointer to it */
	struct tail_loop *tail_loop;
	bool is_missing;
};

static void on_file_event(struct inotify_watch *watch, const struct inotify_event *event)
{
	struct tail_watch *mine = (struct tail_watch *)watch;
	if (event->mask & (IN_MODIFY | IN_Q_OVERFLOW))
		mark_dirty(mine->tail_loop);
}

/* Watches an open file by its descriptor: another file may have its name now. */
static void watch_file(
    struct tail_loop *tail_loop, struct tail_watch *mine, const struct tail_file *file)
{
	char path[64];
	int r;
	if (mine->watch.wd >= 0)
		return;
	snprintf(path, sizeof path, "/proc/self/fd/%d", file->fd);
	r = inotify_hub_add(tail_loop->set->hub, &mine->watch, path, IN_MODIFY);
	tail_loop->unwatched += r < 0 && !mine->is_missing;
	tail_loop->unwatched -= r == 0 && mine->is_missing;
	mine->is_missing = r < 0;
	if (r < 0)
		tail_loop->file_error = r;
}

static void refresh(struct tail_loop *tail_loop, int64_t now_ms)
{
	struct tail_file *file;
	tail_loop->must_refresh = false;
	tail_loop->refreshed_ms = now_ms;
	tail_loop->path_error =
	    tail_loop->path_watch != NULL ? path_watch_refresh(tail_loop->path_watch) : 0;
	file = tail_file(tail_loop->tail);
	if (file != NULL && tail_loop->unwatched > 0)
		watch_file(tail_loop, file->owner_data, file);
}

static int64_t earlier(int64_t one_ms, int64_t other_ms)
{
	if (one_ms < 0 || other_ms < 0)
		return one_ms < 0 ? other_ms : one_ms;
	return one_ms < other_ms ? one_ms : other_ms;
}

/* Returns ms until the next poll. Polling slow files takes about a tenth of the time. */
static int64_t poll_again_ms(const struct tail_loop_set *set, int64_t took_ms)
{
	int64_t wait_ms = 0;
	if (took_ms >= TURN_MS)
		list_each (const struct tail_loop, tail_loop, &set->tail_loops, link)
			wait_ms += tail_loop->reason[0] ? 9 * took_ms : 0;
	return wait_ms > set->poll_ms ? wait_ms : set->poll_ms;
}

static void look(struct tail_loop *tail_loop)
{
	struct tail_loop_set *set = tail_loop->set;
	int64_t now_ms = clock_mono_ms(), due_ms;
	int64_t again_ms;
	bool has_more, goes_on;
	bool is_fresh = tail_loop->must_refresh ||
	    (missing(tail_loop) && now_ms - tail_loop->refreshed_ms >= RETRY_MS);
	list_remove(&tail_loop->dirty_link);
	if (is_fresh)
		refresh(tail_loop, now_ms);
	if (tail_loop->reason[0])
		tail_suspect(tail_loop->tail);
	goes_on = tail_look(tail_loop->tail, now_ms, &has_more, &again_ms);
	if (is_fresh || missing(tail_loop) || tail_loop->reason[0])
		judge(tail_loop);
	due_ms = again_ms >= 0 ? now_ms + again_ms : -1;
	if (tail_loop->reason[0]) {
		int64_t took_ms = clock_mono_ms() - now_ms;
		due_ms = earlier(due_ms, now_ms + took_ms + poll_again_ms(set, took_ms));
	}
	due_ms = goes_on ? earlier(due_ms, watch_partial(tail_loop, now_ms)) : -1;
	if (due_ms >= 0)
		loop_timer_arm(tail_loop->timer, due_ms - now_ms);
	else
		loop_timer_disarm(tail_loop->timer);
	if (goes_on && (has_more || tail_loop->must_refresh)) {
		mark_dirty(tail_loop);
		loop_timer_arm(set->soon, 0); /* other events come first */
	}
	tail_loop->handlers.looked(tail_loop->data);
}

static void look_at_dirty(void *data)
{
	struct tail_loop_set *set = data;
	int64_t began_ms = clock_mono_ms();
	struct list batch;
	/* A tail_loop that becomes dirty meanwhile has its turn after this batch. */
	list_init(&batch);
	while (!list_is_empty(&set->dirty))
		list_move(&batch, set->dirty.next);
	while (!list_is_empty(&batch) && clock_mono_ms() - began_ms < TURN_MS)
		look(list_entry(batch.next, struct tail_loop, dirty_link));
	while (!list_is_empty(&batch)) {
		struct list *link = batch.prev;
		list_remove(link);
		list_add_after(&set->dirty, link); /* the rest of the batch is first next time */
		loop_timer_arm(set->soon, 0);
	}
}

/* Reads events first: after an overflow the look searches for missed files. */
static void read_and_look(void *data)
{
	struct tail_loop_set *set = data;
	if (set->hub != NULL)
		inotify_hub_read(set->hub);
	look_at_dirty(set);
}

static void on_timer(void *data)
{
	struct tail_loop *tail_loop = data;
	mark_dirty(tail_loop);
	loop_timer_wake(tail_loop->set->soon);
}

void tail_loop_set_look(struct tail_loop_set *set)
{
	list_each (struct tail_loop, tail_loop, &set->tail_loops, link) {
		tail_loop->must_refresh = true;
		tail_suspect(tail_loop->tail);
		mark_dirty(tail_loop);
	}
	loop_timer_wake(set->soon);
}

/* After a mount or unmount, paths may name other files without inotify events. */
static void on_mounts(evutil_socket_t fd UNUSED, short what UNUSED, void *data)
{
	tail_loop_set_look(data);
}

struct tail_loop_set *tail_loop_set_new(
    struct event_base *base, const struct tail_loop_options *options)
{
	struct tail_loop_set *set = xcalloc(1, sizeof *set);
	set->base = base;
	set->poll_ms = options != NULL && options->poll_ms > 0 ? options->poll_ms : TAIL_POLL_MS;
	set->scratch = xalloc(TAIL_SCRATCH);
	list_init(&set->tail_loops);
	list_init(&set->dirty);
	set->soon = loop_timer_new(base, read_and_look, set);
	/* The file becomes readable once for each change of the mounts. */
	set->mounts_fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (set->mounts_fd >= 0)
		set->mounts =
		    event_new(base, set->mounts_fd, EV_READ | EV_ET | EV_PERSIST, on_mounts, set);
	if (set->mounts != NULL)
		(void)event_add(set->mounts, NULL); /* on failure, only polling sees mounts */
	if (options == NULL || !options->is_polling)
		set->hub = inotify_hub_new(base, look_at_dirty, set);
	return set;
}

void tail_loop_set_free(struct tail_loop_set *set)
{
	if (set == NULL)
		return;
	inotify_hub_free(set->hub);
	loop_timer_free(set->soon);
	if (set->mounts != NULL)
		event_free(set->mounts);
	if (set->mounts_fd >= 0)
		(void)close(set->mounts_fd);
	mem_free(set->scratch);
	mem_free(set);
}

static void on_opened(void *data, struct tail_file *file)
{
	struct tail_loop *tail_loop = data;
	struct tail_watch *mine;
	if (tail_loop->set->hub == NULL)
		return;
	mine = xcalloc(1, sizeof *mine);
	inotify_watch_init(&mine->watch, on_file_event);
	mine->tail_loop = tail_loop;
	file->owner_data = mine;
	watch_file(tail_loop, mine, file);
}

static void on_closing(void *data, struct tail_file *file)
{
	struct tail_loop *tail_loop = data;
	struct tail_watch *mine = file->owner_data;
	if (mine == NULL)
		return;
	tail_loop->unwatched -= mine->is_missing;
	inotify_hub_remove(tail_loop->set->hub, &mine->watch);
	mem_free(mine);
}

static bool on_block(void *data, const struct tail_block *block)
{
	struct tail_loop *tail_loop = data;
	return tail_loop->handlers.block(tail_loop->data, block);
}

static void on_change(void *data, enum tail_change change)
{
	struct tail_loop *tail_loop = data;
	tail_loop->handlers.changed(tail_loop->data, change);
}

static void on_path_changed(void *data)
{
	struct tail_loop *tail_loop = data;
	tail_loop->must_refresh = true;
	mark_dirty(tail_loop);
}

static void on_path_moved(void *data, const char *path)
{
	struct tail_loop *tail_loop = data;
	tail_moved(tail_loop->tail, path);
	mark_dirty(tail_loop);
}

static void on_path_overflow(void *data)
{
	struct tail_loop *tail_loop = data;
	tail_loop->must_refresh = true;
	tail_suspect(tail_loop->tail);
	mark_dirty(tail_loop);
}

struct tail_loop *tail_loop_new(struct tail_loop_set *set, const char *path,
    const struct tail_place *places, size_t count, const struct tail_loop_handlers *handlers,
    void *data)
{
	static const struct tail_handlers file_handlers = {
	    .block = on_block,
	    .changed = on_change,
	    .opened = on_opened,
	    .closing = on_closing,
	};
	static const struct path_watch_handlers path_handlers = {
	    .changed = on_path_changed,
	    .moved = on_path_moved,
	    .overflowed = on_path_overflow,
	};
	struct tail_loop *tail_loop = xcalloc(1, sizeof *tail_loop);
	int64_t now_ms;
	tail_loop->set = set;
	tail_loop->path = xstrdup(path);
	tail_loop->handlers = *handlers;
	tail_loop->data = data;
	tail_loop->timer = loop_timer_new(set->base, on_timer, tail_loop);
	tail_loop->partial_end = -1;
	list_init(&tail_loop->dirty_link);
	list_append(&set->tail_loops, &tail_loop->link);
	tail_loop->tail = tail_new(path, set->scratch, &file_handlers, tail_loop);
	now_ms = clock_mono_ms();
	/* Watch the directories before the file is read, so that no change is missed. */
	if (set->hub != NULL) {
		(void)inotify_hub_take(set->hub);
		tail_loop->path_watch = path_watch_new(set->hub, path, &path_handlers, tail_loop);
		refresh(tail_loop, now_ms);
	}
	if (places != NULL)
		tail_resume(tail_loop->tail, places, count, now_ms);
	else
		tail_start(tail_loop->tail, now_ms);
	judge(tail_loop);
	mark_dirty(tail_loop);
	loop_timer_wake(set->soon);
	return tail_loop;
}

void tail_loop_free(struct tail_loop *tail_loop)
{
	if (tail_loop == NULL)
		return;
	tail_free(tail_loop->tail);
	loop_timer_free(tail_loop->timer);
	path_watch_free(tail_loop->path_watch);
	list_remove(&tail_loop->dirty_link);
	list_remove(&tail_loop->link);
	mem_free(tail_loop->path);
	mem_free(tail_loop);
}

bool tail_loop_is_at_end(const struct tail_loop *tail_loop)
{
	/* A polled path without a file is not at its end: a file may have come and gone. */
	bool is_seen = !tail_loop->reason[0] || tail_file(tail_loop->tail) != NULL;
	return is_seen && tail_is_at_end(tail_loop->tail);
}

void tail_loop_take(struct tail_loop *tail_loop, const struct tail_loop *other)
{
	tail_take(tail_loop->tail, other->tail);
}

const struct tail *tail_loop_tail(const struct tail_loop *tail_loop)
{
	return tail_loop->tail;
}

const char *tail_loop_poll_reason(const struct tail_loop *tail_loop)
{
	return tail_loop->reason[0] ? tail_loop->reason : NULL;
}
