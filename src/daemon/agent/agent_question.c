/* SPDX-License-Identifier: ISC */
#include "daemon/agent/agent_question.h"

#include <muxbus.h>

#include "daemon/agent/agent_monitor.h"
#include "daemon/input/submit_guard.h"
#include "daemon/pane/pane_screen.h"

enum { QUESTION_ROWS = 12, QUESTION_MAX = 4096 };

static bool is_blank(const char *text)
{
	return text[strspn(text, " ")] == '\0';
}

static size_t last_row(const char *text)
{
	const char *newline = strrchr(text, '\n');
	return newline != NULL ? (size_t)(newline - text) : 0;
}

/*
 * Returns true if the place of the question shows the beginning of an answer: in the question's
 * row, in a row that was blank, or wrapped to further rows.
 */
static bool goes_on(const struct agent *agent, const struct agent_facts *facts, const char *text)
{
	const struct agent_asked *asked = &agent->asked;
	size_t above = last_row(text);
	if (agent->question.text == NULL)
		return false;
	if (strcmp(facts->row, asked->row) == 0)
		return facts->has_right && !asked->has_right;
	if (agent_row_continues(facts->row, asked->row))
		return true;
	if (is_blank(asked->row) && !is_blank(facts->row) && above == last_row(agent->place) &&
	    strncmp(text, agent->place, above) == 0)
		return true;
	return agent_monitor_newlines(agent->monitor) == asked->newlines &&
	    agent_row_continues(text, agent->place);
}

/*
 * Returns true if the new text in the row counts as typed, not as printed by the program: at the
 * last look the program waited for input, and the row had only the first part of this text.
 */
static bool was_typed(const struct agent *agent, const char *row)
{
	const struct agent_asked *seen = &agent->seen;
	size_t len = strlen(seen->row);
	while (len > 0 && seen->row[len - 1] == ' ')
		len--;
	return agent->question.text == NULL && agent->seen_reading &&
	    seen->newlines == agent_monitor_newlines(agent->monitor) &&
	    strncmp(row, seen->row, len) == 0 && !is_blank(row + len);
}

static void see(struct agent *agent, const struct agent_facts *facts)
{
	memcpy(agent->seen.row, facts->row, sizeof agent->seen.row);
	agent->seen.has_right = facts->has_right;
	agent->seen.newlines = agent_monitor_newlines(agent->monitor);
	agent->seen_reading = agent_monitor_is_reading(agent->monitor);
}

void agent_question_look(struct agent *agent, const struct pane_screen *screen)
{
	struct agent_facts facts = {0};
	agent_facts_read_screen(&screen->view, &facts);
	if (agent->seen_asking && was_typed(agent, facts.row))
		return; /* this text is an answer that a person types */
	see(agent, &facts);
	agent->seen_asking = false;
}

void agent_question_expect(struct agent *agent, const struct agent_facts *facts)
{
	/* A dialog may be drawn in pieces, so one look is not enough. */
	if (facts->is_menu || facts->shows_question || was_typed(agent, facts->row))
		return;
	see(agent, facts);
	agent->seen_asking = true;
}

static void read_place(
    const struct pane_screen *screen, struct agent_facts *ret_facts, struct buf *out)
{
	*ret_facts = (struct agent_facts){0};
	buf_init(out, QUESTION_MAX);
	agent_place_text(&screen->view, QUESTION_ROWS, out);
	agent_facts_read_screen(&screen->view, ret_facts);
}

static const char *as_string(const struct buf *text)
{
	return text->len > 0 ? (const char *)text->data : "";
}

static struct question_choice *copy_choices(const struct question_choice *choices, size_t count)
{
	return count > 0 ? xmemdup(choices, count * sizeof *choices) : NULL;
}

static struct agent_question read_question(const struct prompt_view *view)
{
	struct question_choice choices[QUESTION_CHOICES_MAX];
	size_t count = agent_question_choices(view, choices);
	struct agent_question shown = {
	    .choices = copy_choices(choices, count), .choice_count = count};
	struct buf text = BUF(QUESTION_MAX), whole = BUF(QUESTION_MAX);
	agent_question_text(view, &text);
	if (text.len == 0)
		agent_place_text(view, QUESTION_ROWS, &text);
	agent_question_whole(view, &whole);
	shown.text = xstrdup(as_string(&text));
	shown.whole = xstrdup(as_string(&whole));
	buf_finish(&text);
	buf_finish(&whole);
	return shown;
}

static bool is_same(const struct agent_question *one, const struct agent_question *other)
{
	if (strcmp(one->text, other->text) != 0 || strcmp(one->whole, other->whole) != 0 ||
	    one->choice_count != other->choice_count)
		return false;
	for (size_t at = 0; at < one->choice_count; at++)
		if (one->choices[at].number != other->choices[at].number ||
		    strcmp(one->choices[at].text, other->choices[at].text) != 0)
			return false;
	return true;
}

static bool keep_text(struct agent *agent, const struct prompt_view *view)
{
	struct agent_question shown = read_question(view);
	bool is_kept = agent->question.text != NULL && is_same(&shown, &agent->question);
	agent_question_clear(&agent->question);
	agent->question = shown;
	return is_kept;
}

/* Stores the question and its place. If either is another than before, gives it a new id. */
static void begin(struct agent *agent, const struct agent_facts *facts,
    const struct prompt_view *view, const char *text)
{
	struct agent_asked *asked = &agent->asked;
	uint64_t newlines = agent_monitor_newlines(agent->monitor);
	bool is_begun = was_typed(agent, facts->row);
	bool is_there = agent->question.text != NULL && strcmp(facts->row, asked->row) == 0 &&
	    (newlines == asked->newlines || strcmp(text, agent->place) == 0);
	asked->is_begun = is_begun;
	memcpy(asked->row, is_begun ? agent->seen.row : facts->row, sizeof asked->row);
	asked->has_right = facts->has_right;
	asked->newlines = newlines;
	if (!keep_text(agent, view) || !is_there)
		agent_question_renew(agent);
	mem_free(agent->place);
	agent->place = xstrdup(text);
}

void agent_question_renew(struct agent *agent)
{
	agent->asked.number++;
	agent->asked.since_ms = clock_real_ms();
}

void agent_question_copy(struct agent_task *task)
{
	const struct agent_question *asked = &task->agent->question;
	task->question =
	    (struct agent_question){.text = xstrdup(asked->text != NULL ? asked->text : ""),
		.whole = xstrdup(asked->whole != NULL ? asked->whole : ""),
		.choices = copy_choices(asked->choices, asked->choice_count),
		.choice_count = asked->choice_count};
}

static bool shows_work(const struct agent *agent, const struct pane_screen *screen)
{
	const struct daemon *parts = agent->set->parts;
	const struct presence *presence = presence_of_pane(parts->presences, &agent->pane);
	return presence != NULL &&
	    screen_verdict(parts->signs, presence->agent, &screen->view) == SIGN_WORK;
}

enum submit_choice agent_question_choice(
    const struct agent_task *task, const struct pane_screen *screen, unsigned number)
{
	struct agent_question shown = read_question(&screen->view);
	bool is_marked = number == 0, is_there = is_same(&shown, &task->question);
	char digit[] = {(char)('0' + number % 10)};
	for (size_t at = 0; at < shown.choice_count; at++)
		is_marked |= shown.choices[at].number == number && shown.choices[at].is_marked;
	agent_question_clear(&shown);
	if (is_there)
		return is_marked ? CHOICE_MARKED : CHOICE_OPEN;
	/* The number was typed after the menu: into another menu, or an empty prompt. */
	if (number > 0 &&
	    ((number > 1 && is_marked) ||
		prompt_find_line(&screen->view, digit, sizeof digit, NULL) == ECHO_EXACT))
		return CHOICE_ASTRAY;
	return shows_work(task->agent, screen) ? CHOICE_WORKS : CHOICE_TAKEN;
}

bool agent_question_has_left(const struct agent_task *task, const struct pane_screen *screen)
{
	struct agent_facts facts;
	struct buf text;
	bool is_begun;
	read_place(screen, &facts, &text);
	is_begun = goes_on(task->agent, &facts, as_string(&text));
	buf_finish(&text);
	return !is_begun && agent_question_choice(task, screen, 0) >= CHOICE_TAKEN;
}

void agent_question_id(const struct agent *agent, char ret_id[AGENT_QUESTION_ID_SIZE])
{
	(void)snprintf(ret_id, AGENT_QUESTION_ID_SIZE, "%" PRIx64 ".%" PRIu64,
	    (uint64_t)agent->asked.since_ms, agent->asked.number);
}

void agent_question_write(struct json_writer *writer, const struct agent *agent)
{
	char id[AGENT_QUESTION_ID_SIZE];
	if (agent->question.text == NULL)
		return;
	agent_question_id(agent, id);
	(void)json_put_text(writer, "question", agent->question.text, strlen(agent->question.text));
	json_put_str(writer, "question_id", id);
	if (agent->question.choice_count > 0) {
		json_array_begin(writer, "choices");
		for (size_t at = 0; at < agent->question.choice_count; at++) {
			const struct question_choice *choice = &agent->question.choices[at];
			json_object_begin(writer, NULL);
			json_put_int(writer, "choice", choice->number);
			(void)json_put_text(writer, "text", choice->text, strlen(choice->text));
			json_object_end(writer);
		}
		json_array_end(writer);
	}
	json_put_bool(writer, "secret", agent->is_secret);
}

void agent_question_keep(
    struct agent *agent, const struct agent_verdict *verdict, const struct pane_screen *screen)
{
	struct agent_facts facts;
	struct buf text;
	const char *place;
	if (screen == NULL) {
		agent->is_secret = verdict->is_secret;
		return;
	}
	read_place(screen, &facts, &text);
	place = as_string(&text);
	agent->asked.is_begun = goes_on(agent, &facts, place);
	if (!agent->asked.is_begun)
		begin(agent, &facts, &screen->view, place);
	agent->is_secret = verdict->is_secret;
	buf_finish(&text);
}

bool agent_question_is_begun(const struct agent *agent, const struct muxbus_pane *pane,
    const struct pane_screen *screen, char *ret_reason)
{
	struct agent_facts facts;
	struct buf text;
	bool is_begun, in_prefix;
	uint64_t human = submit_guard_human(agent->set->parts->tmux, pane, &in_prefix);
	read_place(screen, &facts, &text);
	is_begun = goes_on(agent, &facts, as_string(&text));
	buf_finish(&text);
	snprintf(ret_reason, AGENT_REASON_SIZE, "an answer has been begun");
	if (is_begun || !agent->is_secret || (int64_t)human <= agent->asked.since_ms / 1000)
		return is_begun;
	snprintf(ret_reason, AGENT_REASON_SIZE,
	    "a person has pressed keys since it asked, and it does not show them");
	return true;
}
