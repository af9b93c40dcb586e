/* SPDX-License-Identifier: ISC */
#include "daemon/pane/prompt.h"

#include "daemon/pane/prompt_row.h"

enum {
	/* rows above and below the cursor in which choices of a question are looked for */
	QUESTION_ROWS = 10,
	AROUND_ABOVE = 8, /* rows above the cursor for prompt_write_around() */
	AROUND_UNDER = 4,
	KEY_MAX = 2048, /* maximum characters of a line that are compared */
	/* minimum length of the end that must match if the start of a line is out of sight */
	TAIL_MIN = 12,
	REVERSE_MAX = 2, /* maximum cells of a cursor that a program draws: on a wide character */
};

static bool is_upright(uint32_t character)
{
	return character == '|' || character == 0x2502 || character == 0x2503 ||
	    character == 0x2551;
}

bool prompt_is_end(uint32_t character)
{
	return character == '>' || character == 0xbb || character == 0x203a ||
	    character == 0x276f || character == 0x27a4 || character == 0x25b6;
}

static bool is_text(const struct prompt_row *row, size_t at)
{
	return !row->is_dim[at] && !prompt_row_is_frame(row->characters[at]);
}

static void view_row(const struct prompt_view *view, unsigned number, struct prompt_row *row)
{
	prompt_row_read(view->text, view->len, number, row);
}

/* Returns where the prompt's sign at a row's start ends; 0: no sign. The star is Gemini CLI's. */
static size_t lead_end(const struct prompt_row *row)
{
	size_t begin = prompt_row_begin(row), end = begin;
	while (end < row->count && prompt_is_end(row->characters[end]))
		end++;
	if (end + 1 < row->count && end == begin && row->characters[end] == '*' &&
	    !row->is_dim[end] && row->characters[end + 1] == ' ')
		end++;
	return end > begin ? end : 0;
}

static size_t find_prompt_end(const struct prompt_row *row, size_t end)
{
	size_t lead = lead_end(row);
	if (lead > 0 && lead <= end && row->characters[lead - 1] == '*')
		return lead;
	for (size_t at = 0; at < end; at++) {
		if (!prompt_is_end(row->characters[at]) || row->is_dim[at])
			continue;
		while (at < end && prompt_is_end(row->characters[at]))
			at++;
		return at;
	}
	return 0;
}

bool prompt_find_cursor(struct prompt_view *view)
{
	static struct prompt_row row;
	for (unsigned number = prompt_row_count(view->text, view->len); number-- > 0;) {
		size_t count = 0, first = 0;
		view_row(view, number, &row);
		for (size_t at = 0; at < row.count; at++)
			if (row.is_reverse[at] && count++ == 0)
				first = at;
		if (count == 0 || count > REVERSE_MAX)
			continue; /* wider than a cursor: a bar or a marked choice */
		view->cursor_row = number;
		view->cursor_column = (unsigned)first;
		return true;
	}
	return false;
}

static void write_left(const struct prompt_row *row, size_t end, struct prompt *prompt)
{
	size_t line_len = 0, lead_len = 0;
	for (size_t at = 0; at < end; at++) {
		uint32_t character = row->characters[at];
		char byte = character >= ' ' && character < 0x7f ? (char)character : '.';
		if (line_len + 1 < sizeof prompt->line)
			prompt->line[line_len++] = byte;
		if (byte > ' ' && byte != '|' && character < 0x7f &&
		    lead_len + 1 < sizeof prompt->lead)
			prompt->lead[lead_len++] = byte;
	}
	prompt->line[line_len] = '\0';
	prompt->lead[lead_len] = '\0';
}

/* Returns true for a numbered choice, as "2. No". *ret_is_chosen: the choice is marked. */
static bool is_choice(const struct prompt_row *row, bool *ret_is_chosen)
{
	size_t at = prompt_row_begin(row), digits = 0;
	*ret_is_chosen = at < row->count && prompt_is_end(row->characters[at]);
	while (
	    at < row->count && (prompt_is_end(row->characters[at]) || row->characters[at] == ' '))
		at++;
	while (at < row->count && row->characters[at] >= '0' && row->characters[at] <= '9') {
		at++;
		digits++;
	}
	return digits > 0 && digits < 3 && at < row->count &&
	    (row->characters[at] == '.' || row->characters[at] == ')');
}

static bool find_question(const struct prompt_view *view)
{
	static struct prompt_row row;
	unsigned first = view->cursor_row > QUESTION_ROWS ? view->cursor_row - QUESTION_ROWS : 0;
	unsigned choices = 0, chosen = 0;
	for (unsigned number = first; number <= view->cursor_row + QUESTION_ROWS; number++) {
		bool is_chosen;
		view_row(view, number, &row);
		if (!is_choice(&row, &is_chosen))
			continue;
		choices++;
		chosen += is_chosen;
	}
	return choices > 1 && chosen == 1;
}

static bool is_blank(const struct prompt_row *row)
{
	size_t at = 0;
	while (at < row->count && (row->characters[at] == ' ' || row->characters[at] == 0xa0))
		at++;
	return at == row->count;
}

/* Returns true for a row that is the edge of a box: it has lines of a box, and no text. */
static bool is_edge(const struct prompt_view *view, unsigned number)
{
	static struct prompt_row row;
	view_row(view, number, &row);
	return prompt_row_begin(&row) == row.count && !is_blank(&row);
}

/*
 * Returns true if a draft above goes on in the cursor's row. A draft begins after a prompt at the
 * start of a row. The edge of a box ends the draft, and so does a blank row unless has_blanks.
 * ret_is_open (may be NULL): a draft may begin out of sight.
 */
static bool is_continued(
    const struct prompt_view *view, bool is_boxed, bool has_blanks, bool *ret_is_open)
{
	static struct prompt_row row;
	bool is_begun = false;
	unsigned most = has_blanks ? PROMPT_ROWS_MAX : PROMPT_ROWS;
	for (unsigned back = 1; back <= most && back <= view->cursor_row; back++) {
		size_t begin, end;
		view_row(view, view->cursor_row - back, &row);
		begin = prompt_row_begin(&row);
		if (is_boxed && (row.count == 0 || !is_upright(row.characters[0])))
			return has_blanks && is_begun; /* a box may have no prompt */
		if (begin == row.count) {
			if (!is_boxed && !(has_blanks && is_blank(&row)))
				return false;
			continue;
		}
		end = lead_end(&row);
		if (end > 0)
			return is_begun || prompt_row_has_text(&row, end, row.count);
		is_begun = true;
	}
	if (ret_is_open != NULL) /* the text may go on above the screen */
		*ret_is_open =
		    is_begun && view->cursor_row >= prompt_row_count(view->text, view->len) / 2;
	return false;
}

/*
 * Returns true if a sign such as '>' in the cursor's row is a quotation, not a prompt. Either the
 * sign stands below the text after a prompt, and no row between begins further left. Or the row
 * above has a draft after another sign in the same column, and both rows are in one box or between
 * edges.
 */
static bool is_quotation(
    const struct prompt_view *view, const struct prompt_row *last, bool is_boxed)
{
	static struct prompt_row row;
	size_t column = prompt_row_begin(last);
	bool is_alone = is_boxed ||
	    (view->cursor_row > 1 && is_edge(view, view->cursor_row - 2) &&
		is_edge(view, view->cursor_row + 1));
	for (unsigned back = 1; back <= PROMPT_ROWS_MAX && back <= view->cursor_row; back++) {
		view_row(view, view->cursor_row - back, &row);
		if (is_boxed ? row.count == 0 || !is_upright(row.characters[0])
			     : prompt_row_begin(&row) == row.count && !is_blank(&row))
			return false; /* the edge of a box */
		if (back == 1 && is_alone && prompt_row_begin(&row) == column &&
		    lead_end(&row) > 0 && row.characters[column] != last->characters[column])
			return prompt_row_has_text(&row, lead_end(&row), row.count);
		if (prompt_row_begin(&row) < row.count && prompt_row_begin(&row) < column)
			return lead_end(&row) > 0 && lead_end(&row) + 1 == column;
	}
	return false;
}

static size_t text_end(const struct prompt_row *row, size_t end)
{
	while (end > 0 && !is_text(row, end - 1) && !prompt_is_end(row->characters[end - 1]))
		end--;
	return end;
}

/* Returns true if a prompt may end here. The '%' in "100%" does not end one. */
static bool is_lead_end(const struct prompt_row *row, size_t end)
{
	if (end == 0)
		return false;
	return row->characters[end - 1] != '%' || end < 2 || row->characters[end - 2] < '0' ||
	    row->characters[end - 2] > '9';
}

static bool is_like_draft(const struct prompt_row *row, size_t end)
{
	uint32_t before;
	while (end > 1 && prompt_is_end(row->characters[end - 1]))
		end--;
	before = row->characters[end - 1];
	return before == ' ' || before == '-' || before == '=' || before == '*';
}

/*
 * Returns true if the row is in a box: it begins with the side of the box, and the row above has no
 * text outside of the box.
 */
static bool is_in_box(const struct prompt_view *view, const struct prompt_row *row)
{
	static struct prompt_row above;
	uint32_t edge;
	if (row->count == 0 || !is_upright(row->characters[0]))
		return false;
	if (view->cursor_row == 0)
		return true;
	view_row(view, view->cursor_row - 1, &above);
	edge = above.characters[0];
	return prompt_row_begin(&above) == above.count || is_upright(edge) ||
	    (edge > 0xa0 && prompt_row_is_frame(edge) &&
		prompt_row_is_frame(above.characters[above.count - 1]));
}

static bool has_left_draft(
    const struct prompt_view *view, const struct prompt_row *row, size_t end, struct prompt *prompt)
{
	bool is_boxed = is_in_box(view, row);
	size_t last = text_end(row, end), prompt_end;
	if (last == 0)
		return is_continued(view, is_boxed, true, &prompt->is_open);
	prompt->is_shell = strchr("$#%", (int)(row->characters[last - 1] & 0x7f)) != NULL &&
	    row->characters[last - 1] < 0x80;
	prompt_end = find_prompt_end(row, end);
	if (prompt_end == 0)
		return !prompt->is_shell;
	if (prompt_row_has_text(row, prompt_end, end)) {
		prompt->is_shell = false;
		return true;
	}
	/* A sign such as ">" or the end of "and then ->" is no prompt if it continues a draft. */
	return prompt_is_end(row->characters[prompt_row_begin(row)])
	    ? is_quotation(view, row, is_boxed)
	    : is_continued(view, is_boxed, is_like_draft(row, prompt_end), NULL);
}

void prompt_read(const struct prompt_view *view, struct prompt *ret_prompt)
{
	static struct prompt_row row;
	size_t end;
	view_row(view, view->cursor_row, &row);
	*ret_prompt = (struct prompt){0};
	end = view->cursor_column < row.count ? view->cursor_column : row.count;
	write_left(&row, end, ret_prompt);
	ret_prompt->is_question = find_question(view);
	/* Text right of the cursor is a draft, except suggestions (dim text) and frames. */
	for (size_t at = end; at < row.count; at++) {
		if (!is_text(&row, at))
			continue;
		/* A drawn cursor is on the first character of the dim placeholder. */
		if (at == end && at + 1 < row.count && row.is_dim[at + 1])
			continue;
		ret_prompt->has_draft = ret_prompt->has_right_draft = true;
		return;
	}
	ret_prompt->has_draft = has_left_draft(view, &row, end, ret_prompt);
	end = text_end(&row, end);
	ret_prompt->is_seen = !ret_prompt->has_draft && is_lead_end(&row, end);
	ret_prompt->begins_row = ret_prompt->is_seen && lead_end(&row) == end;
}

void prompt_write_around(const struct prompt_view *view, struct buf *out)
{
	static struct prompt_row row;
	unsigned first = view->cursor_row > AROUND_ABOVE ? view->cursor_row - AROUND_ABOVE : 0;
	for (unsigned number = first; number <= view->cursor_row + AROUND_UNDER; number++) {
		view_row(view, number, &row);
		for (size_t at = 0; at < row.count; at++) {
			uint32_t character = row.characters[at];
			(void)buf_append_byte(
			    out, character >= ' ' && character < 0x7f ? (uint8_t)character : '.');
		}
		(void)buf_append_byte(out, '\n');
	}
}

/*
 * The characters of a line that are compared: no blanks and frames, because programs wrap, pad and
 * frame a line.
 */
struct key {
	/* compare only ASCII: tmux may give other characters another width */
	bool is_ascii;
	size_t count;
	uint32_t characters[KEY_MAX];
	/* number of characters left out before each one, and at the end */
	size_t others[KEY_MAX + 1];
};

static bool is_compared(const struct key *key, uint32_t character)
{
	return !prompt_row_is_frame(character) && (!key->is_ascii || character < 0x7f);
}

static void make_key(const char *line, size_t len, struct key *key)
{
	size_t ascii = 0;
	for (size_t at = 0; at < len; at++)
		ascii += line[at] > ' ' && line[at] < 0x7f && line[at] != '|';
	key->is_ascii = ascii >= 4;
	key->count = key->others[0] = 0;
	for (size_t at = 0; at < len && key->count < KEY_MAX;) {
		uint32_t character;
		int size = utf8_decode(line + at, len - at, &character);
		at += (size_t)(size > 0 ? size : 1);
		if (size > 0 && is_compared(key, character)) {
			key->characters[key->count++] = character;
			key->others[key->count] = 0;
		} else if (size > 0 && !prompt_row_is_frame(character)) {
			key->others[key->count]++;
		}
	}
}

static bool is_any_lead(const struct prompt_view *view, const struct prompt_row *row, size_t end)
{
	while (end > 0 && !is_text(row, end - 1))
		end--;
	if (end == 0)
		return !is_continued(view, is_in_box(view, row), true, NULL);
	return find_prompt_end(row, end) == end;
}

static enum prompt_echo compare_lead(const struct prompt_view *view, unsigned back,
    const struct prompt_row *row, size_t end, const char *lead)
{
	struct prompt_view begun = *view;
	begun.cursor_row -= back;
	if (lead == NULL)
		return is_any_lead(&begun, row, end) ? ECHO_EXACT : ECHO_ALTERED;
	for (size_t at = 0; at < end; at++) {
		uint32_t character = row->characters[at];
		if (character <= ' ' || character >= 0x7f || character == '|')
			continue;
		if (*lead == '\0')
			return ECHO_BEHIND;
		if ((uint32_t)(unsigned char)*lead != character)
			return ECHO_ALTERED;
		lead++;
	}
	return *lead == '\0' ? ECHO_EXACT : ECHO_ALTERED;
}

static bool completes(const uint32_t *part, size_t count, size_t *found, uint32_t character)
{
	*found = character == part[*found] ? *found + 1 : character == part[0];
	return *found == count;
}

static bool has_part(const struct prompt_view *view, const struct key *key)
{
	static struct prompt_row row;
	size_t count = key->count < TAIL_MIN ? key->count : TAIL_MIN, begun = 0, ended = 0;
	const uint32_t *end = key->characters + key->count - count;
	unsigned rows = view->cursor_row < PROMPT_ROWS_MAX ? view->cursor_row + 1 : PROMPT_ROWS_MAX;
	while (rows-- > 0) {
		view_row(view, view->cursor_row - rows, &row);
		for (size_t at = 0; at < row.count; at++)
			if (is_compared(key, row.characters[at]) &&
			    (completes(key->characters, count, &begun, row.characters[at]) ||
				completes(end, count, &ended, row.characters[at])))
				return true;
	}
	return false;
}

/* Returns the result if all but the first `left` characters of the line were found. */
static enum prompt_echo echo_of_part(
    const struct prompt_view *view, const struct key *key, size_t left, bool is_cut)
{
	if (is_cut && key->count - left >= TAIL_MIN)
		return ECHO_TAIL;
	return has_part(view, key) ? ECHO_ALTERED : ECHO_NONE;
}

enum prompt_echo prompt_find_line(
    const struct prompt_view *view, const char *line, size_t len, const char *lead)
{
	static struct prompt_row row;
	static struct key key;
	size_t left, others;
	bool is_cut = false, has_text = true;
	make_key(line, len, &key);
	left = key.count;
	if (left == 0)
		return ECHO_NONE;
	others = key.others[left];
	for (unsigned back = 0; back < PROMPT_ROWS_MAX && back <= view->cursor_row; back++) {
		size_t at;
		/* a row without text below is the edge of a box */
		is_cut |= !has_text;
		has_text = back == 0;
		view_row(view, view->cursor_row - back, &row);
		at = back == 0 && view->cursor_column < row.count ? view->cursor_column : row.count;
		while (at-- > 0) {
			uint32_t character = row.characters[at];
			if (prompt_row_is_frame(character))
				continue;
			has_text = true;
			if (!is_compared(&key, character) && others > 0) {
				others--;
				continue;
			}
			if (character != key.characters[left - 1])
				return echo_of_part(view, &key, left, is_cut);
			if (--left == 0)
				return compare_lead(view, back, &row, at, lead);
			others = key.others[left];
		}
	}
	return echo_of_part(view, &key, left, true);
}
