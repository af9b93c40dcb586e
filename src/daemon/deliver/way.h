/* SPDX-License-Identifier: ISC */
/*
 * Ways: how a notification for an address would reach its agent now. The same look-ups as those
 * of delivery: followers and hooks that wait, the agent's queue command, and the guards of typing
 * that do not pass by themselves, such as a shell in front.
 */
#ifndef DAEMON_DELIVER_WAY_H
#define DAEMON_DELIVER_WAY_H

struct pane_ref;
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
};

struct way_found {
	enum way way;
	char text[WAY_TEXT_SIZE]; /* "typed into pane %4"; WAY_NONE: why not */
};

struct way_parts {
	struct presence_set *presences;
	const struct puller_set *pullers;
	const struct submit_set *submits;
	const char *queue_failure; /* why the agent's queue command is not asked now; NULL: it is */
};

const char *way_name(enum way way);
void way_find(
    const struct way_parts *parts, const struct pane_ref *address, struct way_found *ret_found);

#endif
