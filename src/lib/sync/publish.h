/* SPDX-License-Identifier: ISC */
/*
 * From a listing to changes. The new model is completed from the tracks, compared with the old
 * model, and replaces it; then the differences are reported.
 */
#pragma once

#include <muxbus.h>

struct listing;
struct merge_drop;
struct parts;

/*
 * Makes this listing of some parts the model, and reports the changes. The listing is used up.
 * number is that of the listing; 0: no listing, but an event. Returns 0, or MUXBUS_ERR_NOMEM and
 * changes nothing.
 */
int publish_listing(
    struct muxbus_sync *sync, struct listing *listing, const struct parts *parts, uint64_t number);

/* A copy of the model to change, without some objects (NULL: with all). NULL if memory is out. */
struct muxbus_model *publish_copy(struct muxbus_sync *sync, const struct merge_drop *drop);
/* The changed copy becomes the model, and its changes are reported. */
void publish_changed(struct muxbus_sync *sync, struct muxbus_model *model);

/* The server is lost: empties the model, and reports all objects as closed. */
void publish_loss(struct muxbus_sync *sync, int error, const char *reason);
/* Empties the model, and reports nothing. */
void publish_end(struct muxbus_sync *sync);
