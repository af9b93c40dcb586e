/* SPDX-License-Identifier: ISC */
/* An item of a list of muxbus top, and what it says on the home list. No input or output. */
#pragma once

#include "wire/json.h"

enum top_list {
	TOP_HOME, /* items of the others: top_home.h */
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
	TOP_ITEMS_MAX = 10000, /* per list; more are left out */
	TOP_ITEM_BYTES_MAX = 64 * 1024, /* of an item's members; a larger item shows nothing */
	TOP_ID_SIZE = 256, /* of an id with the names of its host and server */
};

enum {
	TOP_HOME_RECENT_MS =
	    3600000, /* a job that ended before that, and was looked at, is left out */
	TOP_HOME_LATE_MS = 60000, /* of a notification that is not delivered */
	TOP_PANE_STATE = 3, /* the columns with the states of panes and of agents */
	TOP_AGENT_STATE = 2,
};

/* The part of the home list that an item belongs to. */
enum top_section {
	TOP_NEEDS, /* a person: a question, a failed job, an undelivered notification */
	TOP_RUNNING,
	TOP_FINISHED,
	TOP_QUIET, /* panes */
	TOP_ELSEWHERE, /* none */
};

/* An item's value in a column. text is untrusted, and NUL-terminated without other NULs. */
struct top_value {
	char *text;
	int64_t time_ms; /* TOP_AGE, TOP_DUE: CLOCK_REALTIME; 0: unknown */
};

struct top_item {
	char *id; /* a target: in the fleet it begins with the host */
	char *pane; /* the same for its pane; NULL: none */
	char *host; /* that has the item; NULL: not in a fleet */
	char *server; /* of tmux, on that host; NULL as host */
	char *json; /* all its members */
	bool is_over; /* ended: drawn dim */
	pid_t pid; /* of a pane's first process; 0: none */
	int cpu_percent; /* of one processor; -1: unknown */
	struct top_value values[TOP_COLUMNS_MAX];
	/* For the home list. */
	enum top_list list; /* that has the item */
	enum top_section section;
	int64_t since_ms; /* CLOCK_REALTIME: its state, its end, its last output; 0: unknown */
	bool is_asking; /* an agent, which asks something */
	size_t choices; /* of the question */
	char *what; /* in words */
	char *session; /* of a pane; else NULL, as the window */
	char *window; /* its index and name */
	int64_t window_index, pane_index;
};

struct top_items {
	struct top_item *items;
	size_t count;
	const struct top_item **places; /* panes by host, session, window and place; else NULL */
	bool is_known; /* the daemon has this list */
	bool has_hosts; /* the items say which host they are of */
	char missing[400]; /* the hosts that did not answer, with reasons; "": none */
};

/* Fills in the members of an item for the home list. looked_ms: as in struct top_model. */
void top_item_read(
    struct top_item *item, const struct json *json, int64_t now_ms, int64_t looked_ms);
/* Sets the places of panes. */
void top_item_place(struct top_items *panes);
/* Gives panes the states of the agents in them. */
void top_item_mark(struct top_items *panes, const struct top_items *agents);
