/* SPDX-License-Identifier: ISC */
/*
 * Panes and windows that notifications named. One that came and went between two
 * listings is in neither, but it was there: its name and a number higher than any known
 * say so, since tmux counts ids upwards.
 */
#ifndef LIB_SEEN_IDS_H
#define LIB_SEEN_IDS_H

#include <muxbus.h>

/* More between two listings are forgotten. */
#define SEEN_IDS_MAX 256

struct seen_id {
	uint32_t window;
	uint32_t pane; /* MUXBUS_NO_ID: the window was named alone */
	bool is_due; /* the next listing tells, since it was begun after the notification */
};

struct seen_ids {
	struct seen_id items[SEEN_IDS_MAX];
	unsigned count;
	int64_t last_window; /* the highest ids ever known; -1: none */
	int64_t last_pane;
};

void seen_ids_init(struct seen_ids *list);

/* Notes what a notification named, if it is new. */
void seen_ids_note(struct seen_ids *list, const struct muxbus_event *event);

/* A listing begins: what was noted so far can be told from it. */
void seen_ids_begin_listing(struct seen_ids *list);

/*
 * A listing has come: takes out one thing that was due and that the model does not know.
 * False when there is none left. Call seen_ids_end_listing() then.
 */
bool seen_ids_next_missed(
    struct seen_ids *list, const struct muxbus_model *model, struct seen_id *ret_id);
void seen_ids_end_listing(struct seen_ids *list, const struct muxbus_model *model);

#endif
