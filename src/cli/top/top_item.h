/* SPDX-License-Identifier: ISC */
/* An item of a list of muxbus top, and its text on the home list. No I/O. */
#pragma once

#include "wire/json.h"

enum top_list {
	TOP_HOME, /* items of several other lists: top_home.h */
	TOP_PANES,
	TOP_JOBS,
	TOP_TIMERS,
	TOP_WATCHES,
	TOP_QUEUE,
	TOP_AGENTS,
	TOP_LIST_COUNT_,
};

enum {
	TOP_COLUMNS_MAX = 9,
	TOP_ITEMS_MAX = 10000, /* per list; further items are omitted */
	TOP_ITEM_BYTES_MAX = 64 * 1024, /* bytes of an item's JSON; a larger one has no details */
	TOP_ID_SIZE = 256, /* bytes of an id with host and server */
};

enum {
	TOP_HOME_RECENT_MS =
	    3600000, /* jobs that ended longer ago, and before top_model.looked_ms, are omitted */
	TOP_HOME_LATE_MS = 60000, /* notifications not delivered for this long need a person */
	TOP_PANE_STATE = 3, /* index of the column "state" in the list of panes */
	TOP_AGENT_STATE = 2, /* index of the column "state" in the list of agents */
};

#define TOP_READ_MAX ((size_t)64 * 1024 * 1024) /* bytes of a text before it is cut */

/* The section of the home list that an item is in. */
enum top_section {
	TOP_NEEDS, /* needs a person: a question, a crash, a failed job, a late notification */
	TOP_RUNNING,
	TOP_FINISHED,
	TOP_QUIET, /* panes */
	TOP_ELSEWHERE, /* not on the home list */
};

/* An item's value in a column. text is untrusted, and NUL-terminated. */
struct top_value {
	char *text;
	int64_t time_ms; /* for TOP_AGE and TOP_DUE; real time; 0 if unknown */
};

struct top_item {
	char *id; /* a target; in a fleet with the host's prefix */
	char *pane; /* pane of the item, in the form of id; NULL if none */
	char *host; /* host of the item; NULL without a fleet */
	char *server; /* tmux server on that host; NULL without a fleet */
	char *json; /* all members of the item */
	bool is_over; /* the item has ended; drawn dim */
	pid_t pid; /* a pane's first process; 0 if unknown */
	int cpu_percent; /* of one processor; -1 if unknown */
	struct top_value values[TOP_COLUMNS_MAX];
	/* For the home list, but list, is_asking and choices are also used elsewhere: */
	enum top_list list;
	enum top_section section;
	int64_t since_ms; /* real time of its state, end or last output; 0 if unknown */
	bool is_asking; /* an agent that asks a question */
	size_t choices; /* number of choices of the question */
	char *what; /* text on the home list */
	char *session; /* session of a pane; NULL for other items */
	char *window; /* index and name of a pane's window; else NULL */
	int64_t window_index, pane_index;
};

struct top_items {
	struct top_item *items;
	size_t count;
	const struct top_item **places; /* sorted panes: host, session, window, index; else NULL */
	bool is_known; /* the last answer had the list */
	bool has_hosts; /* the items name their hosts */
	char missing[400]; /* hosts without an answer, with reasons; "" if none */
};

/* Sets the members for the home list. looked_ms: as in struct top_model. */
void top_item_read(
    struct top_item *item, const struct json *json, int64_t now_ms, int64_t looked_ms);
/* Sets places, the sorted list of panes. */
void top_item_place(struct top_items *panes);
/* Copies the states of agents to their panes, except "unknown". */
void top_item_mark(struct top_items *panes, const struct top_items *agents);
