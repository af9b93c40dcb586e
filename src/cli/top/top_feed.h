/* SPDX-License-Identifier: ISC */
/* The data of muxbus top: a link that connects again after a loss. Answers fill a model. */
#pragma once

#include "cli/cli.h"
#include "cli/top/top_view.h"
#include "client/link.h"

/* Takes ownership of link. Fills model and view, which must outlive the feed. */
struct top_feed *top_feed_new(
    const struct cli *cli, struct link *link, struct top_model *model, struct top_view *view);
void top_feed_free(struct top_feed *feed);

/* Returns a descriptor to poll for input, or -1 while not connected. */
int top_feed_fd(const struct top_feed *feed);

/* Returns the milliseconds after which top_feed_step() must run, even without input. */
int64_t top_feed_wait_ms(const struct top_feed *feed, int64_t now_ms);

/* Reads input and sends due requests. Returns true if the screen may change. */
bool top_feed_step(struct top_feed *feed, int64_t now_ms);

void top_feed_refresh(struct top_feed *feed); /* makes the status and all lists due */

/* Shows the pane on the terminal of this program, else on the one used last; or makes it active. */
void top_feed_go(struct top_feed *feed, const char *pane);
bool top_feed_has_gone(const struct top_feed *feed); /* top_feed_go() has succeeded */

/* Calls the stop_method of a list for an item: stops a job or agent, closes a pane, or cancels. */
void top_feed_stop(struct top_feed *feed, enum top_list list, const char *id);

/* Answers the question of an agent that muxbusd keeps, with the number of a choice or a text. */
void top_feed_answer(struct top_feed *feed, const struct top_item *item, const char *text);
/* Types a text into a pane and presses Enter. */
void top_feed_send(struct top_feed *feed, const char *pane, const char *text);
