/* SPDX-License-Identifier: ISC */
/*
 * From a listing to changes: the new model is completed from the tracks, compared with
 * the old one, put in its place, and only then are the differences told.
 */
#ifndef LIB_PUBLISH_H
#define LIB_PUBLISH_H

#include <muxbus.h>

struct listing;

/*
 * Makes listing number number the model and publishes what it changed; it is used up.
 * Returns MUXBUS_ERR_NOMEM and leaves all as it was.
 */
int publish_listing(struct muxbus_sync *sync, struct listing *listing, uint64_t number);

/* The server is gone: the model becomes empty, and the closing of everything is told. */
void publish_loss(struct muxbus_sync *sync, int error, const char *reason);

#endif
