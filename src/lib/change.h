/* SPDX-License-Identifier: ISC */
/*
 * What became different between two models, as changes in the order in which they make
 * sense: what appeared, what became another, what went. Both models must outlive the list.
 */
#ifndef LIB_CHANGE_H
#define LIB_CHANGE_H

#include <muxbus.h>

struct change_list {
	struct muxbus_change *items;
	size_t count;
	size_t cap;
};

void change_list_init(struct change_list *list);
void change_list_finish(struct change_list *list);

/* A change of this kind about nothing yet. */
struct muxbus_change change_of(enum muxbus_change_kind kind);

/* Returns 0 or MUXBUS_ERR_NOMEM. */
int change_list_add(struct change_list *list, const struct muxbus_change *change);

/*
 * The differences of two models in three parts, to be told in this order; between them
 * others may put what the models cannot know. before is NULL for none. Each appends to
 * the list and returns 0 or MUXBUS_ERR_NOMEM.
 */
int change_find_new(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now);
int change_find_other(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now);
int change_find_gone(
    struct change_list *list, const struct muxbus_model *before, const struct muxbus_model *now);

#endif
