/* SPDX-License-Identifier: ISC */
/* The data of muxbus top: lists from the daemon's last answers. No I/O. */
#pragma once

#include "cli/screen_text.h"
#include "cli/top/top_item.h"

enum top_kind {
	TOP_TEXT, /* any other text */
	TOP_HOST, /* the host; no wider than needed; in lists of a fleet only */
	TOP_PATH, /* a path; keeps the end if cut */
	TOP_STATE, /* a word with a colour */
	TOP_AGE, /* time since time_ms */
	TOP_DUE, /* time until time_ms */
	TOP_CPU, /* CPU time of the item's processes, in percent; only of this machine */
};

struct top_column {
	const char *title;
	enum top_kind kind;
	unsigned width; /* in cells; 0: gets a share of the rest */
	unsigned rank; /* for lack of room, the highest ranks are omitted first; 0: never omitted */
	bool is_right;
	const char *member; /* member to show; if NULL, read() is called */
	/* Appends the text for the column; for TOP_AGE and TOP_DUE a time as text. */
	void (*read)(struct buf *out, const struct json *item);
};

struct top_table {
	const char *name; /* for people */
	const char *method; /* lists the items */
	const char *member; /* array in the result of method */
	const char *id; /* member with the id of an item */
	const char *stop; /* label of the key x, such as "stop"; NULL if nothing can be stopped */
	const char *stop_method;
	const char *stop_param; /* parameter of stop_method for the id */
	struct top_column columns[TOP_COLUMNS_MAX + 1]; /* ended by a column without a title */
};

extern const struct top_table top_tables[TOP_LIST_COUNT_];

struct top_status {
	char tmux_version[32];
	int64_t tmux_pid; /* 0 if unknown */
	int64_t started_ms; /* real time; 0 if unknown */
	bool is_fleet; /* the counts of hosts are set */
	int64_t hosts, hosts_up, hosts_connecting, hosts_down, sessions, windows, peers, waits;
	int64_t undelivered, consumers;
	int64_t last; /* number of the last event or notification */
};

struct top_model {
	struct top_items lists[TOP_LIST_COUNT_];
	struct top_status status;
	struct json_reader *reader;
	char name[64]; /* of the tmux server, "fleet", or the host of --fleet --host */
	char home[256]; /* home directory, shown as ~; "" if unknown */
	char trouble[200]; /* a message if data is stale or missing, else "" */
	int64_t looked_ms; /* when a person last left the home screen; real time; 0 if unknown */
};

void top_model_init(struct top_model *model, const char *name);
void top_model_finish(struct top_model *model);

/* Loads a list. If after >= 0, appends items with numeric ids up to `after`; else replaces all. */
void top_model_load(
    struct top_model *model, enum top_list list, const struct json *result, int64_t after);
/* Empties a list, which then counts as unknown. */
void top_model_forget(struct top_model *model, enum top_list list);
void top_model_load_status(struct top_model *model, const struct json *result, int64_t now_ms);

/* Appends all members of an item, one per line, made visible. */
void top_model_describe(struct top_model *model, const struct top_item *item, struct buf *out);

enum screen_style top_state_style(const char *word);
