/* SPDX-License-Identifier: ISC */
/*
 * The files of a folder that is named by a path: reports, after a moment, that they may be others
 * now. The folder itself need not exist yet, and may be replaced. A change of a file is reported
 * when the file is closed, or after one second. A folder that changes all the time is reported
 * once a second.
 */
#pragma once

#include "base/base.h"

struct event_base;
struct inotify_hub;

struct folder_watch *folder_watch_new(struct event_base *base, struct inotify_hub *hub,
    const char *path, void (*changed)(void *data), void *data);
/* Whether a file is just written, and a report to come. NULL is accepted. */
bool folder_watch_is_written(const struct folder_watch *watch);
/* Before the hub. NULL is accepted. */
void folder_watch_free(struct folder_watch *watch);
