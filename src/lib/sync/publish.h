/* SPDX-License-Identifier: ISC */
/*
 * From a listing to changes. The new model is completed from the tracks, compared with the old
 * model, and replaces it; then the differences are reported.
 */
#ifndef LIB_SYNC_PUBLISH_H
#define LIB_SYNC_PUBLISH_H

#include <muxbus.h>

struct listing;

/*
 * Makes this listing the model, and reports the changes. The listing is used up. Returns 0, or
 * MUXBUS_ERR_NOMEM and changes nothing.
 */
int publish_listing(struct muxbus_sync *sync, struct listing *listing, uint64_t number);

/* The server is lost: empties the model, and reports all objects as closed. */
void publish_loss(struct muxbus_sync *sync, int error, const char *reason);

#endif
