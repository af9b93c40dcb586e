/* SPDX-License-Identifier: ISC */
/* A new model takes over from the old one all that a listing did not read, or no event changed. */
#pragma once

#include <muxbus.h>

#include "lib/model/parts.h"

/* The results of a listing of parts, beside the records that are in the new model. */
struct merge_read {
	const struct parts *parts;
	struct map panes; /* the new model has these panes; the value is not used */
	struct map details; /* struct pane_detail by pane */
	struct muxbus_link *links; /* one for each read window, at the same place */
	unsigned link_count;
};

/*
 * Copies the other records of before, whose model stays untouched, and finishes the new model. more
 * gets the parts that do not fit together and must be listed again. Returns 0 or MUXBUS_ERR_NOMEM.
 */
int merge_rest(struct muxbus_model *model, const struct muxbus_model *before,
    const struct merge_read *read, struct parts *more);

/* Objects that an event says are gone. */
struct merge_drop {
	uint32_t window; /* with its links and panes; MUXBUS_NO_ID: none */
	struct map panes; /* the value is not used */
};

/* A finished copy of a model without some objects (NULL: with all). 0 or MUXBUS_ERR_NOMEM. */
int merge_copy(const struct muxbus_model *before, const struct merge_drop *drop,
    struct muxbus_model **ret_model);
