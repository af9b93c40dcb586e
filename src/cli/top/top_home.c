/* SPDX-License-Identifier: ISC */
#include "cli/top/top_home.h"

enum {
	LABEL_CELLS = 11,
	ID_CELLS = 7,
	WHERE_CELLS = 20,
	AGE_CELLS = 5,
	NARROW = 60, /* columns; narrower rows omit places */
	TINY = 40, /* columns; narrower rows also omit labels and ages */
};

static const char *const labels[] = {
    [TOP_NEEDS] = "needs you",
    [TOP_RUNNING] = "running",
    [TOP_FINISHED] = "finished",
    [TOP_QUIET] = "panes",
};

static const enum screen_style label_styles[] = {
    [TOP_NEEDS] = SCREEN_WARN,
    [TOP_RUNNING] = SCREEN_GOOD,
    [TOP_FINISHED] = SCREEN_DIM,
    [TOP_QUIET] = SCREEN_DIM,
};

/* The lists with the items of a section, in the order of display. */
static const enum top_list sources[] = {TOP_AGENTS, TOP_JOBS, TOP_QUEUE, TOP_PANES};

static size_t add_section(const struct top_model *model, enum top_section section,
    const struct top_item **items, size_t count)
{
	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
		const struct top_items *list = &model->lists[sources[i]];
		size_t most = sources[i] == TOP_QUEUE ? TOP_HOME_NOTICES_MAX : SIZE_MAX;
		for (size_t j = 0; j < list->count && most > 0; j++) {
			const struct top_item *item =
			    list->places != NULL ? list->places[j] : &list->items[j];
			if (item->section != section)
				continue;
			items[count++] = item;
			most--;
		}
	}
	return count;
}

size_t top_home_items(const struct top_model *model, const struct top_item ***ret_items)
{
	size_t count = 0;
	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
		count += model->lists[sources[i]].count;
	*ret_items = count > 0 ? xcalloc(count, sizeof **ret_items) : NULL;
	count = 0;
	for (int section = TOP_NEEDS; section < TOP_ELSEWHERE && *ret_items != NULL; section++)
		count = add_section(model, (enum top_section)section, *ret_items, count);
	return count;
}

size_t top_home_needs(const struct top_model *model)
{
	const struct top_item **items;
	size_t all = top_home_items(model, &items), count = 0;
	while (count < all && items[count]->section == TOP_NEEDS)
		count++;
	mem_free(items);
	return count;
}

/* Draws the session and window of a pane; leaves out names that the row above has too. */
static void put_place(struct top_line *line, const struct top_item *item,
    const struct top_item *before, enum screen_style style)
{
	bool has_session = before != NULL && before->session != NULL && item->session != NULL &&
	    strcmp(before->session, item->session) == 0;
	bool has_window = has_session && before->window_index == item->window_index;
	size_t used = 0;
	if (item->session != NULL && !has_session)
		used = top_line_put(
		    line, style, item->session, strlen(item->session), WHERE_CELLS / 2);
	else if (item->session != NULL)
		top_line_blank(line, used = 2);
	if (item->session != NULL && has_window)
		used += top_line_put_str(line, SCREEN_DIM, "└");
	else if (item->session != NULL) {
		used += top_line_put_str(line, SCREEN_DIM, ":");
		used += top_line_put(
		    line, style, item->window, strlen(item->window), WHERE_CELLS - used);
	}
	top_line_blank(line, WHERE_CELLS - used + 1);
}

void top_home_draw(struct top_line *line, const struct top_item *item,
    const struct top_item *before, int64_t now_ms)
{
	bool is_first = before == NULL || before->section != item->section;
	enum screen_style style = line->is_marked ? SCREEN_PLAIN
	    : item->section == TOP_FINISHED       ? SCREEN_DIM
						  : SCREEN_PLAIN;
	const char *state = item->list == TOP_PANES ? item->values[TOP_PANE_STATE].text : "";
	char age[TOP_AGE_SIZE] = "";
	if (item->since_ms > 0)
		top_format_age(age, sizeof age,
		    now_ms > item->since_ms ? (now_ms - item->since_ms) / 1000 : 0);
	if (line->columns >= TINY)
		top_line_cell(line, line->is_marked ? SCREEN_PLAIN : label_styles[item->section],
		    is_first ? labels[item->section] : "", LABEL_CELLS, false);
	top_line_cell(
	    line, line->is_marked ? SCREEN_PLAIN : SCREEN_NAME, item->id, ID_CELLS, false);
	top_line_blank(line, 1);
	if (line->columns >= NARROW && item->list == TOP_PANES)
		put_place(line, item, is_first ? NULL : before, style);
	if (line->columns >= TINY) {
		top_line_cell(line, style, age, AGE_CELLS, true);
		top_line_blank(line, 2);
	}
	if (*state) {
		(void)top_line_put_str(
		    line, line->is_marked ? SCREEN_PLAIN : top_state_style(state), state);
		top_line_blank(line, 2);
	}
	(void)top_line_put_str(line, style, item->what);
}
