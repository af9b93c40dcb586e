/* SPDX-License-Identifier: ISC */
/* The user's view of muxbus top. */
#include "cli/top/top_view.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "base/xalloc.h"
#include "cli/tmux_client.h"

enum { HEAD_ROWS = 3, FOOT_ROWS = 1, TEXT_HEAD_ROWS = 2, TEXT_LINES_MAX = 100000 };

void top_view_init(struct top_view *view, unsigned columns, unsigned rows)
{
	*view = (struct top_view){.columns = columns, .rows = rows};
	buf_init(&view->preview, TOP_PREVIEW_MAX);
}

void top_view_finish(struct top_view *view)
{
	for (size_t i = 0; i < TOP_LIST_COUNT_; i++)
		mem_free(view->chosen[i]);
	buf_finish(&view->preview);
}

static unsigned head_rows(const struct top_view *view)
{
	if (view->mode != TOP_MODE_LIST)
		return TEXT_HEAD_ROWS;
	return HEAD_ROWS + view->has_missing;
}

unsigned top_view_panel(const struct top_view *view)
{
	unsigned rest, most, list;
	if (view->mode != TOP_MODE_LIST || view->rows < TOP_PANEL_ROWS_MIN)
		return 0;
	rest = view->rows - head_rows(view) - FOOT_ROWS;
	most = rest / 2;
	list = view->count > TOP_LIST_ROWS_MIN ? (unsigned)view->count : TOP_LIST_ROWS_MIN;
	/* An empty row between both, if the list fits. */
	return rest - (list + 1 < most ? list + 1 : most);
}

unsigned top_view_body(const struct top_view *view)
{
	unsigned others = head_rows(view) + FOOT_ROWS + top_view_panel(view);
	return view->rows > others ? view->rows - others : 0;
}

static bool contains(const char *text, const char *part)
{
	size_t len = strlen(part);
	for (; *text; text++)
		if (strncasecmp(text, part, len) == 0)
			return true;
	return len == 0;
}

static bool passes(const struct top_view *view, const struct top_item *item)
{
	for (size_t i = 0; top_tables[view->list].columns[i].title != NULL; i++)
		if (contains(item->values[i].text, view->filter))
			return true;
	return false;
}

static void choose(struct top_view *view, const struct top_item *item, size_t place)
{
	char *id = item != NULL ? xstrdup(item->id) : NULL;
	mem_free(view->chosen[view->list]);
	view->chosen[view->list] = id;
	view->place[view->list] = place;
}

size_t top_view_items(struct top_view *view, const struct top_model *model,
    const struct top_item ***ret_items, size_t *ret_chosen)
{
	const struct top_items *all = &model->lists[view->list];
	const char *id = view->chosen[view->list];
	size_t count = 0, chosen = SIZE_MAX, other = SIZE_MAX;
	*ret_items = all->count > 0 ? xcalloc(all->count, sizeof **ret_items) : NULL;
	for (size_t i = 0; i < all->count; i++) {
		const struct top_item *item = &all->items[i];
		if (!passes(view, item))
			continue;
		if (id != NULL && strcmp(item->id, id) == 0)
			chosen = count;
		if (other == SIZE_MAX && strcmp(item->id, view->own_pane) != 0)
			other = count;
		(*ret_items)[count++] = item;
	}
	/* A person who starts this program wants to see another pane. */
	if (id == NULL && view->list == TOP_PANES && other != SIZE_MAX)
		chosen = other;
	/* The chosen item is gone: choose the one in its place. */
	if (chosen == SIZE_MAX)
		chosen = view->place[view->list] < count ? view->place[view->list]
		    : count > 0                          ? count - 1
							 : 0;
	view->place[view->list] = chosen;
	view->count = count < UINT16_MAX ? count : UINT16_MAX;
	*ret_chosen = chosen;
	return count;
}

const struct top_item *top_view_chosen(struct top_view *view, const struct top_model *model)
{
	const struct top_item **items;
	size_t chosen, count = top_view_items(view, model, &items, &chosen);
	const struct top_item *item = count > 0 ? items[chosen] : NULL;
	mem_free(items);
	return item;
}

static void move_choice(struct top_view *view, const struct top_model *model, int64_t by)
{
	const struct top_item **items;
	size_t chosen, count = top_view_items(view, model, &items, &chosen);
	if (count > 0) {
		int64_t to = (int64_t)chosen + by;
		to = to < 0 ? 0 : to >= (int64_t)count ? (int64_t)count - 1 : to;
		choose(view, items[to], (size_t)to);
	}
	mem_free(items);
}

static void move_text(struct top_view *view, int64_t by)
{
	int64_t to = (int64_t)view->text_scroll + by;
	view->follows = view->mode == TOP_MODE_LOG && by == TEXT_LINES_MAX;
	/* Drawing corrects a scroll too far, since only then the end is known. */
	view->text_scroll = to < 0 ? 0 : to > TEXT_LINES_MAX ? TEXT_LINES_MAX : (size_t)to;
}

static void change_list(struct top_view *view, const struct top_model *model, int by)
{
	int list = (int)view->list;
	do
		list = (list + by + TOP_LIST_COUNT_) % TOP_LIST_COUNT_;
	while (list == TOP_AGENTS && !model->lists[TOP_AGENTS].is_known);
	view->list = (enum top_list)list;
	view->mode = TOP_MODE_LIST;
}

const char *top_view_wants(struct top_view *view, const struct top_model *model, bool *ret_is_log)
{
	bool is_panes = view->list == TOP_PANES;
	bool is_open = view->mode == TOP_MODE_CAPTURE || top_view_panel(view) > 0;
	const struct top_item *item = NULL;
	*ret_is_log = view->mode == TOP_MODE_LOG;
	if (*ret_is_log || (is_panes && is_open))
		item = top_view_chosen(view, model);
	return item != NULL ? item->id : NULL;
}

void top_view_preview(struct top_view *view, const char *id, const void *text, size_t len)
{
	buf_clear(&view->preview);
	(void)buf_append(&view->preview, text, len < TOP_PREVIEW_MAX ? len : TOP_PREVIEW_MAX);
	(void)snprintf(view->preview_id, sizeof view->preview_id, "%s", id);
}

static enum top_action open_text(
    struct top_view *view, const struct top_model *model, enum top_mode mode)
{
	if (mode != TOP_MODE_HELP && top_view_chosen(view, model) == NULL)
		return TOP_NOTHING;
	if (mode == TOP_MODE_CAPTURE && view->list != TOP_PANES)
		return TOP_NOTHING;
	if (mode == TOP_MODE_LOG && view->list != TOP_JOBS)
		return TOP_NOTHING;
	view->mode = mode;
	view->text_scroll = 0;
	view->follows = mode == TOP_MODE_LOG;
	return TOP_CHANGED;
}

static enum top_action ask_stop(struct top_view *view, const struct top_model *model)
{
	const struct top_table *table = &top_tables[view->list];
	const struct top_item *item = top_view_chosen(view, model);
	if (item == NULL || table->stop == NULL)
		return TOP_NOTHING;
	if (item->is_over) {
		(void)snprintf(view->message, sizeof view->message, "it has ended already");
		return TOP_CHANGED;
	}
	choose(view, item, view->place[view->list]); /* stay on this item */
	view->prompt = TOP_PROMPT_STOP;
	return TOP_CHANGED;
}

/* Enter goes to the pane of an item; an item without a pane opens. */
static enum top_action on_enter(struct top_view *view, const struct top_model *model)
{
	const struct top_item *item = top_view_chosen(view, model);
	if (item == NULL)
		return TOP_NOTHING;
	if (item->pane == NULL)
		return open_text(view, model, TOP_MODE_DETAILS);
	choose(view, item, view->place[view->list]);
	if (item->host != NULL) {
		tmux_client_way(view->message, sizeof view->message, item->pane, item->host,
		    item->server != NULL ? item->server : "default");
		return TOP_CHANGED;
	}
	return TOP_GO;
}

static enum top_action on_escape(struct top_view *view)
{
	if (view->mode != TOP_MODE_LIST)
		view->mode = TOP_MODE_LIST;
	else if (view->filter[0])
		view->filter[0] = '\0';
	else
		return TOP_NOTHING;
	return TOP_CHANGED;
}

static enum top_action on_letter(
    struct top_view *view, const struct top_model *model, const struct top_key *key)
{
	char letter = key->len == 1 ? key->bytes[0] : '\0';
	if (letter >= '1' && letter <= '0' + TOP_LIST_COUNT_) {
		enum top_list list = (enum top_list)(letter - '1');
		if (list == TOP_AGENTS && !model->lists[TOP_AGENTS].is_known)
			return TOP_NOTHING;
		view->list = list;
		view->mode = TOP_MODE_LIST;
		return TOP_CHANGED;
	}
	switch (letter) {
	case 'q':
		return view->mode == TOP_MODE_LIST ? TOP_QUIT : on_escape(view);
	case '/':
		view->mode = TOP_MODE_LIST;
		view->prompt = TOP_PROMPT_FILTER;
		return TOP_CHANGED;
	case '?':
		return open_text(view, model, TOP_MODE_HELP);
	case 'c':
		return open_text(view, model, TOP_MODE_CAPTURE);
	case 'd':
		return open_text(view, model, TOP_MODE_DETAILS);
	case 'l':
		return open_text(view, model, TOP_MODE_LOG);
	case 'k':
	case 'x':
		return ask_stop(view, model);
	case 'p':
		view->is_paused = !view->is_paused;
		return view->is_paused ? TOP_CHANGED : TOP_RESUME;
	default:
		return TOP_NOTHING;
	}
}

static enum top_action on_move(struct top_view *view, const struct top_model *model, int64_t by)
{
	if (view->mode == TOP_MODE_LIST)
		move_choice(view, model, by);
	else
		move_text(view, by);
	return TOP_CHANGED;
}

static enum top_action on_filter(struct top_view *view, const struct top_key *key)
{
	size_t len = strlen(view->filter);
	switch (key->kind) {
	case TOP_KEY_CHARACTER:
		if (len + key->len <= TOP_FILTER_MAX)
			memcpy(view->filter + len, key->bytes, key->len + 1);
		return TOP_CHANGED;
	case TOP_KEY_ERASE:
		while (len > 0 && ((unsigned char)view->filter[len - 1] & 0xc0) == 0x80)
			len--;
		view->filter[len > 0 ? len - 1 : 0] = '\0';
		return TOP_CHANGED;
	case TOP_KEY_ESCAPE:
		view->filter[0] = '\0';
		view->prompt = TOP_PROMPT_NONE;
		return TOP_CHANGED;
	case TOP_KEY_ENTER:
		view->prompt = TOP_PROMPT_NONE;
		return TOP_CHANGED;
	default:
		return TOP_NOTHING;
	}
}

/* Only y stops it; any other key does nothing. */
static enum top_action on_confirm(struct top_view *view, const struct top_key *key)
{
	view->prompt = TOP_PROMPT_NONE;
	if (key->kind == TOP_KEY_CHARACTER && (strcmp(key->bytes, "y") == 0))
		return TOP_STOP;
	(void)snprintf(view->message, sizeof view->message, "nothing was done");
	return TOP_CHANGED;
}

static enum top_action on_key(
    struct top_view *view, const struct top_model *model, const struct top_key *key)
{
	int64_t page = top_view_body(view) > 1 ? top_view_body(view) - 1 : 1;
	switch (key->kind) {
	case TOP_KEY_UP:
		return on_move(view, model, -1);
	case TOP_KEY_DOWN:
		return on_move(view, model, 1);
	case TOP_KEY_PAGE_UP:
		return on_move(view, model, -page);
	case TOP_KEY_PAGE_DOWN:
		return on_move(view, model, page);
	case TOP_KEY_HOME:
		return on_move(view, model, -TEXT_LINES_MAX);
	case TOP_KEY_END:
		return on_move(view, model, TEXT_LINES_MAX);
	case TOP_KEY_LEFT:
	case TOP_KEY_BACK_TAB:
		change_list(view, model, -1);
		return TOP_CHANGED;
	case TOP_KEY_RIGHT:
	case TOP_KEY_TAB:
		change_list(view, model, 1);
		return TOP_CHANGED;
	case TOP_KEY_ENTER:
		if (view->mode == TOP_MODE_LIST)
			return on_enter(view, model);
		return on_escape(view);
	case TOP_KEY_ESCAPE:
		return on_escape(view);
	case TOP_KEY_CHARACTER:
		if (strcmp(key->bytes, "g") == 0 || strcmp(key->bytes, "G") == 0)
			return on_move(
			    view, model, key->bytes[0] == 'G' ? TEXT_LINES_MAX : -TEXT_LINES_MAX);
		return on_letter(view, model, key);
	default:
		return TOP_NOTHING;
	}
}

enum top_action top_view_key(
    struct top_view *view, const struct top_model *model, const struct top_key *key)
{
	enum top_action action;
	bool had_message;
	if (key->kind == TOP_KEY_INTERRUPT)
		return TOP_QUIT;
	if (key->kind == TOP_KEY_SUSPEND)
		return TOP_SUSPEND;
	if (key->kind == TOP_KEY_REDRAW)
		return TOP_REDRAW;
	had_message = view->message[0] != '\0';
	view->message[0] = '\0';
	action = view->prompt == TOP_PROMPT_FILTER ? on_filter(view, key)
	    : view->prompt == TOP_PROMPT_STOP      ? on_confirm(view, key)
						   : on_key(view, model, key);
	return action == TOP_NOTHING && had_message ? TOP_CHANGED : action;
}
