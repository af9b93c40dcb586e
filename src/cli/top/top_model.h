/* SPDX-License-Identifier: ISC */
/* The data of muxbus top: lists of objects, from the daemon's last answers. No input or output. */
#pragma once

#include "cli/screen_text.h"
#include "cli/top/top_item.h"

enum top_kind {
	TOP_TEXT, /* as it is */
	TOP_HOST, /* as wide as needed; only in a list of the fleet */
	TOP_PATH, /* keep the end */
	TOP_STATE, /* a word with a colour */
	TOP_AGE, /* time since then */
	TOP_DUE, /* time until then */
	TOP_CPU, /* the processor time of the item's processes, in percent; not of the fleet */
};

struct top_column {
	const char *title;
	enum top_kind kind;
	unsigned width; /* in cells; 0: shares the rest of the row */
	unsigned rank; /* if space is scarce, the highest rank goes first; 0 stays */
	bool is_right;
	const char *member; /* that the column shows; or NULL, and then: */
	/* Appends the item's text for this column; a time as text for TOP_AGE and TOP_DUE. */
	void (*read)(struct buf *out, const struct json *item);
};

struct top_table {
	const char *name; /* for people */
	const char *method; /* that lists the items */
	const char *member; /* of its result */
	const char *id; /* the member with the id of an item */
	const char *stop; /* the action of the key x: "stop"; NULL: none */
	const char *stop_method;
	const char *stop_param; /* the parameter for the id */
	struct top_column columns[TOP_COLUMNS_MAX + 1]; /* ended by a column without a title */
};

extern const struct top_table top_tables[TOP_LIST_COUNT_];

struct top_status {
	char version[32];
	char tmux_version[32];
	int64_t tmux_pid; /* 0: unknown */
	int64_t started_ms; /* CLOCK_REALTIME; 0: unknown */
	bool is_fleet; /* the counts of hosts are known, and not those of tmux and the queue */
	int64_t hosts;
	int64_t hosts_up;
	int64_t hosts_connecting;
	int64_t hosts_down;
	int64_t sessions;
	int64_t windows;
	int64_t peers;
	int64_t waits;
	int64_t undelivered;
	int64_t consumers;
	int64_t last; /* number of an event or notification */
};

struct top_model {
	struct top_items lists[TOP_LIST_COUNT_];
	struct top_status status;
	struct json_reader *reader; /* for the members of an item */
	char name[64]; /* of the tmux server */
	char home[256]; /* the user's directory, shown as ~; "": unknown */
	char trouble[200]; /* the reason why data is stale; "": none */
	int64_t looked_ms; /* when a person last left the home screen, real time; 0: not known */
};

void top_model_init(struct top_model *model, const char *name);
void top_model_finish(struct top_model *model);

/*
 * Loads a result of the method that lists them. With after >= 0, items with a numeric id up to
 * that are added after the existing ones; else all items are replaced.
 */
void top_model_load(
    struct top_model *model, enum top_list list, const struct json *result, int64_t after);
/* The daemon has no such list. */
void top_model_forget(struct top_model *model, enum top_list list);
void top_model_load_status(struct top_model *model, const struct json *result, int64_t now_ms);

/* Appends all members of an item, a line each; the text is still untrusted. */
void top_model_describe(struct top_model *model, const struct top_item *item, struct buf *out);

/* The colour of a state. */
enum screen_style top_state_style(const char *word);
