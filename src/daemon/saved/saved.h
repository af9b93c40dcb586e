/* SPDX-License-Identifier: ISC */
/*
 * Sessions that `muxbus restore` makes again after a crash: windows with names, indexes and
 * layouts, directories of panes, and which agents ran there in which conversation.
 *
 * A record is updated when the model changes; besides, tmux is listed at most every SAVED_LOOK_MS,
 * and only if its process ran meanwhile. When the server ends, its sessions become past; a session
 * that is closed while its server lives is forgotten.
 */
#pragma once

#include "daemon/server/method.h"

#define SAVED_LOOK_MS 30000
#define SAVED_SESSIONS_MAX 256 /* of a server; the others are not saved */
#define SAVED_PAST_MAX SAVED_SESSIONS_MAX /* the oldest beyond it are forgotten */
#define SAVED_BYTES_MAX (512 * 1024) /* of a session's record; larger ones are not saved */

struct daemon;

struct saved_set *saved_set_new(const struct daemon *daemon);
void saved_set_free(struct saved_set *set);

/* Call when the server was found or lost. */
void saved_set_server(struct saved_set *set, bool is_live);
/* Lists once more, stores all, and calls done. */
void saved_set_end(struct saved_set *set, void (*done)(void *data), void *data);

extern const struct method methods_saved[];
