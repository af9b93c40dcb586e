/* SPDX-License-Identifier: ISC */
#include "daemon/agent/classify.h"

#include <ctype.h>

#include "daemon/core/pattern.h"
#include "daemon/pane/prompt_row.h"

enum { LEARN_MS = 400, LEARN_RAW_MS = 800, LEARN_WEAK_MS = 3000 };

static void __attribute__((format(printf, 3, 4)))
settle(struct agent_verdict *verdict, enum agent_verdict_kind kind, const char *format, ...)
{
	va_list args;
	verdict->kind = kind;
	va_start(args, format);
	(void)vsnprintf(verdict->reason, sizeof verdict->reason, format, args);
	va_end(args);
}

static void read_start(const struct prompt_view *view, struct agent_facts *facts)
{
	static struct prompt_row row;
	facts->start[0] = '\0';
	for (unsigned back = 1; back <= PROMPT_ROWS && back <= view->cursor_row; back++) {
		prompt_row_read(view->text, view->len, view->cursor_row - back, &row);
		if (row.count == 0 || row.count < view->columns)
			return;
		prompt_row_text(&row, 0, row.count, facts->start, sizeof facts->start);
	}
}

void agent_facts_read_screen(const struct prompt_view *view, struct agent_facts *facts)
{
	static struct prompt_row row;
	struct prompt prompt;
	prompt_row_read(view->text, view->len, view->cursor_row, &row);
	prompt_row_text(&row, 0, view->cursor_column, facts->row, sizeof facts->row);
	read_start(view, facts);
	facts->has_right = false;
	for (size_t at = view->cursor_column; at < row.count; at++) {
		bool is_drawn_cursor = at == view->cursor_column &&
		    (row.is_reverse[at] || (at + 1 < row.count && row.is_dim[at + 1]));
		if (!row.is_dim[at] && !is_drawn_cursor && !prompt_row_is_frame(row.characters[at]))
			facts->has_right = true;
	}
	prompt_read(view, &prompt);
	facts->is_menu = prompt.is_question;
}

static size_t trimmed_len(const char *text)
{
	size_t len = strlen(text);
	while (len > 0 && text[len - 1] == ' ')
		len--;
	return len;
}

static void write_rows(
    const struct prompt_view *view, unsigned first, unsigned end, struct buf *out)
{
	static struct prompt_row row;
	char text[4 * AGENT_ROW_SIZE];
	for (unsigned number = first; number < end; number++) {
		prompt_row_read(view->text, view->len, number, &row);
		prompt_row_text(&row, 0, row.count, text, sizeof text);
		if (number > first && buf_append_byte(out, '\n') != 0)
			return;
		if (buf_append(out, text, trimmed_len(text)) != 0)
			return;
	}
}

void agent_place_text(const struct prompt_view *view, unsigned rows, struct buf *out)
{
	static struct prompt_row row;
	char text[4 * AGENT_ROW_SIZE];
	unsigned first = view->cursor_row;
	while (first > 0 && view->cursor_row - first + 1 < rows) {
		prompt_row_read(view->text, view->len, first - 1, &row);
		prompt_row_text(&row, 0, row.count, text, sizeof text);
		if (trimmed_len(text) == 0)
			break;
		first--;
	}
	write_rows(view, first, view->cursor_row + 1, out);
}

void agent_screen_text(const struct prompt_view *view, unsigned rows, struct buf *out)
{
	unsigned count = prompt_row_count(view->text, view->len);
	write_rows(view, 0, count < rows ? count : rows, out);
	while (out->len > 0 && out->data[out->len - 1] == '\n')
		out->len--;
}

/* Prompts may have counters, so each run of digits becomes one 0. */
static void normalise(const char *text, char *out, size_t size)
{
	size_t len = 0;
	for (; *text != '\0' && len + 1 < size; text++) {
		bool is_digit = isdigit((unsigned char)*text) != 0;
		if (is_digit && len > 0 && out[len - 1] == '0')
			continue;
		out[len++] = is_digit ? '0' : *text;
	}
	out[len] = '\0';
}

void agent_facts_set_tail(struct agent_facts *facts, const void *bytes, size_t len)
{
	char text[AGENT_TAIL_SIZE];
	facts->tail[0] = '\0';
	if (len >= sizeof text || memchr(bytes, '\0', len) != NULL)
		return;
	memcpy(text, bytes, len);
	text[len] = '\0';
	normalise(text, facts->tail, sizeof facts->tail);
}

static char last_character(const char *text)
{
	size_t len = trimmed_len(text);
	return len > 0 ? text[len - 1] : '\0';
}

bool agent_row_asks(const char *row)
{
	static const char *const anywhere[] = {"[y/n", "(y/n", "[yes/no", "(yes/no", "[y/a",
	    "(y)es", "password", "passphrase", "passcode", "press any key", "press enter",
	    "press return", "hit enter", "are you sure", "--more--", "(end)", "do you want to"};
	static const char *const ends[] = {"]", "]:", "]?", ")", "):", ")?", "?", ":", "--", "..."};
	size_t len = trimmed_len(row);
	bool is_sign = false;
	for (size_t at = 0; at < sizeof anywhere / sizeof *anywhere; at++)
		is_sign |= strcasestr(row, anywhere[at]) != NULL;
	for (size_t at = 0; at < sizeof ends / sizeof *ends && is_sign; at++) {
		size_t size = strlen(ends[at]);
		if (len >= size && memcmp(row + len - size, ends[at], size) == 0)
			return true;
	}
	return strcasestr(row, "press any key") != NULL || strcasestr(row, "press enter") != NULL;
}

bool agent_row_continues(const char *row, const char *other)
{
	size_t len = strlen(other);
	return trimmed_len(other) > 0 && strncmp(row, other, len) == 0 && trimmed_len(row) > len;
}

static bool ends_as_prompt(const char *row)
{
	static const char *const ends[] = {"$", "#", "%", ">", "»", "›", "❯", "➤", "▶", ":", "?"};
	size_t len = trimmed_len(row);
	for (size_t at = 0; at < sizeof ends / sizeof *ends; at++) {
		size_t size = strlen(ends[at]);
		if (len >= size && memcmp(row + len - size, ends[at], size) == 0)
			return true;
	}
	return false;
}

static bool matches_regex(struct pattern *regex, const char *row, size_t len)
{
	struct pattern_match match;
	size_t start = 0;
	pattern_begin();
	while (start <= len && pattern_find_on(regex, row, len, start, &match) == PATTERN_MATCH) {
		if (strspn(row + match.spans[0].to, " ") == len - match.spans[0].to)
			return true;
		start = match.spans[0].from + 1;
		while (start < len && ((unsigned char)row[start] & 0xc0) == 0x80)
			start++;
	}
	return false;
}

const char *agent_prompt_part(const char *row, const struct prompt_profile *profile)
{
	size_t len = trimmed_len(profile->row);
	char part[AGENT_ROW_SIZE];
	for (const char *at = row; *at != '\0' && len > 0; at++) {
		normalise(at, part, sizeof part);
		if (trimmed_len(part) == len && memcmp(part, profile->row, len) == 0)
			return at;
	}
	return row;
}

static bool has_text(const char *text)
{
	return trimmed_len(text) > 0;
}

static bool is_regex_draft(struct pattern *regex, const char *row)
{
	size_t len = trimmed_len(row);
	for (size_t at = 1; at < len; at++)
		if (row[at] != ' ' && ((unsigned char)row[at] & 0xc0) != 0x80 &&
		    matches_regex(regex, row, at))
			return true;
	return false;
}

/*
 * Returns true if the row is the learned prompt with text behind it. A shell's prompt may contain a
 * directory, so its last character is enough.
 */
static bool is_learned_draft(const struct prompt_profile *profile, const char *row)
{
	enum { LONG_ROW_MIN = 3 };
	size_t len = trimmed_len(profile->row), full = strlen(profile->row);
	char last = last_character(profile->row);
	const char *found;
	if (len == 0)
		return false;
	if (strncmp(row, profile->row, len) == 0 && has_text(row + len))
		return true;
	found = len >= LONG_ROW_MIN && full > len ? strstr(row, profile->row) : NULL;
	if (found != NULL && has_text(found + full))
		return true;
	found = strchr(profile->row, last) == profile->row + len - 1 ? strchr(row, last) : NULL;
	return profile->is_shell && full > len && found != NULL && found[1] == ' ' &&
	    has_text(found + 1);
}

static bool is_draft(const char *text, const struct prompt_profile *profile, struct pattern *regex)
{
	char row[AGENT_ROW_SIZE];
	if (regex != NULL && is_regex_draft(regex, text))
		return true;
	normalise(text, row, sizeof row);
	return profile->is_known && is_learned_draft(profile, row);
}

enum row_match {
	ROW_OTHER,
	ROW_PROMPT,
	ROW_BEHIND, /* the prompt behind other output, or only its end */
	ROW_DRAFT, /* the prompt with text behind it */
};

static bool ends_with(const char *text, size_t len, const char *part, size_t part_len)
{
	return part_len > 0 && len > part_len && memcmp(text + len - part_len, part, part_len) == 0;
}

/*
 * Compares the cursor's row with the prompt. For a shell the same last character is enough, as its
 * prompt may contain the directory.
 */
static enum row_match match_row(
    const struct agent_facts *facts, const struct prompt_profile *profile, struct pattern *regex)
{
	char row[AGENT_ROW_SIZE];
	size_t len = trimmed_len(profile->row), row_len;
	if (regex != NULL && matches_regex(regex, facts->row, strlen(facts->row)))
		return ROW_PROMPT;
	/* The draft may have begun in a row above. */
	if (is_draft(facts->row, profile, regex) || is_draft(facts->start, profile, regex))
		return ROW_DRAFT;
	if (regex != NULL)
		return ROW_OTHER;
	normalise(facts->row, row, sizeof row);
	row_len = trimmed_len(row);
	if (row_len == len && memcmp(row, profile->row, len) == 0)
		return ROW_PROMPT;
	if (profile->is_shell && len > 0 && last_character(row) == last_character(profile->row))
		return ROW_PROMPT;
	if (ends_with(row, row_len, profile->row, len))
		return ROW_BEHIND;
	/* ">>> " may be the prompt if the learned row is "Loading...>>> ", but "> " is not. */
	if (!profile->is_sure && ends_with(profile->row, len, row, row_len) &&
	    profile->row[len - row_len - 1] != row[0])
		return ROW_BEHIND;
	return len > 0 && strncmp(row, profile->row, len) == 0 ? ROW_DRAFT : ROW_OTHER;
}

static void judge_other(
    const struct agent_facts *facts, const char *why, struct agent_verdict *verdict)
{
	bool is_secret = facts->tty.is_known && facts->tty.is_cooked && !facts->tty.has_echo;
	bool reads = facts->front.is_known && facts->front.reads == AGENT_READS_YES;
	verdict->again_ms = AGENT_REST_MS;
	if (facts->front.reads == AGENT_READS_NO) {
		settle(verdict, VERDICT_BUSY, "%s is not waiting for input", facts->front.name);
		return;
	}
	if (facts->tty.is_known && facts->tty.unread > 0) {
		settle(verdict, VERDICT_BUSY, "what was typed has not been read");
		return;
	}
	if (is_secret && trimmed_len(facts->row) > 0) {
		verdict->is_secret = true;
		settle(verdict, VERDICT_QUESTION, "it asks, and shows nothing of the answer");
	} else if (agent_row_asks(facts->row)) {
		settle(verdict, VERDICT_QUESTION, "the row at the cursor asks");
	} else if (facts->is_menu) {
		settle(verdict, VERDICT_QUESTION, "a choice is offered");
	} else if (reads && trimmed_len(facts->row) > 0) {
		settle(verdict, VERDICT_QUESTION, "%s reads the terminal, not at its prompt",
		    facts->front.name);
	} else {
		settle(verdict, VERDICT_BUSY, "%s", why);
	}
}

/* Returns true if a line editor drew the row, with carriage returns, moves or erases. */
static bool is_drawn(const char *tail)
{
	for (; *tail != '\0'; tail++) {
		if (*tail == '\r')
			return true;
		if (tail[0] != '\033' || tail[1] != '[')
			continue;
		for (tail += 2; *tail != '\0' && (*tail < '@' || *tail > '~'); tail++)
			;
		if (*tail == '\0')
			break;
		if (*tail != 'm')
			return true;
	}
	return false;
}

/* The prompt is at the cursor. The weaker the other evidence, the longer the output must rest. */
static void judge_prompt(const struct agent_facts *facts, const struct prompt_profile *profile,
    struct agent_verdict *verdict)
{
	bool is_marked = facts->mark == 'A' || facts->mark == 'B';
	bool reads = facts->front.is_known && facts->front.reads == AGENT_READS_YES;
	bool draws = is_drawn(profile->tail);
	bool is_same = facts->tail[0] != '\0' &&
	    (strcmp(profile->tail, facts->tail) == 0 ||
		strcmp(profile->other_tail, facts->tail) == 0);
	int64_t need_ms = AGENT_REST_MS;
	const char *what;
	if (is_marked) {
		what = "the shell says so (OSC 133)";
	} else if (reads) {
		what = "it reads the terminal";
	} else if (draws && is_same) {
		what = "the same bytes drew it";
	} else if (draws && facts->tail[0] != '\0' && !is_drawn(facts->tail)) {
		need_ms = AGENT_DOUBT_MS;
		what = "it was printed, not drawn, but nothing has come since";
	} else {
		need_ms = AGENT_WEAK_MS;
		what = "nothing speaks against it";
	}
	if (facts->quiet_ms < need_ms) {
		verdict->again_ms = need_ms - facts->quiet_ms;
		settle(verdict, VERDICT_BUSY, "its prompt may be only output: %s", what);
		return;
	}
	settle(verdict, VERDICT_READY, "its prompt is at the cursor, at rest: %s", what);
}

/* Returns true if signs show a prompt. Many agents do not report that Escape ended a turn. */
static bool shows_prompt(const struct agent_facts *facts, int64_t quiet_ms)
{
	return (facts->screen == SIGN_IDLE || facts->screen == SIGN_DRAFT) &&
	    facts->quiet_ms >= quiet_ms;
}

/* Judges by the facts that count more than the prompt. Returns true if the prompt must decide. */
static bool judge_surroundings(const struct agent_facts *facts,
    const struct prompt_profile *profile, struct agent_verdict *verdict)
{
	bool is_other = facts->front.is_known && profile->pid != 0 &&
	    (facts->front.pid != profile->pid || facts->front.start != profile->start);
	if (facts->is_dead) {
		settle(verdict, VERDICT_CRASHED, "its program has ended");
	} else if (is_other && !foreground_lives(profile->pid, profile->start) &&
	    (profile->is_fixed || (facts->front.is_shell && !profile->is_shell))) {
		settle(verdict, VERDICT_CRASHED, "%s has ended, and %s%s is in front",
		    profile->name, facts->front.is_shell ? "the shell " : "", facts->front.name);
	} else if (facts->is_behind) {
		settle(verdict, VERDICT_BUSY, "the shell %s is in front, and %s is stopped",
		    facts->front.name, profile->name);
	} else if (facts->is_stopped) {
		settle(verdict, VERDICT_BUSY, "%s, or a program that it runs, is stopped",
		    facts->front.name);
		verdict->again_ms = AGENT_DOUBT_MS; /* it may be continued without any output */
	} else if (facts->in_mode) {
		settle(verdict, VERDICT_UNKNOWN, "the pane is in a mode: its program is not seen");
	} else if (facts->quiet_ms < AGENT_REST_MS) {
		settle(verdict, VERDICT_BUSY, "it writes");
		verdict->again_ms = AGENT_REST_MS - facts->quiet_ms;
	} else if (facts->reports_asking && !facts->shows_work && !shows_prompt(facts, 0)) {
		settle(verdict, VERDICT_QUESTION, "it reports that it asks a person");
	} else if (facts->reports_asking && shows_prompt(facts, 0) &&
	    !shows_prompt(facts, AGENT_WEAK_MS)) {
		settle(verdict, VERDICT_BUSY, "it reports that it asks, and shows its prompt");
		verdict->again_ms = AGENT_WEAK_MS - facts->quiet_ms;
	} else if (facts->shows_question && facts->front.reads != AGENT_READS_NO) {
		settle(verdict, VERDICT_QUESTION, "its screen asks a person something");
	} else if (facts->reports_busy && facts->quiet_ms < AGENT_DOUBT_MS &&
	    !shows_prompt(facts, AGENT_AGAIN_MS)) {
		settle(verdict, VERDICT_BUSY, "it reports to be busy");
		verdict->again_ms =
		    (shows_prompt(facts, 0) ? AGENT_AGAIN_MS : AGENT_DOUBT_MS) - facts->quiet_ms;
	} else if (facts->shows_work && facts->quiet_ms < AGENT_SIGN_MS &&
	    facts->front.reads != AGENT_READS_YES) {
		settle(verdict, VERDICT_BUSY, "its screen says that it is busy");
		verdict->is_by_sign = true;
		verdict->again_ms = AGENT_SIGN_MS - facts->quiet_ms;
	} else if (facts->mark == 'C') {
		judge_other(facts, "a command runs (OSC 133)", verdict);
	} else if (is_other && foreground_lives(profile->pid, profile->start)) {
		judge_other(facts, "another program is in front", verdict);
	} else if (profile->has_tty && facts->tty.is_known &&
	    facts->tty.is_cooked != profile->is_cooked) {
		judge_other(facts, "its terminal is not set as at its prompt", verdict);
	} else if (profile->reads && facts->front.reads == AGENT_READS_NO) {
		settle(verdict, VERDICT_BUSY, "%s is not waiting for input", facts->front.name);
		verdict->again_ms = AGENT_REST_MS;
	} else {
		return true;
	}
	return false;
}

static void judge_first(
    const struct agent_facts *facts, struct pattern *regex, struct agent_verdict *verdict)
{
	bool reads = facts->front.is_known && facts->front.reads == AGENT_READS_YES;
	bool is_raw = facts->tty.is_known && !facts->tty.is_cooked;
	bool is_end = ends_as_prompt(facts->row) && !facts->has_right;
	int64_t need_ms = LEARN_WEAK_MS;
	verdict->again_ms = AGENT_REST_MS;
	if (regex != NULL && is_regex_draft(regex, facts->row)) {
		settle(verdict, VERDICT_BUSY, "something stands behind its prompt");
		return;
	}
	if (regex != NULL && !matches_regex(regex, facts->row, strlen(facts->row))) {
		judge_other(facts, "its row does not match the pattern of its prompt", verdict);
		if (verdict->kind == VERDICT_QUESTION && !verdict->is_secret &&
		    !agent_row_asks(facts->row) && !facts->is_menu)
			settle(verdict, VERDICT_BUSY, "it reads, but this is not its prompt yet");
		return;
	}
	if (regex == NULL && !reads && trimmed_len(facts->row) == 0) {
		settle(verdict, VERDICT_BUSY, "there is nothing on the cursor's row yet");
		return;
	}
	/* With signs, the row must end as a prompt: it may be the last row of a draft. */
	if (regex == NULL && facts->has_signs && !is_end) {
		settle(verdict, VERDICT_BUSY, "its screen shows no prompt yet");
		return;
	}
	if (regex != NULL || (reads && (is_raw || is_end)))
		need_ms = reads || is_raw ? AGENT_REST_MS : LEARN_MS;
	else if (reads || (is_raw && is_end))
		need_ms = LEARN_RAW_MS;
	else if (is_end && !is_raw)
		need_ms = AGENT_WEAK_MS;
	if (facts->quiet_ms < need_ms) {
		settle(verdict, VERDICT_BUSY, "its prompt is not certain yet");
		verdict->again_ms = need_ms - facts->quiet_ms;
		return;
	}
	settle(verdict, VERDICT_READY, "%s",
	    regex != NULL ? "its row matches the pattern of its prompt"
		: reads   ? "it is at rest for the first time, and reads the terminal"
			  : "it is at rest for the first time");
}

void agent_judge(const struct agent_facts *facts, const struct prompt_profile *profile,
    struct pattern *regex, struct agent_verdict *ret_verdict)
{
	*ret_verdict = (struct agent_verdict){0};
	if (!judge_surroundings(facts, profile, ret_verdict))
		return;
	if (facts->front.reads == AGENT_READS_NO && (!profile->is_known || profile->reads)) {
		settle(ret_verdict, VERDICT_BUSY, "%s is not waiting for input", facts->front.name);
		ret_verdict->again_ms = AGENT_REST_MS;
	} else if (facts->tty.is_known && facts->tty.unread > 0) {
		settle(ret_verdict, VERDICT_BUSY, "what was typed has not been read");
		ret_verdict->again_ms = AGENT_REST_MS;
	} else if (facts->has_signs && facts->screen == SIGN_NONE &&
	    facts->quiet_ms < AGENT_AGAIN_MS) {
		settle(ret_verdict, VERDICT_BUSY, "its screen shows neither a prompt nor a dialog");
		ret_verdict->again_ms = AGENT_AGAIN_MS - facts->quiet_ms;
	} else if (facts->screen == SIGN_DRAFT) {
		settle(ret_verdict, VERDICT_DRAFT, "its screen shows a draft in its prompt");
	} else if (facts->screen == SIGN_IDLE) {
		settle(ret_verdict, VERDICT_READY, "its screen shows its empty prompt");
		ret_verdict->is_by_sign = true;
	} else if (facts->is_menu) {
		settle(ret_verdict, VERDICT_QUESTION, "a choice is offered");
	} else if (!facts->has_cursor && facts->front.reads != AGENT_READS_YES) {
		settle(ret_verdict, VERDICT_BUSY, "no cursor is seen, so no prompt");
	} else if (!profile->is_known && agent_row_asks(facts->row) &&
	    (regex == NULL || !is_regex_draft(regex, facts->row))) {
		judge_other(facts, "", ret_verdict);
	} else if (!profile->is_known) {
		judge_first(facts, regex, ret_verdict);
	} else if (facts->mark == 'D') {
		settle(ret_verdict, VERDICT_BUSY, "its prompt follows (OSC 133)");
		ret_verdict->again_ms = AGENT_REST_MS;
	} else {
		enum row_match match = match_row(facts, profile, regex);
		/* A prompt behind output counts only if the program reads as at earlier prompts. */
		if (match == ROW_BEHIND)
			match = profile->reads && facts->front.reads == AGENT_READS_YES ? ROW_PROMPT
											: ROW_OTHER;
		switch (match) {
		case ROW_BEHIND:
		case ROW_OTHER:
			judge_other(facts, "this is not its prompt", ret_verdict);
			break;
		case ROW_DRAFT:
			settle(ret_verdict, VERDICT_BUSY, "something stands behind its prompt");
			break;
		case ROW_PROMPT:
			if (facts->has_right && !profile->has_right)
				settle(ret_verdict, VERDICT_BUSY,
				    "something stands behind the cursor");
			else
				judge_prompt(facts, profile, ret_verdict);
			break;
		}
	}
}

void agent_learn(const struct agent_facts *facts, struct prompt_profile *profile)
{
	bool is_first = !profile->is_known;
	profile->is_known = true;
	profile->reads |= facts->front.is_known && facts->front.reads == AGENT_READS_YES;
	if (facts->front.is_known) {
		profile->pid = facts->front.pid;
		profile->start = facts->front.start;
		snprintf(profile->name, sizeof profile->name, "%s", facts->front.name);
		profile->is_shell = facts->front.is_shell;
	}
	if (!is_first) {
		char row[AGENT_ROW_SIZE];
		normalise(facts->row, row, sizeof row);
		if (!profile->is_sure && trimmed_len(row) > 0 &&
		    trimmed_len(row) < trimmed_len(profile->row))
			snprintf(profile->row, sizeof profile->row, "%s", row);
		profile->is_sure = true;
		if (facts->tail[0] != '\0' && strcmp(profile->tail, facts->tail) != 0)
			snprintf(
			    profile->other_tail, sizeof profile->other_tail, "%s", facts->tail);
		return;
	}
	profile->has_tty = facts->tty.is_known;
	profile->is_cooked = facts->tty.is_cooked;
	profile->has_right = facts->has_right;
	normalise(facts->row, profile->row, sizeof profile->row);
	snprintf(profile->tail, sizeof profile->tail, "%s", facts->tail);
}
