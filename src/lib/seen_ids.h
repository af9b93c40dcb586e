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
#define MENTIONS_MAX 256

struct mention {
	uint32_t window;
	uint32_t pane; /* MUXBUS_NO_ID: the window was named alone */
	bool is_due; /* the next listing tells, since it was begun after the notification */
};

struct mention_list {
	struct mention items[MENTIONS_MAX];
	unsigned count;
	int64_t last_window; /* the highest ids ever known; -1: none */
	int64_t last_pane;
};

void mention_init(struct mention_list *list);

/* Notes what a notification named, if it is new. */
void mention_note(struct mention_list *list, const struct muxbus_event *event);

/* A listing begins: what was noted so far can be told from it. */
void mention_begin_listing(struct mention_list *list);

/*
 * A listing has come: takes out one thing that was due and that the model does not know.
 * False when there is none left. Call mention_end_listing() then.
 */
bool mention_next_missed(
    struct mention_list *list, const struct muxbus_model *model, struct mention *ret_mention);
void mention_end_listing(struct mention_list *list, const struct muxbus_model *model);

#endif
