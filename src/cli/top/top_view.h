/* SPDX-License-Identifier: ISC */
/*
 * The user's view of muxbus top: the chosen, opened and filtered items, and the effect of keys,
 * which come as bytes. No input or output.
 */
#pragma once

#include "cli/top/top_model.h"

enum {
	TOP_FILTER_MAX = 60, /* bytes */
	TOP_PREVIEW_MAX = 256 * 1024, /* bytes of a captured pane */
	TOP_ANSWER_MAX = 400, /* bytes of an answer, or a text for a pane */
	TOP_PANEL_ROWS_MIN = 30, /* higher screens show the chosen item below the list */
	TOP_HOME_PANEL_ROWS_MIN = 18, /* the same of the home list */
	TOP_LIST_ROWS_MIN = 8, /* of the list above the panel */
};

enum top_mode {
	TOP_MODE_LIST,
	TOP_MODE_DETAILS,
	TOP_MODE_CAPTURE,
	TOP_MODE_LOG, /* the end of a job's output */
	TOP_MODE_HELP,
};

enum top_prompt {
	TOP_PROMPT_NONE,
	TOP_PROMPT_FILTER,
	TOP_PROMPT_STOP, /* confirm a stop of the chosen item */
	TOP_PROMPT_ANSWER, /* a text for the question of the chosen agent */
	TOP_PROMPT_SEND, /* a text for the pane of the chosen item */
};

struct top_view {
	unsigned columns;
	unsigned rows;
	bool has_style; /* else not even bold */
	bool has_color;
	enum top_list list;
	enum top_mode mode;
	enum top_prompt prompt;
	char *chosen[TOP_LIST_COUNT_]; /* its id; NULL: the first */
	size_t place[TOP_LIST_COUNT_]; /* its last position, in case it is gone */
	size_t scroll[TOP_LIST_COUNT_]; /* rows above the screen */
	unsigned order[TOP_LIST_COUNT_]; /* 0: as it is; else by this column, from 1 */
	unsigned tabs[TOP_LIST_COUNT_]; /* the column behind the name of each list; 0: not shown */
	size_t count; /* items that passed the filter last time */
	size_t text_scroll; /* of details, a capture, a log or the help */
	bool follows; /* the end of a log stays on the screen */
	char filter[TOP_FILTER_MAX + 1];
	char answer[TOP_ANSWER_MAX + 1]; /* of the prompts for an answer or a text */
	bool is_paused;
	char own_pane[32]; /* the pane that this program runs in; "": none */
	bool has_missing; /* a row above the list names the missing hosts */
	struct buf preview; /* the screen of a pane, or the end of a job's output */
	char preview_id[TOP_ID_SIZE]; /* that pane or job; "": none */
	char message[400]; /* about the last action; "": none */
};

enum top_action {
	TOP_NOTHING,
	TOP_CHANGED, /* draw again */
	TOP_QUIT,
	TOP_SUSPEND,
	TOP_REDRAW, /* draw everything */
	TOP_RESUME, /* the pause is over: ask for missed changes */
	TOP_STOP, /* stop the chosen item; the user has confirmed */
	TOP_ANSWER, /* answer the question of the chosen agent */
	TOP_SEND, /* type a text into the pane of the chosen item */
	TOP_GO, /* show the pane of the chosen item to the user */
};

enum top_key_kind {
	TOP_KEY_CHARACTER,
	TOP_KEY_ENTER,
	TOP_KEY_ESCAPE,
	TOP_KEY_ERASE,
	TOP_KEY_TAB,
	TOP_KEY_BACK_TAB,
	TOP_KEY_UP,
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_CLICK,
	TOP_KEY_WHEEL_UP,
	TOP_KEY_WHEEL_DOWN,
	TOP_KEY_INTERRUPT, /* C-c */
	TOP_KEY_SUSPEND, /* C-z */
	TOP_KEY_REDRAW, /* C-l */
	TOP_KEY_UNKNOWN,
};

struct top_key {
	enum top_key_kind kind;
	char bytes[5]; /* TOP_KEY_CHARACTER: UTF-8, NUL-terminated */
	size_t len;
	unsigned row, column; /* of the mouse, from 0 */
};

/* Bytes from a terminal, on their way to keys. */
struct top_keys {
	uint8_t bytes[256];
	size_t len;
};

/* Adds input; excess bytes (no person types that fast) are dropped. */
void top_keys_feed(struct top_keys *keys, const void *bytes, size_t len);

/*
 * The next key. Returns false if there is none, or if more bytes may belong to it: a single ESC
 * is a key of its own only if nothing follows for a moment (is_late).
 */
bool top_keys_next(struct top_keys *keys, bool is_late, struct top_key *ret_key);

void top_view_init(struct top_view *view, unsigned columns, unsigned rows);
void top_view_finish(struct top_view *view);

/* Applies a key to the view, and returns an action for the caller. */
enum top_action top_view_key(
    struct top_view *view, const struct top_model *model, const struct top_key *key);

/*
 * The items of the current list that pass the filter, and the index of the chosen one; *ret_items
 * is memory of mem_alloc(), NULL if there are none.
 */
size_t top_view_items(struct top_view *view, const struct top_model *model,
    const struct top_item ***ret_items, size_t *ret_chosen);

/* The chosen item, or NULL. */
const struct top_item *top_view_chosen(struct top_view *view, const struct top_model *model);

/* The pane whose screen is needed now, or the job whose log is (*ret_is_log); NULL: none. */
const char *top_view_wants(struct top_view *view, const struct top_model *model, bool *ret_is_log);

/* The pane or the job whose screen shows an item; NULL: none. */
const char *top_view_screen(const struct top_item *item);

/* Stores the screen of a pane, or the end of a job's output. */
void top_view_preview(struct top_view *view, const char *id, const void *text, size_t len);

/* The rows of the list or the opened text; and those of the panel below (0: none). */
unsigned top_view_body(const struct top_view *view);
unsigned top_view_panel(const struct top_view *view);
