/* SPDX-License-Identifier: ISC */
/*
 * Saved sessions: what `muxbus restore` makes again after a crash. Each session of the server is
 * a record in the store: its windows with names, indexes and layouts, the directories of its
 * panes, and which agents sat there in which conversation. It is kept as the model changes, for
 * any reason; tmux is asked only by one listing every SAVED_LOOK_MS, and only if its process ran
 * meanwhile. When the server ends, its sessions become past ones; a session that is closed while
 * its server lives is forgotten.
 */
#pragma once

#include "base/base.h"

#define SAVED_LOOK_MS 30000
#define SAVED_SESSIONS_MAX 256 /* of a server; the others are not saved */
#define SAVED_PAST_MAX SAVED_SESSIONS_MAX /* then the first one of them is forgotten */
#define SAVED_BYTES_MAX (512 * 1024) /* of the record of a session; a larger one is not saved */

struct daemon;

struct saved_set *saved_set_new(const struct daemon *daemon);
void saved_set_free(struct saved_set *set);

/* The server was found or lost. */
void saved_set_server(struct saved_set *set, bool is_live);
/* The daemon ends: looks once more, writes all, and calls done. */
void saved_set_end(struct saved_set *set, void (*done)(void *data), void *data);
