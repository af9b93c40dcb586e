/* SPDX-License-Identifier: ISC */
/* What muxbus top knows: lists of things, as the daemon told them last. No input or output. */
#ifndef CLI_TOP_MODEL_H
#define CLI_TOP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "cli/screen_text.h"
#include "wire/json.h"

enum top_list {
	TOP_PANES,
	TOP_JOBS,
	TOP_TIMERS,
	TOP_WATCHES,
	TOP_QUEUE,
	TOP_AGENTS,
	TOP_LIST_COUNT_,
};

enum {
	TOP_COLUMNS_MAX = 8,
	TOP_ITEMS_MAX = 10000, /* of a list; more are left out */
	TOP_ITEM_BYTES_MAX = 64 * 1024, /* of what one item says; more makes it say nothing */
};

enum top_kind {
	TOP_TEXT, /* as it is */
	TOP_PATH, /* the end is what matters */
	TOP_STATE, /* a word with a colour */
	TOP_AGE, /* how long ago */
	TOP_DUE, /* how long until */
};

struct top_column {
	const char *title;
	enum top_kind kind;
	unsigned width; /* in cells; 0: takes what is left, with others of its kind */
	unsigned rank; /* where room is scarce, the highest goes first; 0 stays */
	bool is_right;
	/* Appends what an item says in it; for TOP_AGE and TOP_DUE, a time as text. */
	void (*read)(struct buf *out, const struct json *item);
};

struct top_table {
	const char *name; /* for people */
	const char *method; /* that lists it */
	const char *member; /* of its result */
	const char *id; /* the member that names an item */
	const char *stop; /* what x does to one: "stop"; NULL: nothing */
	const char *stop_method;
	const char *stop_param; /* what names it there */
	struct top_column columns[TOP_COLUMNS_MAX + 1]; /* ended by one without a title */
};

extern const struct top_table top_tables[TOP_LIST_COUNT_];

/* What an item says in a column. text is untrusted, and has no NUL in it but at its end. */
struct top_value {
	char *text;
	int64_t time_ms; /* TOP_AGE, TOP_DUE: CLOCK_REALTIME; 0: not known */
};

struct top_item {
	char *id;
	char *json; /* all that is known of it */
	bool is_over; /* it has ended: shown faintly */
	struct top_value values[TOP_COLUMNS_MAX];
};

struct top_items {
	struct top_item *items;
	size_t count;
	bool is_known; /* the daemon has such a list */
};

struct top_status {
	char version[32];
	char tmux_version[32];
	int64_t started_ms; /* CLOCK_REALTIME; 0: not known */
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
	struct json_reader *reader; /* for what an item says */
	char name[64]; /* of the tmux server */
	char home[256]; /* the user's directory, written as ~; "": not known */
	char trouble[200]; /* why nothing new comes; "": all is well */
};

void top_model_init(struct top_model *model, const char *name);
void top_model_finish(struct top_model *model);

/*
 * Takes the result of the method that lists them. With after >= 0 the items whose id is a
 * number up to that are added behind those that are there; else all are replaced.
 */
void top_model_load(
    struct top_model *model, enum top_list list, const struct json *result, int64_t after);
/* The daemon has no such list. */
void top_model_forget(struct top_model *model, enum top_list list);
void top_model_load_status(struct top_model *model, const struct json *result, int64_t now_ms);

/* Appends all that an item says, a line for each member; untrusted still. */
void top_model_describe(struct top_model *model, const struct top_item *item, struct buf *out);

/* The colour of a word that says a state. */
enum screen_style top_state_style(const char *word);

#endif
