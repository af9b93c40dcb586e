/* SPDX-License-Identifier: ISC */
/*
 * The files of a folder that is named by a path: reports, after a moment, that they may be others
 * now. The folder itself need not exist yet, and may be replaced. A file that is emptied to be
 * written anew is not reported before it is closed, unless that takes longer than a second; what
 * changes all the time is reported each second.
 */
#pragma once

struct event_base;
struct inotify_hub;

struct folder_watch *folder_watch_new(struct event_base *base, struct inotify_hub *hub,
    const char *path, void (*changed)(void *data), void *data);
/* Before the hub. NULL is accepted. */
void folder_watch_free(struct folder_watch *watch);
