/* SPDX-License-Identifier: ISC */
/*
 * The differences of two models as a list of changes: new, changed, then closed objects. The list
 * points into both models, which must outlive it.
 */
#pragma once

#include <muxbus.h>

struct change_list {
	struct muxbus_change *items;
	size_t count;
	size_t cap;
	int error; /* MUXBUS_ERR_NOMEM if a change is missing, else 0 */
};

void change_list_init(struct change_list *list);
void change_list_finish(struct change_list *list);

struct muxbus_change change_of(enum muxbus_change_kind kind); /* a change without an object */

/* Returns a change of a pane, with its window and, if any, a session that has or had the window. */
struct muxbus_change change_of_pane(const struct muxbus_model *before,
    const struct muxbus_model *now, enum muxbus_change_kind kind, const struct muxbus_pane *pane);

void change_list_add(struct change_list *list, const struct muxbus_change *change);

/*
 * Append the new, the changed and the closed objects. The caller calls the three functions in this
 * order, and may add other changes in between.
 */
void change_find_new(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now);
void change_find_other(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now);
void change_find_gone(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now);
