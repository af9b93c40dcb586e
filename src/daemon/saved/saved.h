/* SPDX-License-Identifier: ISC */
/*
 * Saved sessions, from which `muxbus restore` creates the sessions again after a crash. Each
 * session of the server is a record in the store: its windows with names, indexes and layouts, the
 * directories of its panes, and which agents ran there in which conversation. A record is updated
 * when the model changes for any reason; besides, tmux is listed at most every SAVED_LOOK_MS, and
 * only if its process ran meanwhile. When the server ends, its sessions become past; a session that
 * is closed while its server lives is forgotten.
 */
#pragma once

#include "daemon/server/method.h"

#define SAVED_LOOK_MS 30000
#define SAVED_SESSIONS_MAX 256 /* most sessions of a server; the others are not saved */
#define SAVED_PAST_MAX SAVED_SESSIONS_MAX /* if there are more, the oldest is forgotten */
#define SAVED_BYTES_MAX (512 * 1024) /* bytes of a session's record; larger ones are not saved */

struct daemon;

struct saved_set *saved_set_new(const struct daemon *daemon);
void saved_set_free(struct saved_set *set);

/* Call when the server was found or lost. */
void saved_set_server(struct saved_set *set, bool is_live);
/* Call when the daemon ends: lists once more, stores all, and calls done. */
void saved_set_end(struct saved_set *set, void (*done)(void *data), void *data);

extern const struct method methods_saved[];
