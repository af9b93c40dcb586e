/* SPDX-License-Identifier: ISC */
#include "daemon/agent/question_text.h"

#include <ctype.h>

#include "daemon/agent/classify.h"
#include "daemon/pane/prompt_row.h"

enum {
	AROUND_ROWS = 24, /* rows above and below the cursor in which a menu is searched */
	PARAGRAPHS_MAX = 4, /* paragraphs above the choices in which the asking row is searched */
	WHOLE_ROWS = 12, /* rows above the choices that are compared, to tell two menus apart */
	WRAP_ROWS = 8, /* maximum rows of one line of a question */
	WRAP_SLACK = 4, /* cells that programs leave free where they wrap a line */
};

struct question_line {
	char text[AGENT_ROW_SIZE]; /* without frame, and without blanks at its ends */
	size_t end; /* column behind the text */
	size_t limit; /* column up to which text may reach: of the frame or screen */
	bool is_rule; /* only a frame */
};

/* Returns the column where a row's text ends, without a suggestion behind the cursor. */
static size_t text_end(
    const struct prompt_view *view, unsigned number, const struct prompt_row *row)
{
	size_t end = row->count, least = number == view->cursor_row ? view->cursor_column : end;
	while (end > 0 &&
	    (prompt_row_is_frame(row->characters[end - 1]) ||
		(end > least && row->is_dim[end - 1])))
		end--;
	return end;
}

static void read_line(const struct prompt_view *view, unsigned number, struct question_line *line)
{
	static struct prompt_row row;
	size_t last;
	prompt_row_read(view->text, view->len, number, &row);
	line->end = text_end(view, number, &row);
	prompt_row_text(&row, prompt_row_begin(&row), line->end, line->text, sizeof line->text);
	for (last = row.count; last > 0 && row.characters[last - 1] == ' '; last--)
		;
	line->is_rule = line->end == 0 && last > 0;
	line->limit = last > line->end && !row.is_dim[last - 1] ? last - 1 : view->columns;
}

static const char *skip_mark(const char *text, bool *ret_is_marked)
{
	static const char *const marks[] = {"❯", "›", ">", "»", "➤", "▶", "●", "◉", "*"};
	*ret_is_marked = false;
	for (size_t at = 0; at < sizeof marks / sizeof *marks; at++) {
		size_t len = strlen(marks[at]);
		if (strncmp(text, marks[at], len) != 0)
			continue;
		*ret_is_marked = true;
		text += len;
		break;
	}
	return text + strspn(text, " ");
}

/* Returns the number of a choice such as "2. No"; 0 if the text is none. */
static unsigned choice_number(const char *text, bool *ret_is_marked)
{
	const char *digits = skip_mark(text, ret_is_marked);
	size_t count = strspn(digits, "0123456789");
	unsigned number = 0;
	if (count == 0 || count > 2 || (digits[count] != '.' && digits[count] != ')') ||
	    isdigit((unsigned char)digits[count + 1]))
		return 0;
	for (size_t at = 0; at < count; at++)
		number = 10 * number + (unsigned)(digits[at] - '0');
	return number;
}

static const char *choice_text(const char *text)
{
	bool is_marked;
	text = skip_mark(text, &is_marked);
	text += strspn(text, "0123456789") + 1;
	return text + strspn(text, " ");
}

/* Finds the last menu around the cursor: at least two choices, of which exactly one is marked. */
static bool find_menu(const struct prompt_view *view, unsigned *ret_row)
{
	static struct question_line line;
	unsigned row = view->cursor_row > AROUND_ROWS ? view->cursor_row - AROUND_ROWS : 0;
	unsigned last = 0, choices = 0, marked = 0;
	for (; row <= view->cursor_row + AROUND_ROWS; row++) {
		bool is_marked;
		unsigned number;
		read_line(view, row, &line);
		number = choice_number(line.text, &is_marked);
		if (number == 0 || (number != 1 && last != 0 && number != last + 1))
			continue;
		if (number == 1 || last == 0) {
			*ret_row = row;
			choices = marked = 0;
		}
		last = number;
		choices++;
		marked += is_marked;
	}
	return choices > 1 && marked == 1;
}

/* Returns true for a question mark at the end of a word, or for a row such as "[Y/n]". */
static bool asks(const char *text)
{
	for (const char *at = strchr(text, '?'); at != NULL; at = strchr(at + 1, '?'))
		if (at[1] == '\0' || strchr(" )\"'*", at[1]) != NULL)
			return true;
	return strstr(text, "？") != NULL || agent_row_asks(text);
}

static bool is_hint(const char *text)
{
	static const char *const hints[] = {"esc to ", "enter to ", "tab to ", "ctrl+", "ctrl-",
	    "arrow keys", "↑", "space to ", "use enter ", "press enter"};
	for (size_t at = 0; at < sizeof hints / sizeof *hints; at++)
		if (strcasestr(text, hints[at]) != NULL)
			return true;
	return false;
}

/* Returns true if the line above was wrapped to this row, by the program or the terminal. */
static bool is_wrapped(const struct question_line *above, const struct question_line *line)
{
	return above->text[0] != '\0' &&
	    above->end + 1 + strcspn(line->text, " ") + WRAP_SLACK > above->limit;
}

static unsigned line_begin(const struct prompt_view *view, unsigned row)
{
	static struct question_line line, above;
	read_line(view, row, &line);
	for (unsigned back = 0; back < WRAP_ROWS && row > 0; back++, row--) {
		read_line(view, row - 1, &above);
		if (!is_wrapped(&above, &line))
			break;
		line = above;
	}
	return row;
}

/*
 * Finds the row above `end` that asks, within PARAGRAPHS_MAX paragraphs and the same frame; if none
 * asks, the nearest row with text.
 */
static bool find_asking(const struct prompt_view *view, unsigned end, unsigned *ret_row)
{
	static struct question_line line;
	unsigned paragraphs = 0;
	bool was_text = false, has_row = false;
	for (unsigned row = end; row-- > 0 && end - row <= AROUND_ROWS;) {
		read_line(view, row, &line);
		if (line.is_rule && has_row)
			break;
		if (line.text[0] == '\0' || is_hint(line.text)) {
			was_text = false;
			continue;
		}
		paragraphs += !was_text;
		if (paragraphs > PARAGRAPHS_MAX)
			break;
		was_text = true;
		if (!has_row || asks(line.text))
			*ret_row = row;
		has_row = true;
		if (asks(line.text))
			break;
	}
	return has_row;
}

static void put_lines(const struct prompt_view *view, unsigned first, unsigned end, struct buf *out)
{
	static struct question_line line;
	for (unsigned row = first; row < end; row++) {
		read_line(view, row, &line);
		if (line.text[0] == '\0' || (end - first > 1 && is_hint(line.text)))
			continue;
		if (out->len > 0 && buf_append_byte(out, '\n') != 0)
			return;
		if (buf_append(out, line.text, strlen(line.text)) != 0)
			return;
	}
}

static bool is_place(const char *text)
{
	bool is_marked;
	const char *rest = skip_mark(text, &is_marked);
	if (agent_row_asks(text))
		return false;
	return is_marked || *rest == '\0' || (rest[1] == '\0' && ispunct((unsigned char)*rest));
}

static bool asks_for_choice(
    const struct prompt_view *view, const struct question_line *cursor, unsigned *ret_row)
{
	return (!agent_row_asks(cursor->text) || is_hint(cursor->text)) && find_menu(view, ret_row);
}

static void cut(char *text)
{
	text[utf8_valid_prefix(text, strlen(text))] = '\0';
}

void agent_question_whole(const struct prompt_view *view, struct buf *out)
{
	static struct question_line line;
	unsigned row;
	read_line(view, view->cursor_row, &line);
	if (asks_for_choice(view, &line, &row))
		put_lines(view, row > WHOLE_ROWS ? row - WHOLE_ROWS : 0, row, out);
}

size_t agent_question_choices(const struct prompt_view *view, struct question_choice *ret_choices)
{
	static struct question_line line, above;
	unsigned row;
	size_t count = 0;
	bool is_prompt;
	read_line(view, view->cursor_row, &line);
	/* With a prompt at the cursor, the answer is a line of text, even if choices are above. */
	if ((choice_number(line.text, &is_prompt) == 0 && is_prompt) ||
	    !asks_for_choice(view, &line, &row))
		return 0;
	for (; row <= view->cursor_row + AROUND_ROWS; row++, above = line) {
		struct question_choice *choice = &ret_choices[count];
		bool is_marked;
		unsigned number;
		read_line(view, row, &line);
		number = choice_number(line.text, &is_marked);
		if (number == 0 && count > 0 && is_wrapped(&above, &line)) {
			size_t len = strlen(choice[-1].text);
			(void)snprintf(
			    choice[-1].text + len, sizeof choice->text - len, " %s", line.text);
			cut(choice[-1].text);
		}
		if (number == 0 || (count > 0 && number != choice[-1].number + 1))
			continue;
		if (count == QUESTION_CHOICES_MAX)
			break;
		choice->number = number;
		choice->is_marked = is_marked;
		(void)snprintf(choice->text, sizeof choice->text, "%s", choice_text(line.text));
		cut(choice->text);
		count++;
	}
	return count;
}

/* Appends a pattern for tmux: letters and digits as they are, '*' for all else. */
static void put_pattern(const char *text, struct buf *out)
{
	char pattern[QUESTION_PATTERN_MAX + 1];
	size_t len = 0, plain = 0;
	for (; *text != '\0' && len < QUESTION_PATTERN_MAX; text++) {
		bool is_plain = isascii((unsigned char)*text) && isalnum((unsigned char)*text);
		plain += is_plain;
		if (is_plain)
			pattern[len++] = *text;
		else if (len == 0 || pattern[len - 1] != '*')
			pattern[len++] = '*';
	}
	pattern[len] = '\0';
	if (plain > 0)
		(void)buf_printf(out, "%s\n", pattern);
}

void agent_question_patterns(const struct prompt_view *view, struct buf *out)
{
	static struct question_line line;
	unsigned first = view->cursor_row, last = view->cursor_row, row;
	read_line(view, view->cursor_row, &line);
	if (asks_for_choice(view, &line, &row)) {
		first = row > WHOLE_ROWS ? row - WHOLE_ROWS : 0;
		for (last = row; row <= view->cursor_row + AROUND_ROWS; row++) {
			bool is_marked;
			read_line(view, row, &line);
			if (choice_number(line.text, &is_marked) > 0)
				last = row;
		}
		last = last - first < QUESTION_PATTERNS ? last : first + QUESTION_PATTERNS - 1;
	}
	for (row = first; row <= last; row++) {
		read_line(view, row, &line);
		if (!is_hint(line.text))
			put_pattern(line.text, out);
	}
}

void agent_question_text(const struct prompt_view *view, struct buf *out)
{
	static struct question_line line;
	unsigned first = view->cursor_row, end = view->cursor_row + 1;
	read_line(view, view->cursor_row, &line);
	if (asks_for_choice(view, &line, &end)) {
		if (find_asking(view, end, &first))
			put_lines(view, line_begin(view, first), end, out);
		return;
	}
	end = view->cursor_row + 1;
	if (is_place(line.text)) {
		if (!find_asking(view, view->cursor_row, &first))
			first = view->cursor_row;
		end = first + 1;
	}
	first = line_begin(view, first);
	/* A row that begins as "(yes/no)" or "[y/n]" continues the question of the row above. */
	if (first > 0 && (line.text[0] == '(' || strncasecmp(line.text, "[y", 2) == 0) &&
	    end == view->cursor_row + 1)
		first = line_begin(view, first - 1);
	put_lines(view, first, end, out);
}

void agent_question_clear(struct agent_question *question)
{
	mem_free(question->text);
	mem_free(question->whole);
	mem_free(question->choices);
	*question = (struct agent_question){.text = NULL};
}
