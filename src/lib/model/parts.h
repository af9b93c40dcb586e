/* SPDX-License-Identifier: ISC */
/*
 * The parts of a server that a listing reads, since they changed or since a caller needs them
 * fresh. Too many windows or sessions make it the whole server.
 */
#pragma once

#include "base/base.h"

/* The most objects that are listed one by one. */
#define PARTS_IDS_MAX 8

struct part_ids {
	uint32_t ids[PARTS_IDS_MAX];
	unsigned count;
};

struct parts {
	bool all; /* the whole server, whatever the others say */
	bool is_bare; /* of all, without commands and directories of panes */
	bool is_counted; /* texts are counted, not encoded: see fields.h */
	struct part_ids windows; /* each with its panes, and one of its links */
	struct part_ids sessions; /* each with all its links */
	struct part_ids ends; /* sessions: are the first and the last link still the same? */
	struct part_ids places; /* panes: are they in a window that is not listed? */
	bool indexes; /* are all panes and links where they were? */
	bool details; /* of all panes, the fields that tmux does not announce */
	bool titles; /* have all panes the titles that are known? */
	bool tree; /* all sessions and links */
	bool layouts; /* have all windows the layouts that are known? */
	bool clients;
};

bool part_ids_have(const struct part_ids *list, uint32_t id);

/* Add a part; one too many makes it all. */
void parts_add_window(struct parts *parts, uint32_t window);
void parts_remove_window(struct parts *parts, uint32_t window);
void parts_add_session(struct parts *parts, uint32_t session);
void parts_add_ends(struct parts *parts, uint32_t session);
void parts_add_place(struct parts *parts, uint32_t pane);
void parts_add(struct parts *parts, const struct parts *more);

bool parts_are_empty(const struct parts *parts);
