/* SPDX-License-Identifier: ISC */
/* The differences of two models: new, changed, then closed objects. Points into both models. */
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

struct muxbus_change change_of(enum muxbus_change_kind kind);

/* Returns a change of a pane, with its window and a session of the window, now or before. */
struct muxbus_change change_of_pane(const struct muxbus_model *before,
    const struct muxbus_model *now, enum muxbus_change_kind kind, const struct muxbus_pane *pane);

void change_list_add(struct change_list *list, const struct muxbus_change *change);

/* The caller calls these three in this order, and may add other changes in between. */
void change_find_new(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now);
void change_find_other(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now);
void change_find_gone(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now);
