/* SPDX-License-Identifier: ISC */
/*
 * Reports, after a moment, that the files of a folder may have changed. The folder is named by its
 * path: it need not exist yet, and may be replaced. A change of a file is reported when the file is
 * closed, or after one second.
 */
#pragma once

#include "base/base.h"

struct event_base;
struct inotify_hub;

/* Calls changed from the event loop. */
struct folder_watch *folder_watch_new(struct event_base *base, struct inotify_hub *hub,
    const char *path, void (*changed)(void *data), void *data);
/* Returns true if a file of the folder is being written: a report will come. Accepts NULL. */
bool folder_watch_is_written(const struct folder_watch *watch);
/* Call before the hub is freed. NULL is accepted. */
void folder_watch_free(struct folder_watch *watch);
