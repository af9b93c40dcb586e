/* SPDX-License-Identifier: ISC */
/*
 * The parts of a server that a listing reads. If a list would have more than PARTS_IDS_MAX ids, the
 * whole server is read instead.
 */
#pragma once

#include "base/base.h"

#define PARTS_IDS_MAX 8

struct part_ids {
	uint32_t ids[PARTS_IDS_MAX];
	unsigned count;
};

struct parts {
	bool all; /* the whole server; the members from windows on do not matter then */
	bool is_bare; /* if all is set: without commands and directories of panes */
	bool is_counted; /* texts are counted instead of encoded: see fields.h */
	bool is_unhooked; /* list by commands after which no hook of a user runs, if possible */
	struct part_ids windows; /* each window with its panes and one of its links */
	struct part_ids sessions; /* each session with all its links */
	struct part_ids ends; /* sessions whose first and last link are compared */
	struct part_ids places; /* panes whose window is compared, if it is not listed */
	bool indexes; /* compare the indexes of all panes and links */
	bool details; /* struct pane_detail of all panes */
	bool titles; /* compare the titles of all panes */
	bool tree; /* all sessions and links */
	bool layouts; /* compare the layouts and sizes of all windows */
	bool clients;
};

bool part_ids_have(const struct part_ids *list, uint32_t id);

/* Add an id to a list, or remove it. If the list is full, an added id sets all. */
void parts_add_window(struct parts *parts, uint32_t window);
void parts_remove_window(struct parts *parts, uint32_t window);
void parts_add_session(struct parts *parts, uint32_t session);
void parts_add_ends(struct parts *parts, uint32_t session);
void parts_add_place(struct parts *parts, uint32_t pane);
/* Adds the parts of `more`, except is_bare, is_counted and is_unhooked. */
void parts_add(struct parts *parts, const struct parts *more);

bool parts_are_empty(const struct parts *parts);
