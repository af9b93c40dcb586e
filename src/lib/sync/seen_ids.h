/* SPDX-License-Identifier: ISC */
/*
 * New ids in events. tmux counts ids upwards, so an id above all known ones shows that an object
 * existed, even if only between two listings.
 */
#pragma once

#include <muxbus.h>

#include "lib/model/parts.h"

/* Maximum number of stored ids; further ids are ignored. */
#define SEEN_IDS_MAX 256

struct seen_id {
	uint32_t window;
	uint32_t pane; /* MUXBUS_NO_ID: only a window id */
	bool is_due; /* a listing of the window began after the event */
};

struct seen_ids {
	struct seen_id items[SEEN_IDS_MAX];
	unsigned count;
	int64_t last_window; /* highest known id; -1: none. The same holds for last_pane. */
	int64_t last_pane;
};

void seen_ids_init(struct seen_ids *list);

/* Stores the new ids of an event. */
void seen_ids_note(struct seen_ids *list, const struct muxbus_event *event);

/* Marks the ids that a listing of these parts, which begins now, shows if the objects exist. */
void seen_ids_begin_listing(struct seen_ids *list, const struct parts *parts);

/*
 * Removes and returns a marked id that the model lacks: the object was created and has closed.
 * Returns false if none is left.
 */
bool seen_ids_next_missed(
    struct seen_ids *list, const struct muxbus_model *model, struct seen_id *ret_id);
void seen_ids_end_listing(struct seen_ids *list, const struct muxbus_model *model);
