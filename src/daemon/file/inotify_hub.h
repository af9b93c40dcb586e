/* SPDX-License-Identifier: ISC */
/*
 * A hub is one inotify instance: listeners to the same file or directory share its watch. By
 * itself, the hub reads events at most about a thousand times a second, except in short bursts; the
 * kernel merges equal events in between. An overflow of the kernel's queue is reported to all
 * listeners. A listener whose watch is refused at the limit of watches must look by a timer.
 *
 * The instance is made for the first watch. At the limit of instances the hub tries again at
 * intervals. Later success is reported as an overflow to the waiting listeners, which look and add
 * their watches again.
 */
#pragma once

#include <sys/inotify.h>

#include "base/base.h"

struct event_base;

/* A listener. Its callback may remove this watch and others. */
struct inotify_watch {
	struct list link; /* in the watches of the same inode */
	/* in the hub's list of all watches, even without an instance */
	struct list all_link;
	int wd; /* -1: none */
	/* IN_Q_OVERFLOW: events are lost. IN_IGNORED: inode deleted or unmounted, wd is -1 now. */
	void (*told)(struct inotify_watch *watch, const struct inotify_event *event);
};

/* Calls idle (may be NULL) after each batch of events, except those of inotify_hub_take(). */
struct inotify_hub *inotify_hub_new(struct event_base *base, void (*idle)(void *data), void *data);
void inotify_hub_free(struct inotify_hub *hub);

void inotify_watch_init(struct inotify_watch *watch,
    void (*told)(struct inotify_watch *watch, const struct inotify_event *event));
/*
 * Adds a watch; mask is added to that of the inode. Returns 0 or -errno (ENOSPC: no watches left
 * for this user; EMFILE: no instance, the watch waits for one).
 */
int inotify_hub_add(
    struct inotify_hub *hub, struct inotify_watch *watch, const char *path, uint32_t mask);
void inotify_hub_remove(struct inotify_hub *hub, struct inotify_watch *watch); /* wd may be -1 */

/* Reads pending events now, and calls idle if there were any. */
void inotify_hub_read(struct inotify_hub *hub);
/* Reads pending events now, without calling idle. Returns true if there were any. */
bool inotify_hub_take(struct inotify_hub *hub);
