/* SPDX-License-Identifier: ISC */
/*
 * What muxbus top is fed with: a link to the daemon that is made again whenever it breaks,
 * events that say when to ask, and the answers, put into a model.
 */
#ifndef CLI_TOP_FEED_H
#define CLI_TOP_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/link.h"
#include "cli/top_model.h"
#include "cli/top_view.h"

struct top_feed;

/* link is taken; model and view are filled, and must live longer. */
struct top_feed *top_feed_new(
    const struct cli *cli, struct link *link, struct top_model *model, struct top_view *view);
void top_feed_free(struct top_feed *feed);

/* To poll for input; -1 while there is no daemon. */
int top_feed_fd(const struct top_feed *feed);

/* How long until step() has something to do without input, in ms. */
int64_t top_feed_wait_ms(const struct top_feed *feed, int64_t now_ms);

/* Reads what came, asks what is due. Returns whether anything that is seen may be new. */
bool top_feed_step(struct top_feed *feed, int64_t now_ms);

/* All is to be asked for again. */
void top_feed_refresh(struct top_feed *feed);

/* Asks the daemon to stop the item with this id of the list that is looked at. */
void top_feed_stop(struct top_feed *feed, enum top_list list, const char *id);

#endif
