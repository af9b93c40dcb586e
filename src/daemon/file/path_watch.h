/* SPDX-License-Identifier: ISC */
/*
 * The directories that decide what a path names: those on the way to it, those that hold
 * the symbolic links on that way, and the deepest one that exists. Tells when the path may
 * name something else, and which names files got that lost this one.
 */
#ifndef DAEMON_FILE_PATH_WATCH_H
#define DAEMON_FILE_PATH_WATCH_H

#include <stdbool.h>
#include <stddef.h>

struct inotify_hub;
struct path_watch;

struct path_watch_handlers {
	void (*changed)(void *data); /* the path may name something else */
	void (*moved)(void *data, const char *path); /* a file that bore the name has this one */
	void (*overflowed)(void *data); /* anything may have happened */
};

struct path_watch *path_watch_new(struct inotify_hub *hub, const char *path,
    const struct path_watch_handlers *handlers, void *data);
void path_watch_free(struct path_watch *watch);

/*
 * Puts watches where they are needed now. To be called at first and after changed(), before
 * looking. 0, or the first -errno: some are missing (EACCES, ENOSPC).
 */
int path_watch_refresh(struct path_watch *watch);

#endif
