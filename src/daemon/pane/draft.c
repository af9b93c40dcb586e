/* SPDX-License-Identifier: ISC */
#include "daemon/pane/draft.h"

#include "daemon/pane/prompt_row.h"

enum {
	LINE_CELLS = 2048, /* maximum number of characters of the input line that are compared */
	GAP_CELLS = 2, /* minimum of blank cells before a prompt at the right margin */
};

/* The characters of the input line, without blanks, frames and dim suggestions. */
struct draft_line {
	uint32_t characters[LINE_CELLS];
	size_t count;
	size_t shown; /* number of bytes in draft.text */
};

static bool is_prompt_end(const struct prompt_row *row, size_t at)
{
	uint32_t character = row->characters[at];
	bool is_digit = at > 0 && row->characters[at - 1] >= '0' && row->characters[at - 1] <= '9';
	if (character == '%')
		return !is_digit;
	/* Signs of prompt themes: the end of a segment, a lambda, an arrow, vi's command mode. */
	return character == '$' || character == '#' || character == 0xe0b0 || character == 0x3bb ||
	    character == 0x2192 || character == 0x276e || prompt_is_end(character);
}

static bool is_free(const struct prompt_row *row, size_t at)
{
	return at >= row->count || row->characters[at] == ' ' || row->characters[at] == 0xa0;
}

static bool has_name(
    const struct prompt_row *row, size_t at, const char *name, size_t len, size_t offset)
{
	size_t cell = at, first = at;
	for (size_t left = offset; left > 0 && first > 0;) {
		if (row->characters[--first] == 0)
			continue;
		while (left > 0 && (name[--left] & 0xc0) == 0x80)
			;
	}
	cell = first;
	for (size_t used = 0; used < len;) {
		uint32_t character;
		int size = utf8_decode(name + used, len - used, &character);
		while (cell < row->count && row->characters[cell] == 0)
			cell++;
		if (size <= 0 || cell >= row->count || row->characters[cell++] != character)
			return false;
		used += (size_t)size;
	}
	/* A single character counts as a name only after a '/': it might be the prompt's sign. */
	return len > 1 || (first > 0 && row->characters[first - 1] == '/');
}

static bool is_in_cwd(const char *cwd, const struct prompt_row *row, size_t at)
{
	uint32_t sign = row->characters[at];
	for (const char *name = cwd, *end; name != NULL && *name != '\0'; name = end) {
		name += strspn(name, "/");
		end = name + strcspn(name, "/");
		for (const char *byte = name; byte < end; byte++)
			if ((uint32_t)(unsigned char)*byte == sign &&
			    has_name(row, at, name, (size_t)(end - name), (size_t)(byte - name)))
				return true;
	}
	return false;
}

static size_t bracket_end(const struct prompt_row *row, size_t at, size_t end)
{
	uint32_t open = row->characters[at], close = open == '(' ? ')' : ']';
	size_t depth = 0;
	if (open != '(' && open != '[')
		return at;
	for (size_t cell = at; cell < end && cell < row->count; cell++) {
		depth += row->characters[cell] == open;
		depth -= row->characters[cell] == close;
		if (depth == 0)
			return cell;
	}
	return at;
}

/*
 * Returns the length of the prompt, up to a last sign that is not ASCII, or else up to its first
 * sign; 0: there is none. A first sign in the directory's name or in brackets does not count.
 */
static size_t prompt_len(const char *cwd, const struct prompt_row *row, size_t end)
{
	size_t last = end;
	while (last > 0 && is_free(row, last - 1))
		last--;
	/* A last sign that is not ASCII ends the prompt: a person hardly types one. */
	if (last > 0 && last < end && row->characters[last - 1] >= 0x80 &&
	    is_prompt_end(row, last - 1))
		return last;
	for (size_t at = 0; at < end && at < row->count; at++) {
		at = bracket_end(row, at, end);
		if (is_prompt_end(row, at) && is_free(row, at + 1) && !is_in_cwd(cwd, row, at))
			return at + 1;
	}
	return 0;
}

/*
 * Returns the length of the lead (the prompt's text) in a row, ignoring blanks and frames;
 * SIZE_MAX: the row does not begin with the lead.
 */
static size_t lead_len(const struct prompt_row *row, const char *lead)
{
	size_t at = 0, len = strlen(lead);
	while (len > 0) {
		uint32_t character;
		int size = utf8_decode(lead, len, &character);
		if (size <= 0)
			return SIZE_MAX;
		lead += size;
		len -= (size_t)size;
		if (prompt_row_is_frame(character))
			continue;
		while (at < row->count && prompt_row_is_frame(row->characters[at]))
			at++;
		if (at == row->count || row->characters[at++] != character)
			return SIZE_MAX;
	}
	return at;
}

static bool may_go_on(const struct draft_facts *facts, const struct prompt_row *row)
{
	if (facts->lead == NULL && facts->is_shell)
		return row->count + 1 >= facts->view->columns; /* tmux omits a blank at the end */
	/* A blank row may be a part of the input; the edge of a frame is not. */
	return row->count == 0 || prompt_row_begin(row) < row->count;
}

/* Compares cells with a text. Cells after the row's end are blank. */
static bool begins_with(const struct prompt_row *row, size_t at, const char *text)
{
	for (; *text != '\0'; text++, at++)
		if ((at < row->count ? row->characters[at] : ' ') != (unsigned char)*text)
			return false;
	return true;
}

static size_t named_len(const struct prompt_row *row)
{
	static const char *const prompts[] = {"(gdb) ", "(lldb) ", "(Pdb) ", "(Pdb++) "};
	size_t at = strlen("In [");
	for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++)
		if (begins_with(row, 0, prompts[i]))
			return strlen(prompts[i]);
	while (at < row->count && row->characters[at] >= '0' && row->characters[at] <= '9')
		at++;
	return begins_with(row, 0, "In [") && begins_with(row, at, "]: ") ? at + 3 : 0;
}

static size_t input_begin(
    const struct draft_facts *facts, const struct prompt_row *row, size_t end, bool is_first)
{
	size_t begin;
	if (facts->lead != NULL)
		return facts->lead[0] == '\0' && !is_first ? SIZE_MAX : lead_len(row, facts->lead);
	begin = facts->is_shell ? 0 : named_len(row);
	if (begin > 0)
		return begin;
	begin = prompt_len(facts->cwd, row, end);
	/* Text in rows above may have a prompt's sign, so a prompt there must begin its row. */
	if (!is_first && !facts->is_shell && begin > 0)
		for (size_t at = 0; at + 1 < begin; at++)
			if (!prompt_row_is_frame(row->characters[at]) &&
			    !prompt_is_end(row->characters[at]))
				return SIZE_MAX;
	return begin > 0 ? begin : SIZE_MAX;
}

static void take_row(struct draft_line *line, struct draft *draft, const struct prompt_row *row,
    size_t begin, size_t end)
{
	for (size_t at = begin; at < end && at < row->count; at++) {
		uint32_t character = row->characters[at];
		bool is_text = !row->is_dim[at] && !prompt_row_is_frame(character);
		bool is_space = character == ' ' && line->shown > 0;
		if ((is_text || is_space) && line->shown + 1 < sizeof draft->text)
			draft->text[line->shown++] =
			    character >= ' ' && character < 0x7f ? (char)character : '.';
		if (is_text && line->count < LINE_CELLS)
			line->characters[line->count++] = character;
	}
}

static size_t input_end(const struct prompt_row *row, size_t cursor)
{
	size_t at = cursor, gap = 0;
	for (; at < row->count && gap < GAP_CELLS; at++)
		gap = is_free(row, at) ? gap + 1 : 0;
	return at;
}

static bool is_text(const struct draft_line *line, const char *text, size_t len, bool is_beginning)
{
	size_t found = 0;
	for (size_t at = 0; at < len;) {
		uint32_t character;
		int size = utf8_decode(text + at, len - at, &character);
		if (size <= 0)
			size = 1, character = 0xfffd;
		at += (size_t)size;
		if (prompt_row_is_frame(character))
			continue;
		if (found == line->count)
			return is_beginning;
		if (line->characters[found++] != character)
			return false;
	}
	return found == line->count;
}

static bool is_ours(const struct draft_facts *facts, const struct draft_line *line)
{
	const char *at = facts->ended, *end = at + facts->ended_len, *next;
	if (facts->is_other_form ||
	    is_text(line, facts->typed, facts->typed_len, facts->is_untouched) ||
	    is_text(line, facts->typed + facts->fresh, facts->typed_len - facts->fresh,
		facts->is_untouched))
		return true;
	for (; facts->is_untouched && at < end; at = next + 1) {
		next = memchr(at, '\n', (size_t)(end - at));
		if (next == NULL)
			return false;
		if (is_text(line, at, (size_t)(end - at), true))
			return true;
	}
	return false;
}

static bool is_same_prompt(const struct prompt_row *one, const struct prompt_row *other, size_t len)
{
	return other->count >= len &&
	    memcmp(one->characters, other->characters, len * sizeof *one->characters) == 0;
}

/* Returns true if a row begins with a prompt's sign, perhaps within a frame. */
static bool begins_with_sign(const struct prompt_row *row)
{
	size_t at = prompt_row_begin(row);
	return at < row->count && prompt_is_end(row->characters[at]);
}

static bool is_like_command(const struct prompt_row *row, size_t len)
{
	size_t at = 0;
	while (at < len &&
	    ((row->characters[at] >= 'a' && row->characters[at] <= 'z') ||
		row->characters[at] == '-'))
		at++;
	return at > 0 && at + 1 < len && row->characters[at] == ' ' &&
	    row->characters[len - 2] == ' ';
}

static bool may_come_from(const struct draft_facts *facts, const struct prompt_row *above,
    const struct prompt_row *row, size_t begin)
{
	size_t len;
	if (may_go_on(facts, above))
		return true;
	if (!facts->is_editing || begin == SIZE_MAX || !is_like_command(row, begin))
		return false;
	len = prompt_len(facts->cwd, above, above->count);
	return len > 0 && len < above->count && above->characters[0] != row->characters[0];
}

/* Finds where the input line begins. This may be above the cursor's row even if that has a sign. */
static bool find_begin(const struct draft_facts *facts, unsigned *ret_back, size_t *ret_begin)
{
	static struct prompt_row first, row;
	const struct prompt_view *view = facts->view;
	unsigned most;
	size_t begin;
	prompt_row_read(view->text, view->len, view->cursor_row, &first);
	*ret_back = 0;
	*ret_begin = input_begin(facts, &first, view->cursor_column, true);
	if (*ret_begin != SIZE_MAX &&
	    (facts->lead != NULL ||
		(!facts->is_shell && (begins_with_sign(&first) || named_len(&first) > 0))))
		return true;
	most = *ret_begin == SIZE_MAX ? PROMPT_ROWS_MAX : PROMPT_ROWS;
	for (unsigned back = 1; back <= most && back <= view->cursor_row; back++) {
		prompt_row_read(view->text, view->len, view->cursor_row - back, &row);
		if (!may_come_from(facts, &row, &first, *ret_begin))
			break;
		begin = input_begin(facts, &row, row.count, false);
		if (begin == SIZE_MAX)
			continue;
		if (*ret_begin == SIZE_MAX || !is_same_prompt(&first, &row, *ret_begin)) {
			*ret_back = back;
			*ret_begin = begin;
		}
		break;
	}
	return *ret_begin != SIZE_MAX;
}

/*
 * Returns where the text begins after the sign of a continued command ("... ") or of a search in
 * the history; 0: there is no sign.
 */
static size_t head_len(const struct prompt_row *row, bool is_shell)
{
	static const char *const heads[] = {"... ", "...> ", "(reverse-i-search)",
	    "(failed reverse-i-search)", "(i-search)", "(failed i-search)",
	    "bck-i-search:", "fwd-i-search:", "failing bck-i-search:", "failing fwd-i-search:",
	    /* From here on, signs of programs that are not shells. */
	    "...: ", "-> ", "'> ", "\"> ", "`> ", "/*> "};
	enum { OF_SHELLS = 10 };
	size_t begin = 0;
	while (begin < row->count && row->characters[begin] == ' ')
		begin++;
	for (size_t at = 0; at < (is_shell ? OF_SHELLS : sizeof heads / sizeof *heads); at++)
		if (begins_with(row, begin, heads[at]))
			return begin + strlen(heads[at]);
	return 0;
}

/* Returns true for a prompt of zsh that ends without a sign: "(arrow) DIR git:(BRANCH) ". */
static bool is_arrow_prompt(const char *cwd, const struct prompt_row *row, size_t end)
{
	static const char git[] = " git:(";
	const char *name = cwd != NULL ? strrchr(cwd, '/') : NULL;
	size_t at = 1, len = 0;
	if (end == 0 || end > row->count + 1 || row->characters[0] != 0x279c)
		return false;
	while (at < row->count && row->characters[at] == ' ')
		at++;
	if (at < row->count && row->characters[at] == '~')
		at++;
	else if (name != NULL && has_name(row, at, name + 1, strlen(name + 1), 0))
		while (at < row->count && row->characters[at] != ' ')
			at++;
	else
		return false;
	while (at + len < row->count &&
	    row->characters[at + len] == (uint32_t)(unsigned char)git[len] && git[len] != '\0')
		len++;
	if (git[len] == '\0')
		at = bracket_end(row, at + len - 1, end) + 1;
	if (at + 1 < row->count && row->characters[at + 1] == 0x2717)
		at += 2;
	return at + 1 == end && !prompt_row_has_text(row, at, row->count);
}

/*
 * Finds the input line of a shell that edits, if the cursor's row has no sign. Text in this row is
 * a draft. If the row is blank, text after the nearest prompt above is a draft.
 */
static bool find_edited(const struct draft_facts *facts, unsigned *ret_back, size_t *ret_begin)
{
	static struct prompt_row row;
	const struct prompt_view *view = facts->view;
	*ret_back = 0;
	*ret_begin = 0;
	prompt_row_read(view->text, view->len, view->cursor_row, &row);
	if (!facts->is_editing || is_arrow_prompt(facts->cwd, &row, view->cursor_column))
		return false;
	if (prompt_row_has_text(&row, 0, row.count))
		return true;
	for (unsigned back = 1; back <= PROMPT_ROWS && back <= view->cursor_row; back++) {
		prompt_row_read(view->text, view->len, view->cursor_row - back, &row);
		*ret_back = back;
		*ret_begin = prompt_len(facts->cwd, &row, row.count);
		if (*ret_begin > 0)
			return prompt_row_has_text(&row, *ret_begin, row.count);
	}
	return false;
}

/* Returns true for a continuation prompt: "> " of bash; "quote> ", "for while> " etc. of zsh. */
static bool is_second_prompt(const struct prompt_row *row, size_t len)
{
	size_t at = 0;
	while (at < len &&
	    ((row->characters[at] >= 'a' && row->characters[at] <= 'z') ||
		row->characters[at] == ' '))
		at++;
	return at + 1 == len && row->characters[at] == '>';
}

/*
 * Takes the first row of a command of several rows as the draft. Rows with the same continuation
 * prompt may be between.
 */
static bool has_first_row(
    const struct draft_facts *facts, struct draft_line *line, struct draft *draft)
{
	static struct prompt_row row, above;
	const struct prompt_view *view = facts->view;
	size_t len, begin;
	prompt_row_read(view->text, view->len, view->cursor_row, &row);
	len = prompt_len(facts->cwd, &row, view->cursor_column);
	if (len == 0 || !is_second_prompt(&row, len))
		return false;
	for (unsigned back = 1; back <= view->cursor_row; back++) {
		prompt_row_read(view->text, view->len, view->cursor_row - back, &above);
		if (is_same_prompt(&row, &above, len))
			continue;
		begin = prompt_len(facts->cwd, &above, above.count);
		line->count = line->shown = 0;
		if (begin > 0)
			take_row(line, draft, &above, begin, above.count);
		return line->count > 0;
	}
	return false;
}

void draft_read(const struct draft_facts *facts, struct draft *ret_draft)
{
	static struct prompt_row row;
	static struct draft_line line;
	const struct prompt_view *view = facts->view;
	struct draft_facts other = *facts;
	size_t begin, head = 0;
	unsigned back;
	bool is_found;
	*ret_draft = (struct draft){0};
	line.count = line.shown = 0;
	if (find_begin(facts, &back, &begin) && facts->lead != NULL) {
		ret_draft->sign = DRAFT_BY_MARK;
	} else {
		other.lead = NULL;
		is_found = find_begin(&other, &back, &begin);
		prompt_row_read(view->text, view->len, view->cursor_row, &row);
		head = head_len(&row, facts->is_shell);
		if (head > 0 && (!is_found || back == 0)) {
			back = 0;
			begin = head;
		} else if (!is_found && !find_edited(facts, &back, &begin)) {
			return;
		}
		ret_draft->sign = DRAFT_BY_PROMPT;
	}
	for (unsigned left = back + 1; left-- > 0;) {
		prompt_row_read(view->text, view->len, view->cursor_row - left, &row);
		take_row(&line, ret_draft, &row,
		    left == back ? begin : head_len(&row, facts->is_shell),
		    left == 0 ? input_end(&row, view->cursor_column) : row.count);
	}
	while (line.shown > 0 && ret_draft->text[line.shown - 1] == ' ')
		ret_draft->text[--line.shown] = '\0';
	ret_draft->is_empty = line.count == 0 && head == 0;
	ret_draft->is_there = line.count > 0 && !is_ours(facts, &line);
	if (head > 0 && back == 0) { /* no draft if Muxbus has begun the command */
		ret_draft->is_there = !facts->is_untouched || facts->ended_len == 0;
		return;
	}
	if (!ret_draft->is_there && facts->is_shell && back == 0 &&
	    has_first_row(facts, &line, ret_draft)) {
		ret_draft->is_there = !is_ours(facts, &line);
		ret_draft->is_empty = false;
	}
}

const char *draft_sign_name(enum draft_sign sign)
{
	static const char *const names[] = {"keys", "prompt", "osc133"};
	return names[sign];
}
