/* SPDX-License-Identifier: ISC */
/* Replaces the model by a new one, and reports the differences as changes. */
#pragma once

#include <muxbus.h>

struct listing;
struct merge_drop;
struct parts;

/*
 * Replaces the sync's model by the model of a listing of some parts, reports the changes, and frees
 * the old model. number is the number of the listing; 0: the model comes from an event. Returns 0;
 * or MUXBUS_ERR_NOMEM without any change, and the listing's model is freed.
 */
int publish_listing(
    struct muxbus_sync *sync, struct listing *listing, const struct parts *parts, uint64_t number);

/* Returns a copy of the model without the objects in drop (may be NULL). NULL: out of memory. */
struct muxbus_model *publish_copy(struct muxbus_sync *sync, const struct merge_drop *drop);
/* Makes a changed copy the model, and reports the changes. Out of memory: lists the server. */
void publish_changed(struct muxbus_sync *sync, struct muxbus_model *model);

/* Empties the model and begins SEARCHING, as the server is lost. Reports all objects as closed. */
void publish_loss(struct muxbus_sync *sync, int error, const char *reason);
/* Empties the model without reports. */
void publish_end(struct muxbus_sync *sync);
