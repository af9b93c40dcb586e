/* SPDX-License-Identifier: ISC */
#include "daemon/file/folder_watch.h"

#include "base/hash.h"
#include "daemon/file/inotify_hub.h"
#include "daemon/file/path_watch.h"
#include "io/loop_timer.h"

#define SETTLE_MS 100 /* changes that come within this time share one report */
#define LATEST_MS 1000 /* latest time of the report, after the first change */
#define RETRY_MS 5000 /* ms between reports on a folder that the kernel has no watch for */
#define WRITTEN_MAX 32 /* maximum files remembered as being written */
#define MASK                                                                                \
	(IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | \
	    IN_ATTRIB | IN_ONLYDIR)

struct folder_watch {
	struct inotify_watch files; /* must be first: on_told() casts a pointer to it */
	struct inotify_hub *hub;
	struct path_watch *path_watch;
	struct loop_timer *settle, *retry;
	int64_t latest_ms; /* latest time of the report, while settle is armed */
	void (*changed)(void *data);
	void *data;
	/* Since the last report: files that were written and not closed, by the hashes of names. */
	uint64_t written[WRITTEN_MAX];
	size_t count;
	bool has_more; /* more files are being written */
	char *path;
};

/* Reports after ms, but not later than LATEST_MS after the first change. */
static void report_after(struct folder_watch *watch, int64_t ms)
{
	int64_t now_ms = clock_mono_ms();
	if (!loop_timer_is_armed(watch->settle))
		watch->latest_ms = now_ms + LATEST_MS;
	if (ms > watch->latest_ms - now_ms)
		ms = watch->latest_ms - now_ms;
	loop_timer_arm(watch->settle, ms);
}

static bool is_refused(int error)
{
	return error == -ENOSPC || error == -EMFILE;
}

/* Adds the watches that can be added: the folder may not exist yet, or a limit may be reached. */
static void refresh(struct folder_watch *watch)
{
	int error = path_watch_refresh(watch->path_watch), own;
	inotify_hub_remove(watch->hub, &watch->files);
	own = inotify_hub_add(watch->hub, &watch->files, watch->path, MASK);
	if (is_refused(error) || is_refused(own))
		loop_timer_arm(watch->retry, RETRY_MS);
}

static void on_path_changed(void *data)
{
	struct folder_watch *watch = data;
	refresh(watch);
	report_after(watch, SETTLE_MS);
}

static void on_path_moved(void *data, const char *path UNUSED)
{
	on_path_changed(data); /* watches the folder that is at the path now */
}

static void set_written(struct folder_watch *watch, const char *name, bool is_written)
{
	uint64_t hash = hash_bytes(name, strlen(name));
	size_t at = 0;
	while (at < watch->count && watch->written[at] != hash)
		at++;
	if (at < watch->count)
		watch->written[at] = watch->written[--watch->count];
	if (is_written && watch->count < WRITTEN_MAX)
		watch->written[watch->count++] = hash;
	else if (is_written)
		watch->has_more = true;
}

static bool is_written(const struct folder_watch *watch)
{
	return watch->count > 0 || watch->has_more;
}

/* A file that was written and not closed yet may be incomplete, so its report waits longer. */
static void on_told(struct inotify_watch *files, const struct inotify_event *event)
{
	struct folder_watch *watch = (struct folder_watch *)files;
	if (event->len > 0 && !(event->mask & IN_ATTRIB))
		set_written(watch, event->name, event->mask & IN_MODIFY);
	report_after(watch, is_written(watch) ? LATEST_MS : SETTLE_MS);
}

static void on_settled(void *data)
{
	struct folder_watch *watch = data;
	watch->count = 0;
	watch->has_more = false;
	watch->changed(watch->data);
}

bool folder_watch_is_written(const struct folder_watch *watch)
{
	return watch != NULL && is_written(watch);
}

struct folder_watch *folder_watch_new(struct event_base *base, struct inotify_hub *hub,
    const char *path, void (*changed)(void *data), void *data)
{
	static const struct path_watch_handlers handlers = {
	    .changed = on_path_changed, .moved = on_path_moved, .overflowed = on_path_changed};
	struct folder_watch *watch = xcalloc(1, sizeof *watch);
	watch->hub = hub;
	watch->path = xstrdup(path);
	watch->changed = changed;
	watch->data = data;
	watch->settle = loop_timer_new(base, on_settled, watch);
	watch->retry = loop_timer_new(base, on_path_changed, watch);
	inotify_watch_init(&watch->files, on_told);
	watch->path_watch = path_watch_new(hub, path, &handlers, watch);
	refresh(watch);
	return watch;
}

void folder_watch_free(struct folder_watch *watch)
{
	if (watch == NULL)
		return;
	inotify_hub_remove(watch->hub, &watch->files);
	path_watch_free(watch->path_watch);
	loop_timer_free(watch->settle);
	loop_timer_free(watch->retry);
	mem_free(watch->path);
	mem_free(watch);
}
