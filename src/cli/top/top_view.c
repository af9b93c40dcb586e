/* SPDX-License-Identifier: ISC */
#include "cli/top/top_view.h"

#include <strings.h>

#include "cli/tmux_client.h"
#include "cli/top/top_home.h"

#define ESC 0x1b

void top_keys_feed(struct top_keys *keys, const void *bytes, size_t len)
{
	size_t room = sizeof keys->bytes - keys->len;
	len = len < room ? len : room;
	memcpy(keys->bytes + keys->len, bytes, len);
	keys->len += len;
}

/* The bytes of keys that are no characters. */
static const struct {
	const char *bytes;
	enum top_key_kind kind;
} sequences[] = {
    {"\r", TOP_KEY_ENTER},
    {"\n", TOP_KEY_ENTER},
    {"\t", TOP_KEY_TAB},
    {"\b", TOP_KEY_ERASE},
    {"\x7f", TOP_KEY_ERASE},
    {"\x03", TOP_KEY_INTERRUPT},
    {"\x04", TOP_KEY_PAGE_DOWN},
    {"\x0c", TOP_KEY_REDRAW},
    {"\x15", TOP_KEY_PAGE_UP},
    {"\x1a", TOP_KEY_SUSPEND},
    {"\033[A", TOP_KEY_UP},
    {"\033[B", TOP_KEY_DOWN},
    {"\033[C", TOP_KEY_RIGHT},
    {"\033[D", TOP_KEY_LEFT},
    {"\033[F", TOP_KEY_END},
    {"\033[H", TOP_KEY_HOME},
    {"\033[Z", TOP_KEY_BACK_TAB},
    {"\033[1~", TOP_KEY_HOME},
    {"\033[4~", TOP_KEY_END},
    {"\033[5~", TOP_KEY_PAGE_UP},
    {"\033[6~", TOP_KEY_PAGE_DOWN},
    {"\033[7~", TOP_KEY_HOME},
    {"\033[8~", TOP_KEY_END},
    {"\033OA", TOP_KEY_UP},
    {"\033OB", TOP_KEY_DOWN},
    {"\033OC", TOP_KEY_RIGHT},
    {"\033OD", TOP_KEY_LEFT},
    {"\033OF", TOP_KEY_END},
    {"\033OH", TOP_KEY_HOME},
};

static enum top_key_kind kind_of(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++)
		if (strlen(sequences[i].bytes) == len &&
		    memcmp(sequences[i].bytes, bytes, len) == 0)
			return sequences[i].kind;
	return TOP_KEY_UNKNOWN;
}

static size_t sequence_len(const uint8_t *bytes, size_t len)
{
	if (len < 2)
		return 0;
	if (bytes[1] == 'O')
		return len < 3 ? 0 : 3;
	if (bytes[1] != '[')
		return 1;
	for (size_t i = 2; i < len; i++)
		if (bytes[i] < 0x20 || bytes[i] > 0x3f)
			return i + 1;
	return 0;
}

/* Reads a mouse report: button, column, row, and M for a press. */
static void read_mouse(const uint8_t *bytes, size_t len, struct top_key *ret_key)
{
	char text[32], end;
	unsigned button, column, row;
	(void)snprintf(text, sizeof text, "%.*s", (int)len, (const char *)bytes);
	if (sscanf(text, "<%4u;%4u;%4u%c", &button, &column, &row, &end) != 4 || end != 'M' ||
	    column == 0 || row == 0)
		return;
	*ret_key = (struct top_key){.row = row - 1, .column = column - 1};
	ret_key->kind = button == 0 ? TOP_KEY_CLICK
	    : button == 64          ? TOP_KEY_WHEEL_UP
	    : button == 65          ? TOP_KEY_WHEEL_DOWN
				    : TOP_KEY_UNKNOWN;
}

static size_t read_sequence(const uint8_t *bytes, size_t len, bool is_late, struct top_key *ret_key)
{
	size_t used = sequence_len(bytes, len);
	if (used == 0 && !is_late)
		return 0;
	if (used <= 1) {
		/* A single ESC; the next bytes are keys. */
		ret_key->kind = TOP_KEY_ESCAPE;
		return 1;
	}
	if (bytes[2] == '<')
		read_mouse(bytes + 2, used - 2, ret_key);
	else
		ret_key->kind = kind_of(bytes, used);
	return used;
}

bool top_keys_next(struct top_keys *keys, bool is_late, struct top_key *ret_key)
{
	const uint8_t *bytes = keys->bytes;
	uint32_t character;
	size_t used = 1;
	*ret_key = (struct top_key){.kind = TOP_KEY_UNKNOWN};
	if (keys->len == 0)
		return false;
	if (bytes[0] == ESC) {
		used = read_sequence(bytes, keys->len, is_late, ret_key);
	} else if (bytes[0] < 0x20 || bytes[0] == 0x7f) {
		ret_key->kind = kind_of(bytes, 1);
	} else {
		int decoded = utf8_decode(bytes, keys->len, &character);
		used = decoded > 0 ? (size_t)decoded : decoded == 0 || is_late ? 1 : 0;
		if (decoded > 0) {
			ret_key->kind = TOP_KEY_CHARACTER;
			ret_key->len = used;
			memcpy(ret_key->bytes, bytes, used);
		}
	}
	if (used == 0)
		return false;
	keys->len -= used;
	memmove(keys->bytes, bytes + used, keys->len);
	return true;
}

enum { HEAD_ROWS = 3, FOOT_ROWS = 1, TEXT_HEAD_ROWS = 2, TEXT_LINES_MAX = 100000, WHEEL_ROWS = 3 };

void top_view_init(struct top_view *view, unsigned columns, unsigned rows)
{
	*view = (struct top_view){.columns = columns, .rows = rows, .list = TOP_PANES};
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
	bool is_home = view->list == TOP_HOME;
	if (view->mode != TOP_MODE_LIST ||
	    view->rows < (is_home ? TOP_HOME_PANEL_ROWS_MIN : TOP_PANEL_ROWS_MIN))
		return 0;
	rest = view->rows - head_rows(view) - FOOT_ROWS;
	most = rest / 2;
	list = view->count > TOP_LIST_ROWS_MIN ? (unsigned)view->count : TOP_LIST_ROWS_MIN;
	/* Leave an empty row between list and panel, if the list fits. */
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
	for (size_t i = 0; top_tables[item->list].columns[i].title != NULL; i++)
		if (contains(item->values[i].text, view->filter))
			return true;
	return view->list == TOP_HOME &&
	    (contains(item->what, view->filter) ||
		(item->window != NULL && contains(item->window, view->filter)));
}

/*
 * Compares items by the chosen column, on the home list by section and time. The latest time and
 * the highest CPU use come first.
 */
static int compare_items(const void *one, const void *other, void *data)
{
	const struct top_item *a = *(const struct top_item *const *)one;
	const struct top_item *b = *(const struct top_item *const *)other;
	const struct top_view *view = data;
	size_t place = view->order[view->list] - 1;
	const struct top_value *x = &a->values[place], *y = &b->values[place];
	if (view->list == TOP_HOME)
		return a->section != b->section  ? (int)a->section - (int)b->section
		    : a->since_ms != b->since_ms ? (a->since_ms < b->since_ms ? 1 : -1)
						 : strverscmp(a->id, b->id);
	if (top_tables[view->list].columns[place].kind == TOP_CPU &&
	    a->cpu_percent != b->cpu_percent)
		return a->cpu_percent < b->cpu_percent ? 1 : -1;
	if (x->time_ms != y->time_ms)
		return x->time_ms < y->time_ms ? 1 : -1;
	return strverscmp(x->text, y->text) != 0 ? strverscmp(x->text, y->text)
						 : strverscmp(a->id, b->id);
}

static size_t all_items(
    const struct top_view *view, const struct top_model *model, const struct top_item ***ret_items)
{
	const struct top_items *all = &model->lists[view->list];
	if (view->list == TOP_HOME)
		return top_home_items(model, ret_items);
	*ret_items = all->count > 0 ? xcalloc(all->count, sizeof **ret_items) : NULL;
	for (size_t i = 0; i < all->count; i++)
		(*ret_items)[i] = &all->items[i];
	return all->count;
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
	const char *id = view->chosen[view->list];
	size_t count = 0, chosen = SIZE_MAX, other = SIZE_MAX;
	size_t all = all_items(view, model, ret_items);
	if (view->order[view->list] > 0 && all > 0)
		qsort_r(*ret_items, all, sizeof **ret_items, compare_items, view);
	for (size_t i = 0; i < all; i++) {
		const struct top_item *item = (*ret_items)[i];
		if (!passes(view, item))
			continue;
		if (id != NULL && strcmp(item->id, id) == 0)
			chosen = count;
		if (other == SIZE_MAX && strcmp(item->id, view->own_pane) != 0)
			other = count;
		(*ret_items)[count++] = item;
	}
	/* Initially choose another pane than that of this program. */
	if (id == NULL && view->list <= TOP_PANES && other != SIZE_MAX)
		chosen = other;
	/* If the chosen item is not listed, choose the last position, or the last item. */
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
	/* Drawing limits the position, since it knows the end. */
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
	bool is_shown = view->list <= TOP_PANES && top_view_panel(view) > 0;
	const struct top_item *item = NULL;
	if (is_shown || view->mode == TOP_MODE_CAPTURE || view->mode == TOP_MODE_LOG)
		item = top_view_chosen(view, model);
	*ret_is_log = item != NULL && item->list == TOP_JOBS;
	return item != NULL ? top_view_screen(item) : NULL;
}

const char *top_view_screen(const struct top_item *item)
{
	return item->list == TOP_JOBS ? item->id : item->pane;
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
	const struct top_item *item = top_view_chosen(view, model);
	if (mode != TOP_MODE_HELP && item == NULL)
		return TOP_NOTHING;
	if (mode == TOP_MODE_CAPTURE &&
	    (item->pane == NULL || (view->list != TOP_PANES && view->list != TOP_HOME)))
		return TOP_NOTHING;
	if (mode == TOP_MODE_LOG && item->list != TOP_JOBS)
		return TOP_NOTHING;
	view->mode = mode;
	view->text_scroll = 0;
	view->follows = mode == TOP_MODE_LOG;
	return TOP_CHANGED;
}

static enum top_action change_order(struct top_view *view, const struct top_model *model)
{
	enum top_kind hidden = model->lists[view->list].has_hosts ? TOP_CPU : TOP_HOST;
	const struct top_column *columns = top_tables[view->list].columns;
	unsigned *order = &view->order[view->list];
	const char *by = "as it is";
	if (view->list == TOP_HOME) {
		*order = !*order;
		by = *order > 0 ? "by time, the latest first" : "by place";
	} else {
		while (columns[*order].title != NULL && columns[*order].kind == hidden)
			++*order;
		*order = columns[*order].title != NULL ? *order + 1 : 0;
		by = *order > 0 ? columns[*order - 1].title : by;
	}
	(void)snprintf(view->message, sizeof view->message, "sorted: %s", by);
	return TOP_CHANGED;
}

static enum top_action ask_stop(struct top_view *view, const struct top_model *model)
{
	const struct top_item *item = top_view_chosen(view, model);
	if (item == NULL || top_tables[item->list].stop == NULL)
		return TOP_NOTHING;
	if (item->is_over) {
		(void)snprintf(view->message, sizeof view->message, "it has ended already");
		return TOP_CHANGED;
	}
	choose(view, item, view->place[view->list]); /* keep this item during the prompt */
	view->prompt = TOP_PROMPT_STOP;
	return TOP_CHANGED;
}

/* Chooses the first agent that asks, unless the chosen one does. Returns false if none asks. */
static bool choose_question(struct top_view *view, const struct top_model *model)
{
	const struct top_item **items;
	size_t chosen, count = top_view_items(view, model, &items, &chosen), at = chosen;
	if (count > 0 && !items[chosen]->is_asking)
		for (at = 0; at < count && !items[at]->is_asking;)
			at++;
	if (at < count)
		choose(view, items[at], at);
	mem_free(items);
	return at < count;
}

static enum top_action begin_answer(struct top_view *view, const struct top_model *model)
{
	view->answer[0] = '\0';
	if (choose_question(view, model))
		view->prompt = TOP_PROMPT_ANSWER;
	else
		(void)snprintf(view->message, sizeof view->message, "no agent asks anything here");
	return TOP_CHANGED;
}

static enum top_action begin_send(struct top_view *view, const struct top_model *model)
{
	const struct top_item *item = top_view_chosen(view, model);
	if (item == NULL || item->pane == NULL)
		return TOP_NOTHING;
	choose(view, item, view->place[view->list]); /* keep this item during the prompt */
	view->answer[0] = '\0';
	view->prompt = TOP_PROMPT_SEND;
	return TOP_CHANGED;
}

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
	if (letter >= '0' && letter < '0' + TOP_LIST_COUNT_) {
		enum top_list list = (enum top_list)(letter - '0');
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
	case 'a':
		return begin_answer(view, model);
	case 's':
		return begin_send(view, model);
	case 'c':
		return open_text(view, model, TOP_MODE_CAPTURE);
	case 'd':
		return open_text(view, model, TOP_MODE_DETAILS);
	case 'l':
		return open_text(view, model, TOP_MODE_LOG);
	case 'o':
		return change_order(view, model);
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

/* Handles a click: on the name of a list or on an item. On the chosen item it acts as Enter. */
static enum top_action on_click(
    struct top_view *view, const struct top_model *model, const struct top_key *key)
{
	const struct top_item **items;
	size_t chosen, count, at;
	enum top_action action = TOP_CHANGED;
	if (view->mode != TOP_MODE_LIST)
		return TOP_NOTHING;
	for (size_t i = 0; key->row == 1 && i < TOP_LIST_COUNT_; i++)
		if (key->column < view->tabs[i]) {
			view->list = (enum top_list)i;
			return TOP_CHANGED;
		}
	if (key->row < head_rows(view) || key->row - head_rows(view) >= top_view_body(view))
		return TOP_NOTHING;
	count = top_view_items(view, model, &items, &chosen);
	at = view->scroll[view->list] + key->row - head_rows(view);
	if (at >= count)
		action = TOP_NOTHING;
	else if (at != chosen)
		choose(view, items[at], at);
	mem_free(items);
	return at == chosen && action == TOP_CHANGED ? on_enter(view, model) : action;
}

/* Handles a key of a typed line. Returns TOP_NOTHING for a key that does not edit. */
static enum top_action edit(char *text, size_t max, const struct top_key *key)
{
	size_t len = strlen(text);
	if (key->kind == TOP_KEY_CHARACTER && len + key->len <= max) {
		memcpy(text + len, key->bytes, key->len + 1);
	} else if (key->kind == TOP_KEY_ERASE) {
		while (len > 0 && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
			len--;
		text[len > 0 ? len - 1 : 0] = '\0';
	} else if (key->kind != TOP_KEY_CHARACTER) {
		return TOP_NOTHING;
	}
	return TOP_CHANGED;
}

static enum top_action on_filter(struct top_view *view, const struct top_key *key)
{
	if (key->kind == TOP_KEY_ESCAPE)
		view->filter[0] = '\0';
	if (key->kind == TOP_KEY_ESCAPE || key->kind == TOP_KEY_ENTER) {
		view->prompt = TOP_PROMPT_NONE;
		return TOP_CHANGED;
	}
	return edit(view->filter, TOP_FILTER_MAX, key);
}

/* Returns true if the item of the prompt still exists. Otherwise another item is chosen now. */
static bool is_there(struct top_view *view, const struct top_model *model)
{
	const struct top_item *item = top_view_chosen(view, model);
	const char *id = view->chosen[view->list];
	if (item != NULL && id != NULL && strcmp(item->id, id) == 0)
		return true;
	(void)snprintf(view->message, sizeof view->message, "%s is gone: nothing was done",
	    id != NULL ? id : "it");
	return false;
}

/*
 * Handles a key of an answer or a text, which is sent at Enter. If there are at most nine choices,
 * the number of one as the first key answers at once.
 */
static enum top_action on_answer(
    struct top_view *view, const struct top_model *model, const struct top_key *key)
{
	const struct top_item *item = top_view_chosen(view, model);
	bool is_answer = view->prompt == TOP_PROMPT_ANSWER;
	bool is_choice = is_answer && view->answer[0] == '\0' && item != NULL && key->len == 1 &&
	    key->bytes[0] > '0' && item->choices <= 9 && key->bytes[0] <= '0' + (int)item->choices;
	if (key->kind == TOP_KEY_ESCAPE) {
		view->prompt = TOP_PROMPT_NONE;
		return TOP_CHANGED;
	}
	if (!is_choice && key->kind != TOP_KEY_ENTER)
		return edit(view->answer, TOP_ANSWER_MAX, key);
	if (is_choice)
		(void)edit(view->answer, TOP_ANSWER_MAX, key);
	view->prompt = TOP_PROMPT_NONE;
	return !is_there(view, model) ? TOP_CHANGED : is_answer ? TOP_ANSWER : TOP_SEND;
}

static enum top_action on_confirm(
    struct top_view *view, const struct top_model *model, const struct top_key *key)
{
	view->prompt = TOP_PROMPT_NONE;
	if (key->kind == TOP_KEY_CHARACTER && strcmp(key->bytes, "y") == 0)
		return is_there(view, model) ? TOP_STOP : TOP_CHANGED;
	(void)snprintf(view->message, sizeof view->message, "nothing was done");
	return TOP_CHANGED;
}

/* Keys that move the choice or the text: by how many rows or, if is_page, screens. */
static const struct {
	enum top_key_kind kind;
	const char *character;
	int64_t by;
	bool is_page;
} moves[] = {
    {TOP_KEY_UP, "", -1, false},
    {TOP_KEY_DOWN, "", 1, false},
    {TOP_KEY_PAGE_UP, "", -1, true},
    {TOP_KEY_PAGE_DOWN, "", 1, true},
    {TOP_KEY_HOME, "", -TEXT_LINES_MAX, false},
    {TOP_KEY_END, "", TEXT_LINES_MAX, false},
    {TOP_KEY_WHEEL_UP, "", -WHEEL_ROWS, false},
    {TOP_KEY_WHEEL_DOWN, "", WHEEL_ROWS, false},
    {TOP_KEY_CHARACTER, "j", 1, false},
    {TOP_KEY_CHARACTER, "k", -1, false},
    {TOP_KEY_CHARACTER, "g", -TEXT_LINES_MAX, false},
    {TOP_KEY_CHARACTER, "G", TEXT_LINES_MAX, false},
};

static enum top_action on_key(
    struct top_view *view, const struct top_model *model, const struct top_key *key)
{
	int64_t page = top_view_body(view) > 1 ? top_view_body(view) - 1 : 1;
	for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
		if (key->kind == moves[i].kind && strcmp(key->bytes, moves[i].character) == 0)
			return on_move(view, model, moves[i].by * (moves[i].is_page ? page : 1));
	switch (key->kind) {
	case TOP_KEY_LEFT:
	case TOP_KEY_BACK_TAB:
		change_list(view, model, -1);
		return TOP_CHANGED;
	case TOP_KEY_RIGHT:
	case TOP_KEY_TAB:
		change_list(view, model, 1);
		return TOP_CHANGED;
	case TOP_KEY_CLICK:
		return on_click(view, model, key);
	case TOP_KEY_ENTER:
		if (view->mode == TOP_MODE_LIST)
			return on_enter(view, model);
		return on_escape(view);
	case TOP_KEY_ESCAPE:
		return on_escape(view);
	case TOP_KEY_CHARACTER:
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
	    : view->prompt == TOP_PROMPT_STOP      ? on_confirm(view, model, key)
	    : view->prompt != TOP_PROMPT_NONE      ? on_answer(view, model, key)
						   : on_key(view, model, key);
	return action == TOP_NOTHING && had_message ? TOP_CHANGED : action;
}
