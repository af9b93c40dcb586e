/* SPDX-License-Identifier: ISC */
#include "cli/top/top_frame.h"

#include "cli/top/top_home.h"

enum {
	GAP = 2,
	MARK = 2,
	FLEXIBLE_MIN = 16,
	HOST_MAX = 20,
	ROW_BYTES_MAX = 64 * 1024,
	TIME_SIZE = 32
};

void top_frame_finish(struct top_frame *frame)
{
	for (unsigned i = 0; i < frame->count; i++)
		buf_finish(&frame->rows[i]);
	mem_free(frame->rows);
	*frame = (struct top_frame){0};
}

struct drawing {
	struct top_frame *frame;
	struct top_view *view;
	struct top_model *model;
	int64_t now_ms;
	unsigned row; /* index of the next row */
};

static bool begin(struct drawing *drawing, struct top_line *line, bool is_marked)
{
	const struct top_view *view = drawing->view;
	if (drawing->row >= drawing->frame->count)
		return false;
	top_line_begin(line, &drawing->frame->rows[drawing->row++], view->columns, view->has_style,
	    view->has_color, is_marked);
	return true;
}

static const char *short_path(
    const struct top_model *model, const char *path, char *out, size_t size)
{
	size_t len = strlen(model->home);
	if (len < 2 || strncmp(path, model->home, len) != 0 || (path[len] && path[len] != '/'))
		return path;
	(void)snprintf(out, size, "~%s", path + len);
	return out;
}

static const char *value_text(const struct drawing *drawing, const struct top_item *item,
    size_t place, char *out, size_t size)
{
	const struct top_column *column = &top_tables[item->list].columns[place];
	const struct top_value *value = &item->values[place];
	int64_t past;
	if (column->kind == TOP_CPU) {
		(void)snprintf(out, size, item->cpu_percent >= 0 ? "%d%%" : "", item->cpu_percent);
		return out;
	}
	if (column->kind == TOP_PATH)
		return short_path(drawing->model, value->text, out, size);
	if (column->kind != TOP_AGE && column->kind != TOP_DUE)
		return value->text;
	if (value->time_ms == 0)
		return "";
	past = drawing->now_ms - value->time_ms;
	if (column->kind == TOP_AGE)
		top_format_age(out, size, past > 0 ? past / 1000 : 0);
	else if (past >= 0)
		(void)snprintf(out, size, "now");
	else
		top_format_seconds(out, size, (999 - past) / 1000, true);
	return out;
}

static void put_fact(struct top_line *line, const char *text)
{
	if (utf8_cells(text, strlen(text)) <= top_line_left(line))
		(void)top_line_put_str(line, SCREEN_PLAIN, text);
}

static void put_count(struct top_line *line, int64_t count, const char *noun)
{
	char text[64];
	if (count <= 0)
		return;
	(void)snprintf(
	    text, sizeof text, " · %" PRId64 " %s%s", count, noun, count == 1 ? "" : "s");
	put_fact(line, text);
}

static void put_hosts(struct top_line *line, const struct top_status *status)
{
	const struct {
		int64_t count;
		const char *word;
	} states[] = {{status->hosts_up, "up"}, {status->hosts_connecting, "connecting"},
	    {status->hosts_down, "down"}};
	char text[64];
	(void)snprintf(text, sizeof text, "  %" PRId64 " host%s", status->hosts,
	    status->hosts == 1 ? "" : "s");
	put_fact(line, text);
	for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
		if (states[i].count <= 0)
			continue;
		(void)snprintf(
		    text, sizeof text, ", %" PRId64 " %s", states[i].count, states[i].word);
		put_fact(line, text);
	}
}

static void put_facts(struct top_line *line, const struct drawing *drawing)
{
	const struct top_status *status = &drawing->model->status;
	char text[64], age[TIME_SIZE];
	if (status->started_ms == 0)
		return;
	(void)snprintf(text, sizeof text, "  tmux %s", status->tmux_version);
	if (status->is_fleet)
		put_hosts(line, status);
	else
		put_fact(line, text);
	top_format_age(age, sizeof age, (drawing->now_ms - status->started_ms) / 1000);
	(void)snprintf(text, sizeof text, " · %s %s", status->is_fleet ? "since" : "up", age);
	put_fact(line, text);
	put_count(line, status->sessions, "session");
	put_count(line, status->windows, "window");
	put_count(line, status->waits, "wait");
	put_count(line, status->peers, "peer");
	put_count(line, status->consumers, "consumer");
}

static void draw_head(struct drawing *drawing)
{
	const struct top_view *view = drawing->view;
	struct top_line line;
	bool is_lost;
	const char *word;
	enum screen_style style;
	size_t columns, right;
	if (!begin(drawing, &line, false))
		return;
	is_lost = drawing->model->trouble[0] != '\0';
	word = is_lost ? "lost" : view->is_paused ? "paused" : "live";
	style = is_lost ? SCREEN_BAD : view->is_paused ? SCREEN_WARN : SCREEN_GOOD;
	columns = line.columns;
	right = strlen(word) + 3;
	line.columns = columns > right + 8 ? columns - right : columns;
	(void)top_line_put_str(&line, SCREEN_BOLD, "muxbus");
	top_line_blank(&line, 1);
	(void)top_line_put_str(&line, SCREEN_NAME, drawing->model->name);
	put_facts(&line, drawing);
	if (line.columns != columns) {
		top_line_blank(&line, top_line_left(&line));
		line.columns = columns;
		(void)top_line_put_str(&line, style, " ● ");
		(void)top_line_put_str(&line, style, word);
	}
	top_line_end(&line);
}

static size_t tab_text(
    const struct drawing *drawing, enum top_list list, bool has_count, char *out, size_t size)
{
	const struct top_items *items = &drawing->model->lists[list];
	int64_t count = (int64_t)items->count;
	if (list == TOP_QUEUE && !drawing->model->status.is_fleet)
		count = drawing->model->status.undelivered;
	if (list == TOP_HOME)
		count = (int64_t)top_home_needs(drawing->model);
	if (has_count && count > 0)
		(void)snprintf(out, size, " %s %" PRId64 " ", top_tables[list].name, count);
	else
		(void)snprintf(out, size, " %s ", top_tables[list].name);
	return strlen(out);
}

static void draw_tabs(struct drawing *drawing)
{
	struct top_line line;
	struct top_view *view = drawing->view;
	char text[64];
	size_t width = 0;
	bool has_agents = drawing->model->lists[TOP_AGENTS].is_known;
	int count = has_agents ? TOP_LIST_COUNT_ : TOP_AGENTS;
	bool has_counts;
	if (!begin(drawing, &line, false))
		return;
	for (int i = 0; i < count; i++)
		width += tab_text(drawing, (enum top_list)i, true, text, sizeof text) + 1;
	has_counts = width <= view->columns;
	for (int i = 0; i < count; i++) {
		bool is_here = view->list == (enum top_list)i;
		view->tabs[i] = 0;
		/* On a narrow screen, show only the current name. */
		if (!is_here && view->columns < 40)
			continue;
		(void)tab_text(drawing, (enum top_list)i, has_counts || is_here, text, sizeof text);
		if (is_here && view->has_style)
			(void)buf_append_str(line.out, "\033[7m");
		else if (is_here)
			text[0] = '[', text[strlen(text) - 1] = ']';
		(void)top_line_put_str(&line, is_here ? SCREEN_BOLD : SCREEN_PLAIN, text);
		top_line_blank(&line, 1);
		view->tabs[i] = view->columns - (unsigned)top_line_left(&line);
	}
	top_line_end(&line);
}

static void draw_missing(struct drawing *drawing)
{
	struct top_line line;
	if (!drawing->view->has_missing || !begin(drawing, &line, false))
		return;
	(void)top_line_put_str(&line, SCREEN_WARN, "missing: ");
	(void)top_line_put_str(
	    &line, SCREEN_WARN, drawing->model->lists[drawing->view->list].missing);
	top_line_end(&line);
}

static void draw_foot(struct drawing *drawing)
{
	struct top_line line;
	const struct top_view *view = drawing->view;
	const struct top_item *item = top_view_chosen(drawing->view, drawing->model);
	const struct top_table *table = &top_tables[item != NULL ? item->list : view->list];
	char text[400];
	if (!begin(drawing, &line, false))
		return;
	if (view->prompt == TOP_PROMPT_FILTER) {
		(void)snprintf(text, sizeof text, "filter: %s_", view->filter);
		(void)top_line_put_str(&line, SCREEN_BOLD, text);
		(void)top_line_put_str(&line, SCREEN_DIM, "   Enter keeps it, Esc clears it");
	} else if (view->prompt == TOP_PROMPT_STOP) {
		const char *id = view->chosen[view->list] != NULL ? view->chosen[view->list] : "";
		(void)snprintf(text, sizeof text, "%s %s? y: yes, any other key: no",
		    table->stop != NULL ? table->stop : "stop", id);
		(void)top_line_put_str(&line, SCREEN_WARN, text);
	} else if (view->prompt != TOP_PROMPT_NONE) {
		(void)top_line_put_str(
		    &line, SCREEN_BOLD, view->prompt == TOP_PROMPT_ANSWER ? "answer: " : "send: ");
		(void)top_line_put_str(&line, SCREEN_PLAIN, view->answer);
		(void)top_line_put_str(
		    &line, SCREEN_DIM, "_   Enter types it, Esc leaves it; a number chooses");
	} else if (view->message[0]) {
		(void)top_line_put_str(&line, SCREEN_WARN, view->message);
	} else if (drawing->model->trouble[0]) {
		(void)top_line_put_str(&line, SCREEN_BAD, drawing->model->trouble);
	} else if (view->mode != TOP_MODE_LIST) {
		(void)top_line_put_str(&line, SCREEN_DIM, "↑↓ scroll  Esc back  ? help");
	} else {
		if (view->filter[0]) {
			(void)snprintf(text, sizeof text, "filter: %s  ", view->filter);
			(void)top_line_put_str(&line, SCREEN_BOLD, text);
		}
		(void)snprintf(text, sizeof text,
		    view->list == TOP_HOME
			? "Enter go  a answer  s send  %s%s%s%s/ filter  →%s lists  ? help  q quit"
			: "↑↓←→ move  Enter go  / filter  %s%s%s%s%s  ? help  q quit",
		    view->list == TOP_PANES      ? "c screen  "
			: view->list == TOP_JOBS ? "l log  "
						 : "",
		    table->stop != NULL ? "x " : "", table->stop != NULL ? table->stop : "",
		    table->stop != NULL ? "  " : "",
		    view->list == TOP_HOME ? ""
			: view->is_paused  ? "p go on"
					   : "p pause");
		if (utf8_cells(text, strlen(text)) > top_line_left(&line))
			(void)snprintf(text, sizeof text, "? help  q quit");
		(void)top_line_put_str(&line, SCREEN_DIM, text);
	}
	top_line_end(&line);
}

/* Returns true if a list has the column. Lists of a fleet have hosts, but no CPU time. */
static bool has_column(const struct drawing *drawing, const struct top_column *column)
{
	bool has_hosts = drawing->model->lists[drawing->view->list].has_hosts;
	return has_hosts ? column->kind != TOP_CPU : column->kind != TOP_HOST;
}

/*
 * Sets the cells that each column needs for its title and, without a fixed width, for its widest
 * value among these items. 0: the list does not have the column.
 */
static void measure(const struct drawing *drawing, const struct top_item **items, size_t count,
    size_t needs[TOP_COLUMNS_MAX])
{
	const struct top_column *columns = top_tables[drawing->view->list].columns;
	char text_of[PATH_MAX];
	for (size_t i = 0; columns[i].title != NULL; i++) {
		needs[i] = 0;
		if (!has_column(drawing, &columns[i]))
			continue;
		needs[i] = strlen(columns[i].title);
		for (size_t j = 0; j < count && columns[i].width == 0; j++) {
			const char *text =
			    value_text(drawing, items[j], i, text_of, sizeof text_of);
			size_t width = utf8_cells(text, strlen(text));
			needs[i] = width > needs[i] ? width : needs[i];
		}
		if (columns[i].kind == TOP_HOST && needs[i] > HOST_MAX)
			needs[i] = HOST_MAX;
	}
}

/* Moves cells from flexible columns that need less to those that need more. */
static void even_out(const struct top_table *table, const size_t needs[TOP_COLUMNS_MAX],
    size_t widths[TOP_COLUMNS_MAX])
{
	for (size_t to = 0; table->columns[to].title != NULL; to++) {
		for (size_t from = 0; table->columns[from].title != NULL; from++) {
			size_t lack, rest;
			if (table->columns[to].width > 0 || table->columns[from].width > 0 ||
			    widths[to] == 0 || widths[to] >= needs[to] ||
			    widths[from] <= needs[from])
				continue;
			lack = needs[to] - widths[to];
			rest = widths[from] - needs[from];
			widths[to] += lack < rest ? lack : rest;
			widths[from] -= lack < rest ? lack : rest;
		}
	}
}

static bool is_flexible(const struct top_column *column)
{
	return column->width == 0 && column->kind != TOP_HOST;
}

/* Distributes the cells of a row to the columns of a table. A column of 0 cells is omitted. */
static void lay_out(const struct top_table *table, size_t room, const size_t needs[TOP_COLUMNS_MAX],
    size_t widths[TOP_COLUMNS_MAX])
{
	for (unsigned most = TOP_COLUMNS_MAX;; most--) {
		size_t used = 0, flexible = 0, rest;
		for (size_t i = 0; table->columns[i].title != NULL; i++) {
			const struct top_column *column = &table->columns[i];
			widths[i] = 0;
			if (column->rank > most || needs[i] == 0)
				continue;
			widths[i] = is_flexible(column) ? FLEXIBLE_MIN
			    : column->width > 0         ? column->width
							: needs[i];
			flexible += is_flexible(column);
			used += widths[i] + GAP;
		}
		if (used > room + GAP && most > 0)
			continue;
		/* Flexible columns share the remaining cells; the first ones may get one more. */
		rest = used < room + GAP ? room + GAP - used : 0;
		for (size_t i = 0; table->columns[i].title != NULL && flexible > 0; i++) {
			size_t part;
			if (widths[i] == 0 || !is_flexible(&table->columns[i]))
				continue;
			part = (rest + flexible - 1) / flexible;
			widths[i] += part;
			rest -= part;
			flexible--;
		}
		even_out(table, needs, widths);
		return;
	}
}

static void draw_titles(struct drawing *drawing, const size_t widths[TOP_COLUMNS_MAX])
{
	const struct top_table *table = &top_tables[drawing->view->list];
	struct top_line line;
	if (!begin(drawing, &line, false))
		return;
	top_line_blank(&line, MARK);
	for (size_t i = 0; table->columns[i].title != NULL; i++) {
		if (widths[i] == 0)
			continue;
		top_line_cell(&line,
		    drawing->view->order[drawing->view->list] == i + 1 ? SCREEN_BOLD : SCREEN_DIM,
		    table->columns[i].title, widths[i], table->columns[i].is_right);
		top_line_blank(&line, GAP);
	}
	top_line_end(&line);
}

static enum screen_style value_style(
    const struct top_item *item, const struct top_column *column, size_t place)
{
	if (item->is_over)
		return SCREEN_DIM;
	if (column->kind == TOP_STATE)
		return top_state_style(item->values[place].text);
	return place == 0 ? SCREEN_NAME : SCREEN_PLAIN;
}

static void put_cells(struct top_line *line, struct drawing *drawing, const struct top_item *item,
    bool is_chosen, const size_t widths[TOP_COLUMNS_MAX])
{
	const struct top_table *table = &top_tables[drawing->view->list];
	char text_of[PATH_MAX];
	for (size_t i = 0; table->columns[i].title != NULL; i++) {
		const struct top_column *column = &table->columns[i];
		const char *text = value_text(drawing, item, i, text_of, sizeof text_of);
		enum screen_style style = is_chosen ? SCREEN_PLAIN : value_style(item, column, i);
		if (widths[i] == 0)
			continue;
		if (column->kind == TOP_PATH) {
			size_t took = top_line_put_end(line, style, text, widths[i]);
			top_line_blank(line, widths[i] - took);
		} else {
			top_line_cell(line, style, text, widths[i], column->is_right);
		}
		top_line_blank(line, GAP);
	}
}

static void draw_nothing(struct drawing *drawing)
{
	struct top_line line;
	char text[160];
	const struct top_view *view = drawing->view;
	const struct top_items *items = &drawing->model->lists[view->list];
	if (!begin(drawing, &line, false))
		return;
	if (view->filter[0])
		(void)snprintf(text, sizeof text, "  nothing matches \"%s\"", view->filter);
	else
		(void)snprintf(text, sizeof text, "  %s",
		    items->is_known || view->list == TOP_HOME ? "nothing" : "...");
	(void)top_line_put_str(&line, SCREEN_DIM, text);
	top_line_end(&line);
}

static void draw_list(struct drawing *drawing)
{
	struct top_view *view = drawing->view;
	size_t widths[TOP_COLUMNS_MAX] = {0}, needs[TOP_COLUMNS_MAX], chosen, last;
	size_t *scroll = &view->scroll[view->list];
	const struct top_item **items;
	struct top_line line;
	size_t count = top_view_items(view, drawing->model, &items, &chosen);
	unsigned body = top_view_body(view), end = drawing->row + 1 + body;
	/* Keep the chosen row visible, and leave no empty rows below the list. */
	if (*scroll + body > count)
		*scroll = count > body ? count - body : 0;
	if (chosen < *scroll)
		*scroll = chosen;
	if (body > 0 && chosen >= *scroll + body)
		*scroll = chosen - body + 1;
	last = *scroll + body < count ? *scroll + body : count;
	if (view->list == TOP_HOME) {
		drawing->row++; /* the home list has no titles */
	} else {
		measure(drawing, items + *scroll, last - *scroll, needs);
		lay_out(&top_tables[view->list], view->columns > MARK ? view->columns - MARK : 0,
		    needs, widths);
		draw_titles(drawing, widths);
	}
	for (size_t i = *scroll; i < last && begin(drawing, &line, i == chosen); i++) {
		(void)top_line_put_str(&line, SCREEN_PLAIN, i == chosen ? "> " : "  ");
		if (view->list == TOP_HOME)
			top_home_draw(
			    &line, items[i], i > *scroll ? items[i - 1] : NULL, drawing->now_ms);
		else
			put_cells(&line, drawing, items[i], i == chosen, widths);
		top_line_end(&line);
	}
	if (count == 0 && body > 0)
		draw_nothing(drawing);
	drawing->row = end < drawing->frame->count ? end : drawing->frame->count;
	mem_free(items);
}

static const char help_text[] =
    "Up, Down, k, j       move; further: Page Up, Page Down, C-u, C-d, g, G\n"
    "Left, Right, Tab     the next list; 0 to 6: that list\n"
    "mouse                a click chooses, a second one goes; Shift selects text\n"
    "a                    answer an agent: the number of a choice, or a text\n"
    "s                    send a text to the pane of the chosen item\n"
    "Enter                go to the pane of the chosen item\n"
    "d                    all details of the chosen item\n"
    "c                    the screen of the chosen pane\n"
    "l                    the log of the chosen job, as it grows\n"
    "o                    sort by the next column; at home by time or by place\n"
    "x                    stop the chosen job or agent, kill the pane, cancel the\n"
    "                     timer, watch or notification, after a question\n"
    "/                    show only items that contain a text\n"
    "p                    pause: freeze the screen\n"
    "Esc, q               go back; q in a list: quit\n"
    "C-l                  redraw the screen\n"
    "\n"
    "OUTPUT is the time since the pane's last output that muxbusd knows of. CPU is\n"
    "the processor time of the pane's processes, in percent of one processor. STATE\n"
    "is human where a person types. The number of the queue counts undelivered\n"
    "notifications.\n";

/* Draws lines of a text from line `first` on. is_screen: a captured screen or a log, in colours. */
static void draw_lines(struct drawing *drawing, const char *text, size_t len, bool is_screen,
    size_t first, unsigned rows)
{
	struct top_ink ink = {.len = 0};
	size_t at = 0, number = 0;
	while (at < len && rows > 0) {
		const char *newline = memchr(text + at, '\n', len - at);
		size_t line_len = newline != NULL ? (size_t)(newline - text) - at : len - at;
		struct top_line line;
		if (number++ < first) {
			top_line_put_screen(NULL, &ink, text + at, line_len);
		} else {
			if (!begin(drawing, &line, false))
				return;
			if (is_screen)
				top_line_put_screen(&line, &ink, text + at, line_len);
			else
				(void)top_line_put(
				    &line, SCREEN_PLAIN, text + at, line_len, line.columns);
			top_line_end(&line);
			rows--;
		}
		at += line_len + 1;
	}
}

static void draw_rule(struct drawing *drawing, const struct top_item *item)
{
	const struct top_table *table = item != NULL ? &top_tables[item->list] : NULL;
	struct top_line line;
	char text_of[PATH_MAX];
	size_t last = 0;
	struct buf rest = BUF(ROW_BYTES_MAX);
	if (!begin(drawing, &line, false))
		return;
	(void)top_line_put_str(&line, SCREEN_DIM, "── ");
	if (item == NULL)
		(void)top_line_put_str(&line, SCREEN_PLAIN, "Keys ");
	if (item != NULL) {
		while (table->columns[last + 1].title != NULL)
			last++;
		(void)top_line_put_str(&line, SCREEN_NAME, item->id);
		top_line_blank(&line, 1);
		for (size_t i = 1; i <= last; i++) {
			enum top_kind kind = table->columns[i].kind;
			if ((kind != TOP_TEXT && kind != TOP_PATH) || table->columns[i].is_right ||
			    !item->values[i].text[0])
				continue;
			(void)top_line_put_str(&line, SCREEN_PLAIN,
			    value_text(drawing, item, i, text_of, sizeof text_of));
			top_line_blank(&line, 1);
		}
	}
	for (size_t i = top_line_left(&line); i > 0; i--)
		(void)buf_append_str(&rest, "─");
	if (rest.len > 0)
		(void)top_line_put(&line, SCREEN_DIM, rest.data, rest.len, line.columns);
	buf_finish(&rest);
	top_line_end(&line);
}

static void read_text(
    const struct drawing *drawing, const struct top_item *item, bool is_screen, struct buf *out)
{
	const struct top_view *view = drawing->view;
	if (item == NULL)
		return;
	if (!is_screen)
		top_model_describe(drawing->model, item, out);
	else if (top_view_screen(item) != NULL &&
	    strcmp(view->preview_id, top_view_screen(item)) == 0 && view->preview.len > 0)
		(void)buf_append(out, view->preview.data, view->preview.len);
}

static void draw_text(struct drawing *drawing, unsigned rows, bool is_panel)
{
	struct top_view *view = drawing->view;
	const struct top_item *item = top_view_chosen(view, drawing->model);
	bool is_screen = is_panel
	    ? item != NULL && view->list <= TOP_PANES && top_view_screen(item) != NULL
	    : view->mode == TOP_MODE_CAPTURE || view->mode == TOP_MODE_LOG;
	struct buf text = BUF(TOP_PREVIEW_MAX);
	size_t lines, last;
	if (view->mode == TOP_MODE_HELP)
		(void)buf_append_str(&text, help_text);
	else
		read_text(drawing, item, is_screen, &text);
	draw_rule(drawing, view->mode == TOP_MODE_HELP ? NULL : item);
	lines = (size_t)text_count_lines(text.data, text.len);
	last = lines > rows ? lines - rows : 0;
	if (!is_panel && (view->text_scroll > last || view->follows))
		view->text_scroll = last;
	draw_lines(drawing, buf_text(&text), text.len, is_screen,
	    !is_panel       ? view->text_scroll
		: is_screen ? last
			    : 0,
	    rows);
	buf_finish(&text);
}

static void resize(struct top_frame *frame, unsigned columns, unsigned rows)
{
	if (frame->count != rows) {
		top_frame_finish(frame);
		frame->rows = xcalloc(rows > 0 ? rows : 1, sizeof *frame->rows);
		frame->count = rows;
	}
	frame->columns = columns;
	for (unsigned i = 0; i < rows; i++) {
		buf_finish(&frame->rows[i]);
		buf_init(&frame->rows[i], ROW_BYTES_MAX);
	}
}

void top_frame_draw(
    struct top_frame *frame, struct top_view *view, struct top_model *model, int64_t now_ms)
{
	struct drawing drawing = {.frame = frame, .view = view, .model = model, .now_ms = now_ms};
	unsigned panel;
	/* Count the items first, because their number determines the size of the panel. */
	view->has_missing = model->lists[view->list].missing[0] != '\0';
	(void)top_view_chosen(view, model);
	panel = top_view_panel(view);
	resize(frame, view->columns, view->rows);
	draw_head(&drawing);
	if (view->mode == TOP_MODE_LIST) {
		draw_tabs(&drawing);
		draw_missing(&drawing);
		draw_list(&drawing);
		if (panel > 0)
			draw_text(&drawing, panel - 1, true);
	} else {
		draw_text(&drawing, top_view_body(view), false);
	}
	/* The last row is for the foot, even on a screen of two rows. */
	if (view->rows > 1) {
		drawing.row = view->rows - 1;
		draw_foot(&drawing);
	}
}

void top_frame_update(struct buf *out, const struct top_frame *old, const struct top_frame *frame)
{
	bool is_new = old == NULL || old->count != frame->count || old->columns != frame->columns;
	if (is_new)
		(void)buf_append_str(out, "\033[0m\033[2J");
	for (unsigned i = 0; i < frame->count; i++) {
		const struct buf *row = &frame->rows[i];
		if (!is_new && buf_is_equal(&old->rows[i], row))
			continue;
		/* Erase first: behind a full row, erasing would clear its last cell. */
		(void)buf_printf(out, "\033[%u;1H\033[K", i + 1);
		if (row->len > 0)
			(void)buf_append(out, row->data, row->len);
		(void)buf_append_str(out, "\033[0m");
	}
}
