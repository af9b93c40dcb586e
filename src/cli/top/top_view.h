/* SPDX-License-Identifier: ISC */
/* The user's view of muxbus top: chosen, opened and filtered items, and keys. No I/O. */
#pragma once

#include "cli/top/top_model.h"

enum {
	TOP_FILTER_MAX = 60, /* bytes */
	TOP_PREVIEW_MAX = 256 * 1024, /* bytes of a captured pane or log */
	TOP_ANSWER_MAX = 400, /* bytes of an answer or of a text for a pane */
	TOP_PANEL_ROWS_MIN = 30, /* least height of a screen for a panel with the chosen item */
	TOP_HOME_PANEL_ROWS_MIN = 18, /* as TOP_PANEL_ROWS_MIN, for the home list */
	TOP_LIST_ROWS_MIN = 8, /* rows of a list above a panel */
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
	TOP_PROMPT_ANSWER,
	TOP_PROMPT_SEND, /* type a text for the pane of the chosen item */
};

struct top_view {
	unsigned columns, rows;
	bool has_style; /* use bold, reverse and so on */
	bool has_color;
	enum top_list list;
	enum top_mode mode;
	enum top_prompt prompt;
	char *chosen[TOP_LIST_COUNT_]; /* id of the chosen item; NULL: none was chosen yet */
	size_t place[TOP_LIST_COUNT_]; /* last index of the chosen item */
	size_t scroll[TOP_LIST_COUNT_]; /* items above the visible ones */
	unsigned order[TOP_LIST_COUNT_]; /* 0: as it is; else sorted by this column, from 1 */
	unsigned tabs[TOP_LIST_COUNT_]; /* column behind the name of each list; 0: not shown */
	size_t count; /* items that passed the filter at the last drawing */
	size_t text_scroll; /* first line shown of an opened text */
	bool follows; /* keep the end of a log visible */
	char filter[TOP_FILTER_MAX + 1];
	char answer[TOP_ANSWER_MAX + 1]; /* typed text of TOP_PROMPT_ANSWER and TOP_PROMPT_SEND */
	bool is_paused;
	char own_pane[32]; /* pane of this program; "" if none */
	bool has_missing; /* a row above the list names the hosts without an answer */
	struct buf preview; /* screen of a pane, end of a job's output, or why there is none */
	char preview_id[TOP_ID_SIZE]; /* pane or job of `preview`; "" if none */
	char message[400]; /* result of the last action; "" if none */
};

enum top_action {
	TOP_NOTHING,
	TOP_CHANGED, /* draw again */
	TOP_QUIT,
	TOP_SUSPEND,
	TOP_REDRAW, /* draw all rows */
	TOP_RESUME, /* the pause has ended: fetch all lists */
	TOP_STOP, /* stop the chosen item, as confirmed */
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
	char bytes[5]; /* for TOP_KEY_CHARACTER: UTF-8, NUL-terminated */
	size_t len;
	unsigned row, column; /* of the mouse, from 0 */
};

/* Bytes of input that were not read as keys yet. */
struct top_keys {
	uint8_t bytes[256];
	size_t len;
};

/* Adds input. Drops bytes beyond the buffer; no person types that fast. */
void top_keys_feed(struct top_keys *keys, const void *bytes, size_t len);

/*
 * Takes the next key. Returns false if there is none, or if more bytes may belong to it. With
 * is_late (no byte has followed for a moment), no more belong to it: a last ESC is then a key.
 */
bool top_keys_next(struct top_keys *keys, bool is_late, struct top_key *ret_key);

void top_view_init(struct top_view *view, unsigned columns, unsigned rows);
void top_view_finish(struct top_view *view);

/* Applies a key to the view. Returns an action for the caller. */
enum top_action top_view_key(
    struct top_view *view, const struct top_model *model, const struct top_key *key);

/* Returns how many items pass the filter. The caller frees *ret_items. *ret_chosen is an index. */
size_t top_view_items(struct top_view *view, const struct top_model *model,
    const struct top_item ***ret_items, size_t *ret_chosen);

const struct top_item *top_view_chosen(struct top_view *view, const struct top_model *model);

/* Returns the id of the pane to capture, or of the job whose log to read (*ret_is_log), or NULL. */
const char *top_view_wants(struct top_view *view, const struct top_model *model, bool *ret_is_log);

/* Returns the id of the pane or job whose screen shows an item, or NULL. */
const char *top_view_screen(const struct top_item *item);

/* Stores the screen of a pane, the end of a job's output, or why there is none. */
void top_view_preview(struct top_view *view, const char *id, const void *text, size_t len);

/* Return the rows of the list or opened text, and of the panel below it, which may be 0. */
unsigned top_view_body(const struct top_view *view);
unsigned top_view_panel(const struct top_view *view);
