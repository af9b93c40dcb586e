/* SPDX-License-Identifier: ISC */
/* A doubly linked list whose links are part of its members. An empty list points to itself. */
#pragma once

#include "base/std.h"

struct list {
	struct list *prev, *next;
};

#define list_entry(link, type, member) ((type *)((char *)(link)-offsetof(type, member)))

/* Loops over a list: list_each (struct peer, peer, &server->peers, link) {...} */
#define list_each(type, entry, list, member)                                                 \
	for (type *entry = list_entry((list)->next, type, member); &entry->member != (list); \
	     entry = list_entry(entry->member.next, type, member))

/* Loops like list_each; the body may remove the entry from the list, and free it. */
#define list_each_safe(type, entry, list, member)                                \
	for (type *entry = list_entry((list)->next, type, member),               \
		  *entry##_after = list_entry((list)->next->next, type, member); \
	     &entry->member != (list); entry = entry##_after,                    \
		  entry##_after = list_entry(entry##_after->member.next, type, member))

/*
 * Loops with a function: next_each (struct job, job, job_next, jobs) {...} The function returns the
 * first entry if given NULL, else the entry behind the given one; NULL behind the last one.
 */
#define next_each(type, entry, next, set) \
	for (type *entry = next(set, NULL); entry != NULL; entry = next(set, entry))

static inline void list_init(struct list *list)
{
	list->prev = list;
	list->next = list;
}

static inline bool list_is_empty(const struct list *list)
{
	return list->next == list;
}

static inline void list_add_after(struct list *place, struct list *link)
{
	link->prev = place;
	link->next = place->next;
	place->next->prev = link;
	place->next = link;
}

static inline void list_append(struct list *list, struct list *link)
{
	list_add_after(list->prev, link);
}

/* Removes a member from its list. Does nothing for an initialised member that is in no list. */
static inline void list_remove(struct list *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	list_init(link);
}

/* Moves a member to the end of a list. */
static inline void list_move(struct list *list, struct list *link)
{
	list_remove(link);
	list_append(list, link);
}

static inline size_t list_count(const struct list *list)
{
	size_t count = 0;
	for (const struct list *link = list->next; link != list; link = link->next)
		count++;
	return count;
}
