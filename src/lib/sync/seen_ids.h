/* SPDX-License-Identifier: ISC */
/*
 * The ids of panes and windows in notifications. An object that lived only between two
 * listings is in neither, but its id in a notification shows that it existed, if the id is
 * higher than all known ids: tmux counts ids upwards.
 */
#pragma once

#include <muxbus.h>

#include "lib/model/parts.h"

/* The most ids between two listings; more are forgotten. */
#define SEEN_IDS_MAX 256

struct seen_id {
	uint32_t window;
	uint32_t pane; /* MUXBUS_NO_ID: a window id without a pane */
	bool is_due; /* the running listing began after the notification */
};

struct seen_ids {
	struct seen_id items[SEEN_IDS_MAX];
	unsigned count;
	int64_t last_window; /* the highest ids ever known; -1: none */
	int64_t last_pane;
};

void seen_ids_init(struct seen_ids *list);

/* Notes the new ids of a notification. */
void seen_ids_note(struct seen_ids *list, const struct muxbus_event *event);

/* A listing begins, which will show whether the ids of these parts that are noted still exist. */
void seen_ids_begin_listing(struct seen_ids *list, const struct parts *parts);

/*
 * A listing has come: takes out one due id that is not in the model. False if none is left;
 * then call seen_ids_end_listing().
 */
bool seen_ids_next_missed(
    struct seen_ids *list, const struct muxbus_model *model, struct seen_id *ret_id);
void seen_ids_end_listing(struct seen_ids *list, const struct muxbus_model *model);
