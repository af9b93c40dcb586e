/* SPDX-License-Identifier: ISC */
/* Copies records of an old model: those that a listing did not read, or all but closed objects. */
#pragma once

#include <muxbus.h>

#include "lib/model/parts.h"

/* The results of a listing of parts, apart from the records in the new model. */
struct merge_read {
	const struct parts *parts;
	struct map panes; /* set of the panes that were read */
	struct map details; /* maps a pane to its struct pane_detail */
	struct muxbus_link *links; /* one link of each window that was read */
	unsigned link_count;
};

/*
 * Copies into `model` the records of `before` that were not listed, and calls model_finish(). Adds
 * to `more` the parts that contradict each other, to be listed again. Returns 0 or
 * MUXBUS_ERR_NOMEM.
 */
int merge_rest(struct muxbus_model *model, const struct muxbus_model *before,
    const struct merge_read *read, struct parts *more);

/* Objects that have closed, according to an event or a failed listing. */
struct merge_drop {
	uint32_t window; /* with its links and panes; MUXBUS_NO_ID: no window */
	struct map panes; /* set of pane ids */
};

/* Makes a finished copy of a model, without the objects in drop, if any. 0 or MUXBUS_ERR_NOMEM. */
int merge_copy(const struct muxbus_model *before, const struct merge_drop *drop,
    struct muxbus_model **ret_model);
