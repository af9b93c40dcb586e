/* SPDX-License-Identifier: ISC */
#include "daemon/input/submit_line.h"

#include "daemon/pane/pane_screen.h"
#include "daemon/pane/pane_tty.h"

enum {
	LOOK_STEP_MS = 40, /* time between looks if there is no output, at first */
	AGREE_STEP_MS = 20, /* time to the next look after one that saw the text come or go */
	AGREE_LOOKS = 2, /* number of looks in a row that must agree */
	/* time without output after which an altered text or a paste counts as taken */
	SETTLED_MS = 300,
	ECHO_MAX_MS = 6000,
	SUBMIT_MAX_MS = 6000,
	/* replaces both times above while the program does not read its input */
	UNREAD_MAX_MS = 30000,
	REDRAWN_MS = 1500, /* time in which an agent that shows no prompt may be redrawing it */
	/* time in which a person cannot come, type something in another pane and leave */
	SOLE_MS = 2000,
};

/* Times after the first Enter, in ms, at which Enter is pressed again if it had no effect. */
static const int64_t enter_again_ms[] = {650, 1650, 3650};

enum { ENTERS_MAX = 1 + sizeof enter_again_ms / sizeof *enter_again_ms };

void submit_line_init(struct submit_line *line)
{
	*line = (struct submit_line){0};
	buf_init(&line->text.bytes, SUBMIT_TEXT_MAX);
}

void submit_line_wipe(struct submit_line *line)
{
	if (line->text.bytes.data != NULL)
		explicit_bzero(line->text.bytes.data, line->text.bytes.len);
	line->text.bytes.len = 0;
}

void submit_line_finish(struct submit_line *line)
{
	submit_line_wipe(line);
	buf_finish(&line->text.bytes);
}

void submit_line_reset(struct submit_line *line)
{
	submit_line_finish(line);
	submit_line_init(line);
}

void submit_line_begin(
    struct submit_line *line, const struct pane_screen *screen, const struct pane_tty *tty)
{
	const struct buf *bytes = &line->text.bytes;
	memcpy(line->lead, screen->prompt.lead, sizeof line->lead);
	/* Of several lines the last is searched, and only the first follows the prompt. */
	line->has_lead = bytes->len == 0 || memchr(bytes->data, '\n', bytes->len) == NULL;
	line->lead_column = screen->view.cursor_column;
	line->was_cooked = tty->is_known && tty->is_cooked;
	line->is_sole = true;
	line->typed_ms = line->changed_ms = line->noted_ms = clock_mono_ms();
	line->typed_offset = line->seen_offset = line->before_enter = screen->offset;
}

void submit_line_resume(struct submit_line *line, const struct pane_tty *tty)
{
	line->was_cooked = tty->is_known && tty->is_cooked;
	line->typed_ms = clock_mono_ms();
	line->is_echo_seen = line->is_exact = true;
	line->has_lead = false; /* where the text begins is not known now */
}

/* Looks for the last line of the text, right before the cursor. */
static enum prompt_echo find(
    const struct submit_line *line, const struct pane_screen *screen, const char *lead)
{
	const char *text = (const char *)line->text.bytes.data;
	size_t len = line->text.bytes.len;
	const char *newline = len > 0 ? memrchr(text, '\n', len) : NULL;
	const char *begin = newline != NULL ? newline + 1 : text;
	enum prompt_echo echo =
	    prompt_find_line(&screen->view, begin, len - (size_t)(begin - text), lead);
	return echo == ECHO_TAIL && newline != NULL ? ECHO_ALTERED : echo;
}

/* Looks for the text at its prompt. is_sole: the end of the text suffices. */
static enum prompt_echo find_typed(
    const struct submit_line *line, const struct pane_screen *screen, bool is_sole)
{
	enum prompt_echo echo = find(line, screen, line->has_lead ? line->lead : NULL);
	return echo != ECHO_TAIL ? echo : is_sole ? ECHO_EXACT : ECHO_ALTERED;
}

void submit_line_note(struct submit_line *line, uint64_t activity, bool has_person)
{
	line->is_sole = (activity != 0 && activity == line->activity) ||
	    (line->is_sole && !has_person && clock_mono_ms() - line->noted_ms < SOLE_MS);
	if (line->is_sole)
		line->activity = activity;
	line->noted_ms = has_person ? 0 : clock_mono_ms();
}

bool submit_line_note_is_due(const struct submit_line *line)
{
	return clock_mono_ms() - line->noted_ms > SOLE_MS / 2;
}

bool submit_line_stands(const struct submit_line *line, const struct pane_screen *screen)
{
	return line->text.bytes.len > 0 && find_typed(line, screen, line->is_sole) == ECHO_EXACT;
}

bool submit_line_may_stand(const struct submit_line *line, const struct pane_screen *screen)
{
	return line->text.bytes.len > 0 && find_typed(line, screen, true) == ECHO_EXACT;
}

static bool is_unread(const struct pane_tty *tty)
{
	return tty->is_known && tty->unread > 0;
}

/* Returns true if a text that is not shown as it was typed counts as taken by the program. */
static bool is_other_form(const struct submit_line *line, const struct pane_screen *screen,
    const struct pane_tty *tty, enum prompt_echo echo)
{
	bool is_drawn = screen->offset > line->typed_offset;
	bool is_settled = clock_mono_ms() - line->changed_ms > SETTLED_MS;
	/* If the kernel echoes, other text in front of ours in the row is the program's output. */
	bool is_echoed = tty->is_known && tty->is_cooked && tty->has_echo;

	if (line->text.is_unseen)
		return true;
	if (is_drawn && is_echoed &&
	    (echo == ECHO_ALTERED || (echo == ECHO_BEHIND && line->lead[0] == '\0')))
		return true;
	return is_drawn && is_settled && echo != ECHO_BEHIND &&
	    (echo == ECHO_ALTERED || line->text.is_paste);
}

bool submit_line_is_shown(struct submit_line *line, const struct pane_screen *screen,
    const struct pane_tty *tty, bool is_lenient)
{
	enum prompt_echo echo = find_typed(line, screen, line->is_sole);
	/* The prompt may have changed while the text was typed at it. */
	if (is_lenient && line->has_lead && echo != ECHO_EXACT &&
	    (echo != ECHO_BEHIND || line->lead[0] == '\0')) {
		line->has_lead = find(line, screen, NULL) != ECHO_EXACT;
		echo = line->has_lead ? echo : ECHO_EXACT;
	}
	if (screen->offset != line->seen_offset)
		line->changed_ms = clock_mono_ms();
	line->seen_offset = screen->offset;
	line->is_altered = echo == ECHO_ALTERED || echo == ECHO_BEHIND;
	line->is_exact = echo == ECHO_EXACT;
	if (echo != ECHO_EXACT &&
	    (!is_lenient || (is_unread(tty) && !tty->is_cooked) ||
		!is_other_form(line, screen, tty, echo)))
		return false;
	line->is_echo_seen = !line->text.is_unseen;
	line->before_enter = screen->offset;
	return true;
}

const char *submit_line_echo_late(const struct submit_line *line, const struct pane_tty *tty)
{
	bool is_deaf = is_unread(tty) && !tty->is_cooked;
	if (clock_mono_ms() - line->typed_ms < (is_deaf ? UNREAD_MAX_MS : ECHO_MAX_MS))
		return NULL;
	if (is_deaf)
		return "its program does not read it";
	return line->is_altered ? "something else stands on the prompt line too"
				: "it was not seen on the prompt line";
}

int64_t submit_line_rest_ms(const struct submit_line *line, const struct pane_tty *tty)
{
	return line->is_exact && tty->is_known && tty->has_signals ? 0 : SUBMIT_ENTER_AFTER_MS;
}

void submit_line_press(struct submit_line *line, const struct pane_screen *screen)
{
	line->entered_row = screen->cursor_row;
	line->entered_column = screen->cursor_column;
	if (line->enters == 0)
		line->before_enter = screen->offset;
}

void submit_line_pressed(struct submit_line *line)
{
	line->enters++;
	line->pressed_ms = clock_mono_ms();
	line->agreed = 0;
	line->rested = 0;
	if (line->entered_ms == 0)
		line->entered_ms = clock_mono_ms();
}

static bool is_gone(const struct submit_line *line, const struct pane_screen *screen,
    const struct pane_tty *tty, enum submit_sight sight)
{
	bool has_moved = screen->cursor_row != line->entered_row ||
	    screen->cursor_column != line->entered_column || screen->offset > line->before_enter;
	if (is_unread(tty))
		return false;
	if (line->text.bytes.len == 0 || line->text.is_unseen)
		return has_moved;
	/* The kernel edits lines, or a line editor has ended: Enter ended the line. */
	if (line->was_cooked || (tty->is_known && tty->is_cooked))
		return has_moved;
	/* While an agent redraws its whole screen, the text is missing for a moment only. */
	if (sight == SIGHT_FREE)
		return has_moved;
	if (sight == SIGHT_NOT_FREE && clock_mono_ms() - line->pressed_ms < REDRAWN_MS)
		return false;
	if (line->has_lead && line->lead[0] != '\0' &&
	    screen->view.cursor_column == line->lead_column &&
	    strcmp(screen->prompt.lead, line->lead) == 0)
		return true;
	return has_moved && (!line->is_exact || find_typed(line, screen, true) != ECHO_EXACT);
}

bool submit_line_is_taken(struct submit_line *line, const struct pane_screen *screen,
    const struct pane_tty *tty, enum submit_sight sight)
{
	line->agreed = is_gone(line, screen, tty, sight) ? line->agreed + 1 : 0;
	return line->agreed >= AGREE_LOOKS;
}

bool submit_line_needs_enter(
    const struct submit_line *line, const struct pane_screen *screen, const struct pane_tty *tty)
{
	bool is_cooked = line->was_cooked || (tty->is_known && tty->is_cooked);
	return line->agreed == 0 && !is_unread(tty) && !is_cooked && line->enters < ENTERS_MAX &&
	    clock_mono_ms() - line->entered_ms >= enter_again_ms[line->enters - 1] &&
	    submit_line_stands(line, screen);
}

bool submit_line_is_left(
    struct submit_line *line, const struct pane_screen *screen, bool is_computing)
{
	if (screen->offset != line->seen_offset)
		line->rested = 0;
	line->seen_offset = screen->offset;
	line->rested = is_computing ? 0 : line->rested + 1;
	return line->rested >= AGREE_LOOKS;
}

const char *submit_line_taken_late(const struct submit_line *line, const struct pane_tty *tty)
{
	int64_t since_ms = clock_mono_ms() - line->entered_ms;
	if (line->agreed > 0 || since_ms <= (is_unread(tty) ? UNREAD_MAX_MS : SUBMIT_MAX_MS))
		return NULL;
	return is_unread(tty) ? "its program does not read it" : "Enter did not submit it";
}

bool submit_line_is_late(const struct submit_line *line)
{
	return clock_mono_ms() - line->typed_ms > UNREAD_MAX_MS + SUBMIT_MAX_MS;
}

size_t submit_line_characters(const struct submit_line *line)
{
	const struct buf *bytes = &line->text.bytes;
	size_t count = 0;
	bool may_be_folded =
	    line->text.is_paste && !line->is_exact && bytes->len > SUBMIT_PASTE_SHOWN_MAX;
	if (line->enters > 0 || line->was_cooked || may_be_folded || line->text.is_unseen ||
	    line->text.is_choice || !(line->is_exact || line->is_altered))
		return 0;
	for (size_t at = 0; at < bytes->len; count++) {
		uint32_t character;
		int size = utf8_decode((const char *)bytes->data + at, bytes->len - at, &character);
		/* Line editors may count control, wide and combining characters differently. */
		if (size <= 0 || character < ' ' || (character >= 0x7f && character < 0xa1) ||
		    character == 0xad || character >= 0x300)
			return 0;
		at += (size_t)size;
	}
	return count;
}

void submit_line_retract(struct submit_line *line)
{
	line->pressed_ms = clock_mono_ms();
	line->agreed = 0;
}

bool submit_line_is_retracted(
    struct submit_line *line, const struct pane_screen *screen, const struct pane_tty *tty)
{
	bool is_gone = !is_unread(tty) && find(line, screen, NULL) == ECHO_NONE;
	line->agreed = is_gone ? line->agreed + 1 : 0;
	return line->agreed >= AGREE_LOOKS;
}

bool submit_line_retract_is_late(const struct submit_line *line)
{
	return clock_mono_ms() - line->pressed_ms > ECHO_MAX_MS;
}

bool submit_line_choice_is_late(const struct submit_line *line)
{
	return clock_mono_ms() - line->typed_ms > ECHO_MAX_MS + SUBMIT_MAX_MS;
}

int64_t submit_line_look_ms(const struct submit_line *line)
{
	int64_t since_ms =
	    clock_mono_ms() - (line->entered_ms != 0 ? line->entered_ms : line->typed_ms);
	return line->agreed > 0 ? AGREE_STEP_MS : LOOK_STEP_MS * (1 + since_ms / 500);
}
