/* SPDX-License-Identifier: ISC */
/*
 * Reports that the files of a folder may have changed: soon after a change or, while a file is
 * being written, about a second after it; at intervals while the kernel refuses to watch it. The
 * folder is named by its path: it need not exist yet, and may be replaced.
 */
#pragma once

#include "base/base.h"

struct event_base;
struct inotify_hub;

/* changed is called from the event loop. */
struct folder_watch *folder_watch_new(struct event_base *base, struct inotify_hub *hub,
    const char *path, void (*changed)(void *data), void *data);
/* Returns true if a file of the folder is being written: a report will come. watch may be NULL. */
bool folder_watch_is_written(const struct folder_watch *watch);
/* Call this before the hub is freed. watch may be NULL. */
void folder_watch_free(struct folder_watch *watch);
