/* SPDX-License-Identifier: ISC */
/*
 * Watches the directories that decide which file a path names: the directories on the path, those
 * of its symbolic links, and, if the path does not exist, the deepest directory that does. Reports
 * when the path may name another file, and the new names of renamed files.
 */
#pragma once

struct inotify_hub;

struct path_watch_handlers {
	void (*changed)(void *data); /* the path may name another file now */
	/* a file that had the watched name is at `path` now */
	void (*moved)(void *data, const char *path);
	void (*overflowed)(void *data); /* events were lost */
};

struct path_watch *path_watch_new(struct inotify_hub *hub, const char *path,
    const struct path_watch_handlers *handlers, void *data);
void path_watch_free(struct path_watch *watch);

/*
 * Adds the watches that are needed now. Call this at first, and after each changed() before looking
 * at the file. May call changed(). Returns 0, or the first -errno if watches are missing.
 */
int path_watch_refresh(struct path_watch *watch);
