/* SPDX-License-Identifier: ISC */
/*
 * Ways: how a notification for an address would reach its agent now. The same look-ups as those
 * of delivery: followers and hooks that wait, the agent's queue command, and the guards of typing
 * that do not pass by themselves, such as a shell in front. In a pane without an agent a person
 * gets the notification.
 */
#ifndef DAEMON_DELIVER_WAY_H
#define DAEMON_DELIVER_WAY_H

#include <stdbool.h>

struct config;
struct pane_ref;
struct person_parts;
struct presence_set;
struct puller_set;
struct submit_set;

#define WAY_TEXT_SIZE 256

enum way {
	WAY_NONE,
	WAY_FOLLOW,
	WAY_HOOK,
	WAY_QUEUE_COMMAND,
	WAY_TYPED,
	WAY_SHOWN, /* to a person */
	WAY_ON_NOTIFY, /* the program of a person */
};

struct way_found {
	enum way way;
	char text[WAY_TEXT_SIZE]; /* "typed into pane %4"; WAY_NONE: why not */
	bool is_final; /* WAY_NONE: for ever, so the notification is refused */
};

struct way_parts {
	struct presence_set *presences;
	const struct puller_set *pullers;
	const struct submit_set *submits;
	const char *queue_failure; /* why the agent's queue command is not asked now; NULL: it is */
	const struct config *config;
	const struct person_parts *person;
	bool runs_on_notify; /* on_notify has a program */
};

const char *way_name(enum way way);
/* Whether a way ends at an agent, which wakes. */
bool way_wakes(enum way way);
void way_find(
    const struct way_parts *parts, const struct pane_ref *address, struct way_found *ret_found);

#endif
