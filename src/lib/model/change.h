/* SPDX-License-Identifier: ISC */
/*
 * The differences of two models as a list of changes. New objects come first, then changed
 * objects, then closed objects. Both models must outlive the list.
 */
#pragma once

#include <muxbus.h>

struct change_list {
	struct muxbus_change *items;
	size_t count;
	size_t cap;
};

void change_list_init(struct change_list *list);
void change_list_finish(struct change_list *list);

/* An empty change of this kind. */
struct muxbus_change change_of(enum muxbus_change_kind kind);

/* Returns 0 or MUXBUS_ERR_NOMEM. */
int change_list_add(struct change_list *list, const struct muxbus_change *change);

/*
 * Find the differences of two models in three parts, in this order; the caller may add other
 * changes in between. before may be NULL. Each appends to the list and returns 0 or
 * MUXBUS_ERR_NOMEM.
 */
int change_find_new(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now);
int change_find_other(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now);
int change_find_gone(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now);
