/* SPDX-License-Identifier: ISC */
/* Followed files on the event loop. */
#include "daemon/file/tail_loop.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "daemon/file/inotify_hub.h"
#include "daemon/file/path_watch.h"

/* How often watches that could not be had are asked for again. */
#define RETRY_MS 30000
#define REASON_SIZE 160

struct feed_set {
	struct event_base *base;
	struct inotify_hub *hub;
	int hub_error;
	int64_t poll_ms;
	struct list feeds;
	struct list dirty; /* to be looked at */
	struct event *soon; /* for those */
	struct event *timer;
	int64_t due_ms; /* of the timer; -1: not set */
	struct event *mounts;
	int mounts_fd;
	uint8_t *scratch;
};

struct feed {
	struct list link;
	struct list dirty_link;
	struct feed_set *set;
	char *path;
	struct follower *follower;
	struct path_watch *path_watch; /* NULL without inotify */
	struct feed_handlers handlers;
	void *data;
	bool must_refresh; /* the directories on the way may be others */
	int64_t refreshed_ms;
	int64_t due_ms; /* of the next look without an event; -1: none */
	int path_error; /* -errno of a directory that cannot be watched */
	int file_error; /* the same of open files, of which */
	size_t unwatched; /* so many are not watched */
	char reason[REASON_SIZE]; /* "": it is not polled */
	int64_t partial_end; /* of the file with the line that was shown last; -1: none */
	int64_t partial_ms; /* when it grew to that */
	bool is_partial_told;
};

/* ---- which ones and when -------------------------------------------------------------------- */

static void mark_dirty(struct feed *feed)
{
	if (list_is_empty(&feed->dirty_link))
		list_append(&feed->set->dirty, &feed->dirty_link);
}

static void wake_soon(struct feed_set *set)
{
	event_active(set->soon, EV_TIMEOUT, 0);
}

static void arm(struct feed_set *set, int64_t due_ms, int64_t now_ms)
{
	if (due_ms < 0 || (set->due_ms >= 0 && set->due_ms <= due_ms))
		return;
	int64_t left_ms = due_ms > now_ms ? due_ms - now_ms : 0;
	const struct timeval left = {.tv_sec = left_ms / 1000, .tv_usec = left_ms % 1000 * 1000};
	if (event_add(set->timer, &left) == 0)
		set->due_ms = due_ms;
}

/* File systems that change behind our back. */
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
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if ((unsigned)status->f_type == names[i].magic)
			return names[i].name;
	}
	return NULL;
}

/* The file system of the path, or of the deepest directory on the way that is there. */
static bool find_fs(const char *path, struct statfs *ret_status)
{
	char part[PATH_MAX];
	snprintf(part, sizeof(part), "%s", path);
	while (statfs(part, ret_status) < 0) {
		char *slash = strrchr(part, '/');
		if (!slash || !part[1])
			return false;
		slash[slash == part ? 1 : 0] = '\0';
	}
	return true;
}

/* Why not all is watched that should be: 0 or -errno. */
static int missing(const struct feed *feed)
{
	if (feed->path_error != 0)
		return feed->path_error;
	return feed->unwatched > 0 ? feed->file_error : 0;
}

/* Says in words why a feed is polled, if it is. */
static void judge(struct feed *feed)
{
	struct statfs status;
	const char *fs = find_fs(feed->path, &status) ? eventless_name(&status) : NULL;
	feed->reason[0] = '\0';
	if (!feed->path_watch)
		snprintf(feed->reason, sizeof(feed->reason), "inotify is not available: %s",
		    feed->set->hub_error ? strerror(feed->set->hub_error) : "switched off");
	else if (missing(feed) == -ENOSPC)
		snprintf(feed->reason, sizeof(feed->reason),
		    "the limit fs.inotify.max_user_watches is reached");
	else if (missing(feed) != 0)
		snprintf(feed->reason, sizeof(feed->reason), "it cannot be watched: %s",
		    strerror(-missing(feed)));
	else if (fs)
		snprintf(feed->reason, sizeof(feed->reason), "%s tells nothing of changes", fs);
}

/* ---- one look ---------------------------------------------------------------------------------- */

/* Has the line without an end shown when it is old enough. Returns when to look again, or -1. */
static int64_t watch_partial(struct feed *feed, int64_t now_ms)
{
	struct tail_file *file = follower_file(feed->follower);
	struct tail_block block;
	if (!file || !tail_file_peek(file, &block)) {
		feed->partial_end = -1;
		return -1;
	}
	int64_t end = block.offset + (int64_t)block.len;
	if (end != feed->partial_end) {
		feed->partial_end = end;
		feed->partial_ms = now_ms;
		feed->is_partial_told = false;
	}
	if (feed->is_partial_told)
		return -1;
	int64_t due_ms = feed->partial_ms + FEED_PARTIAL_MS;
	if (due_ms > now_ms)
		return due_ms;
	feed->is_partial_told = true;
	feed->handlers.partial(feed->data, &block);
	return -1;
}

/* The watch of an open file. */
struct file_watch {
	struct inotify_watch watch; /* first */
	struct feed *feed;
	bool is_missing; /* the kernel gave none */
};

static void on_file_event(struct inotify_watch *watch, const struct inotify_event *event)
{
	struct file_watch *mine = (struct file_watch *)watch; /* its first member */
	if (event->mask & (IN_MODIFY | IN_Q_OVERFLOW))
		mark_dirty(mine->feed);
}

/* By its descriptor: no other file can have taken its name meanwhile. */
static void watch_file(struct feed *feed, struct file_watch *mine, const struct tail_file *file)
{
	char path[64];
	if (mine->watch.wd >= 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	int r = inotify_hub_add(feed->set->hub, &mine->watch, path, IN_MODIFY);
	feed->unwatched += r < 0 && !mine->is_missing;
	feed->unwatched -= r == 0 && mine->is_missing;
	mine->is_missing = r < 0;
	if (r < 0)
		feed->file_error = r;
}

static void refresh(struct feed *feed, int64_t now_ms)
{
	feed->must_refresh = false;
	feed->refreshed_ms = now_ms;
	feed->path_error = feed->path_watch ? path_watch_refresh(feed->path_watch) : 0;
	struct tail_file *file = follower_file(feed->follower);
	if (file && feed->unwatched > 0)
		watch_file(feed, file->owner_data, file);
}

static int64_t earlier(int64_t one_ms, int64_t other_ms)
{
	if (one_ms < 0 || other_ms < 0)
		return one_ms < 0 ? other_ms : one_ms;
	return one_ms < other_ms ? one_ms : other_ms;
}

static void look(struct feed *feed)
{
	struct feed_set *set = feed->set;
	int64_t now_ms = clock_mono_ms();
	int64_t again_ms;
	bool has_more;
	bool is_fresh =
	    feed->must_refresh || (missing(feed) && now_ms - feed->refreshed_ms >= RETRY_MS);
	list_remove(&feed->dirty_link);
	if (is_fresh)
		refresh(feed, now_ms);
	if (feed->reason[0])
		follower_suspect(feed->follower);
	bool goes_on = follower_look(feed->follower, now_ms, &has_more, &again_ms);
	if (is_fresh || missing(feed) || feed->reason[0])
		judge(feed);
	feed->due_ms = again_ms >= 0 ? now_ms + again_ms : -1;
	if (feed->reason[0])
		feed->due_ms = earlier(feed->due_ms, now_ms + set->poll_ms);
	if (goes_on)
		feed->due_ms = earlier(feed->due_ms, watch_partial(feed, now_ms));
	else
		feed->due_ms = -1;
	arm(set, feed->due_ms, now_ms);
	if (goes_on && (has_more || feed->must_refresh)) {
		mark_dirty(feed);
		wake_soon(set);
	}
	feed->handlers.looked(feed->data);
}

static void look_at_dirty(struct feed_set *set)
{
	struct list batch;
	/* Those that become dirty meanwhile have their turn after others had theirs. */
	list_init(&batch);
	while (!list_is_empty(&set->dirty)) {
		struct list *link = set->dirty.next;
		list_remove(link);
		list_append(&batch, link);
	}
	while (!list_is_empty(&batch))
		look(list_entry(batch.next, struct feed, dirty_link));
}

static void on_idle(void *data)
{
	look_at_dirty(data);
}

/* What was heard comes first: who looks without knowing of an overflow would not search. */
static void read_and_look(struct feed_set *set)
{
	if (set->hub)
		inotify_hub_read(set->hub);
	look_at_dirty(set);
}

static void on_soon(evutil_socket_t fd, short what, void *data)
{
	(void)fd;
	(void)what;
	read_and_look(data);
}

static void on_timer(evutil_socket_t fd, short what, void *data)
{
	struct feed_set *set = data;
	int64_t now_ms = clock_mono_ms();
	int64_t next_ms = -1;
	struct list *link;
	(void)fd;
	(void)what;
	set->due_ms = -1;
	list_for_each (link, &set->feeds) {
		struct feed *feed = list_entry(link, struct feed, link);
		if (feed->due_ms < 0)
			continue;
		if (feed->due_ms <= now_ms)
			mark_dirty(feed);
		else
			next_ms = earlier(next_ms, feed->due_ms);
	}
	arm(set, next_ms, now_ms);
	read_and_look(set);
}

void feed_set_look(struct feed_set *set)
{
	struct list *link;
	list_for_each (link, &set->feeds) {
		struct feed *feed = list_entry(link, struct feed, link);
		feed->must_refresh = true;
		follower_suspect(feed->follower);
		mark_dirty(feed);
	}
	wake_soon(set);
}

/* Something was mounted, or unmounted: paths may name other files, and no inode knows. */
static void on_mounts(evutil_socket_t fd, short what, void *data)
{
	(void)fd;
	(void)what;
	feed_set_look(data);
}

/* ---- the set ------------------------------------------------------------------------------------ */

struct feed_set *feed_set_new(struct event_base *base, const struct feed_options *options)
{
	struct feed_set *set = xcalloc(1, sizeof(*set));
	set->base = base;
	set->due_ms = -1;
	set->poll_ms = options && options->poll_ms > 0 ? options->poll_ms : FEED_POLL_MS;
	set->scratch = xalloc(TAIL_SCRATCH);
	list_init(&set->feeds);
	list_init(&set->dirty);
	set->soon = evtimer_new(base, on_soon, set);
	set->timer = evtimer_new(base, on_timer, set);
	/* The kernel calls it readable once for each change of the mounts. */
	set->mounts_fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (set->mounts_fd >= 0)
		set->mounts =
		    event_new(base, set->mounts_fd, EV_READ | EV_ET | EV_PERSIST, on_mounts, set);
	if (set->mounts)
		(void)event_add(set->mounts, NULL); /* without, only polling would see mounts */
	if (!options || !options->is_polling) {
		set->hub = inotify_hub_new(base, on_idle, set);
		set->hub_error = set->hub ? 0 : errno;
		if (!set->hub)
			log_warning("files are polled: inotify is not available: %s",
			    strerror(set->hub_error));
	}
	if (!set->soon || !set->timer) {
		feed_set_free(set);
		return NULL;
	}
	return set;
}

void feed_set_free(struct feed_set *set)
{
	if (!set)
		return;
	inotify_hub_free(set->hub);
	if (set->soon)
		event_free(set->soon);
	if (set->timer)
		event_free(set->timer);
	if (set->mounts)
		event_free(set->mounts);
	if (set->mounts_fd >= 0)
		(void)close(set->mounts_fd); /* never read */
	mem_free(set->scratch);
	mem_free(set);
}

struct inotify_hub *feed_set_hub(const struct feed_set *set)
{
	return set->hub;
}

/* ---- one feed ------------------------------------------------------------------------------------ */

static void on_opened(void *data, struct tail_file *file)
{
	struct feed *feed = data;
	if (!feed->set->hub)
		return;
	struct file_watch *mine = xcalloc(1, sizeof(*mine));
	inotify_watch_init(&mine->watch, on_file_event);
	mine->feed = feed;
	file->owner_data = mine;
	watch_file(feed, mine, file);
}

static void on_closing(void *data, struct tail_file *file)
{
	struct feed *feed = data;
	struct file_watch *mine = file->owner_data;
	if (!mine)
		return;
	feed->unwatched -= mine->is_missing;
	inotify_hub_remove(feed->set->hub, &mine->watch);
	mem_free(mine);
}

static bool on_block(void *data, const struct tail_block *block)
{
	struct feed *feed = data;
	return feed->handlers.block(feed->data, block);
}

static void on_change(void *data, enum follower_change change)
{
	struct feed *feed = data;
	feed->handlers.changed(feed->data, change);
}

static void on_path_changed(void *data)
{
	struct feed *feed = data;
	feed->must_refresh = true;
	mark_dirty(feed);
}

static void on_path_moved(void *data, const char *path)
{
	struct feed *feed = data;
	follower_moved(feed->follower, path);
	mark_dirty(feed);
}

static void on_path_overflow(void *data)
{
	struct feed *feed = data;
	feed->must_refresh = true;
	follower_suspect(feed->follower);
	mark_dirty(feed);
}

struct feed *feed_new(struct feed_set *set, const char *path, const struct tail_place *places,
    size_t count, const struct feed_handlers *handlers, void *data)
{
	static const struct follower_handlers file_handlers = {
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
	struct feed *feed = xcalloc(1, sizeof(*feed));
	feed->set = set;
	feed->path = xstrdup(path);
	feed->handlers = *handlers;
	feed->data = data;
	feed->due_ms = -1;
	feed->partial_end = -1;
	list_init(&feed->dirty_link);
	list_append(&set->feeds, &feed->link);
	feed->follower = follower_new(path, set->scratch, &file_handlers, feed);
	int64_t now_ms = clock_mono_ms();
	/* The directories first: what happens from now on is heard. */
	if (set->hub) {
		feed->path_watch = path_watch_new(set->hub, path, &path_handlers, feed);
		refresh(feed, now_ms);
	}
	if (places)
		follower_resume(feed->follower, places, count, now_ms);
	else
		follower_start(feed->follower, now_ms);
	judge(feed);
	mark_dirty(feed);
	wake_soon(set);
	return feed;
}

void feed_free(struct feed *feed)
{
	if (!feed)
		return;
	follower_free(feed->follower);
	path_watch_free(feed->path_watch);
	list_remove(&feed->dirty_link);
	list_remove(&feed->link);
	mem_free(feed->path);
	mem_free(feed);
}

const struct follower *feed_follower(const struct feed *feed)
{
	return feed->follower;
}

const char *feed_poll_reason(const struct feed *feed)
{
	return feed->reason[0] ? feed->reason : NULL;
}
