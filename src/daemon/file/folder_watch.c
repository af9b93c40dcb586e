/* SPDX-License-Identifier: ISC */
/* The files of a folder. */
#include "daemon/file/folder_watch.h"

#include "base/xalloc.h"
#include "daemon/file/inotify_hub.h"
#include "daemon/file/path_watch.h"
#include "io/loop_timer.h"

enum { SETTLE_MS = 100 }; /* one report of changes that come together */

#define MASK (IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_ATTRIB)

struct folder_watch {
	struct inotify_watch files; /* first */
	struct inotify_hub *hub;
	struct path_watch *path_watch;
	struct loop_timer *settle;
	char *path;
};

/* Watches the folder that the path names now. */
static void refresh(struct folder_watch *watch)
{
	(void)path_watch_refresh(
	    watch->path_watch); /* what is missing is seen at the next change */
	inotify_hub_remove(watch->hub, &watch->files);
	(void)inotify_hub_add(watch->hub, &watch->files, watch->path, MASK); /* it may not exist */
}

static void on_path_changed(void *data)
{
	struct folder_watch *watch = data;
	refresh(watch);
	loop_timer_arm(watch->settle, SETTLE_MS);
}

static void on_path_moved(void *data, const char *path)
{
	(void)path; /* the path counts, not the folder that it named */
	on_path_changed(data);
}

static void on_told(struct inotify_watch *files, const struct inotify_event *event)
{
	struct folder_watch *watch = (struct folder_watch *)files;
	(void)event;
	loop_timer_arm(watch->settle, SETTLE_MS);
}

struct folder_watch *folder_watch_new(struct event_base *base, struct inotify_hub *hub,
    const char *path, void (*changed)(void *data), void *data)
{
	static const struct path_watch_handlers handlers = {
	    .changed = on_path_changed, .moved = on_path_moved, .overflowed = on_path_changed};
	struct folder_watch *watch = xcalloc(1, sizeof *watch);
	watch->hub = hub;
	watch->path = xstrdup(path);
	watch->settle = loop_timer_new(base, changed, data);
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
	mem_free(watch->path);
	mem_free(watch);
}
