/* SPDX-License-Identifier: ISC */
/*
 * Saved sessions, which `muxbus restore` makes again after a crash: windows with their layouts,
 * directories of panes, and the agents there with their conversations.
 *
 * A record is updated soon after a change of the model or a report of an agent. Besides, tmux is
 * listed every SAVED_LOOK_MS if its process has run since. When the tmux server ends, its sessions
 * become past. A session that is closed while its server runs is forgotten, with past ones of its
 * name.
 */
#pragma once

#include "daemon/server/method.h"

#define SAVED_LOOK_MS 30000
/* maximum number of sessions of a tmux server; others are not saved */
#define SAVED_SESSIONS_MAX 256
/* maximum number of past sessions; the oldest are forgotten */
#define SAVED_PAST_MAX SAVED_SESSIONS_MAX
/* maximum bytes of a session's record; larger ones are not saved */
#define SAVED_BYTES_MAX (512 * 1024)

struct daemon;

struct saved_set *saved_set_new(const struct daemon *daemon);
void saved_set_free(struct saved_set *set);

/* Call this when the tmux server was found or lost. */
void saved_set_server(struct saved_set *set, bool is_live);
/* Lists tmux once more, stores all, and calls done; if it cannot list now, only calls done. */
void saved_set_end(struct saved_set *set, void (*done)(void *data), void *data);

extern const struct method methods_saved[];
