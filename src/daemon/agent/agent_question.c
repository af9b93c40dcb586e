/* SPDX-License-Identifier: ISC */
/* The question of an agent. */
#include "daemon/agent/agent_question.h"

#include <muxbus.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/agent/agent_monitor.h"
#include "daemon/agent/question_text.h"
#include "daemon/input/submit_guard.h"
#include "daemon/pane/pane_screen.h"
#include "wire/json.h"

enum { QUESTION_ROWS = 12, QUESTION_MAX = 4096 };

static bool is_blank(const char *text)
{
	return text[strspn(text, " ")] == '\0';
}

/* The length of a text up to its last row. */
static size_t last_row(const char *text)
{
	const char *newline = strrchr(text, '\n');
	return newline != NULL ? (size_t)(newline - text) : 0;
}

/*
 * Whether what is shown is the place of the kept question with an answer begun in it: behind its
 * row; in a place that was empty, under the same rows; or in rows that the answer has wrapped to,
 * as no newline has come since.
 */
static bool goes_on(const struct agent *agent, const struct agent_facts *facts, const char *text)
{
	const struct agent_asked *asked = &agent->asked;
	size_t above = last_row(text);
	if (agent->question == NULL)
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
 * Whether a question that is seen for the first time is none, but what a person has typed: the
 * program was reading already, and its row was shorter.
 */
static bool was_typed(const struct agent *agent, const char *row)
{
	const struct agent_asked *seen = &agent->seen;
	size_t len = strlen(seen->row);
	while (len > 0 && seen->row[len - 1] == ' ')
		len--;
	return agent->question == NULL && agent->seen_reading &&
	    seen->newlines == agent_monitor_newlines(agent->monitor) &&
	    strncmp(row, seen->row, len) == 0 && !is_blank(row + len);
}

void agent_question_look(struct agent *agent, const struct pane_screen *screen)
{
	struct agent_facts facts = {0};
	agent_facts_read_screen(&screen->view, &facts);
	memcpy(agent->seen.row, facts.row, sizeof agent->seen.row);
	agent->seen.has_right = facts.has_right;
	agent->seen.newlines = agent_monitor_newlines(agent->monitor);
	agent->seen_reading = agent_monitor_is_reading(agent->monitor);
}

static void read_place(
    const struct pane_screen *screen, struct agent_facts *ret_facts, struct buf *out)
{
	*ret_facts = (struct agent_facts){0};
	buf_init(out, QUESTION_MAX);
	agent_place_text(&screen->view, QUESTION_ROWS, out);
	agent_facts_read_screen(&screen->view, ret_facts);
}

/* The text of the question that a screen shows; where none is made out, of its place. */
static void read_text(const struct prompt_view *view, struct buf *out)
{
	buf_init(out, QUESTION_MAX);
	agent_question_text(view, out);
	if (out->len == 0)
		agent_place_text(view, QUESTION_ROWS, out);
}

static const char *as_string(const struct buf *text)
{
	return text->len > 0 ? (const char *)text->data : "";
}

/* The rows that tell it from another question with the same text. */
static void read_whole(const struct prompt_view *view, struct buf *out)
{
	buf_init(out, QUESTION_MAX);
	agent_question_whole(view, out);
}

static bool are_same(const struct question_choice *one, size_t count,
    const struct question_choice *other, size_t other_count)
{
	if (count != other_count)
		return false;
	for (size_t at = 0; at < count; at++) {
		if (one[at].number != other[at].number || strcmp(one[at].text, other[at].text) != 0)
			return false;
	}
	return true;
}

/* Keeps the text of the question, and its choices. Returns whether both are as before. */
static bool keep_text(struct agent *agent, const struct prompt_view *view)
{
	struct question_choice choices[QUESTION_CHOICES_MAX];
	size_t count = agent_question_choices(view, choices);
	struct buf text, whole;
	bool is_same;
	read_text(view, &text);
	read_whole(view, &whole);
	is_same = agent->question != NULL && strcmp(agent->question, as_string(&text)) == 0 &&
	    strcmp(agent->whole, as_string(&whole)) == 0 &&
	    are_same(choices, count, agent->choices, agent->choice_count);
	mem_free(agent->question);
	mem_free(agent->whole);
	agent->question = xstrdup(as_string(&text));
	agent->whole = xstrdup(as_string(&whole));
	mem_free(agent->choices);
	agent->choices = count > 0 ? xmemdup(choices, count * sizeof *choices) : NULL;
	agent->choice_count = count;
	buf_finish(&text);
	buf_finish(&whole);
	return is_same;
}

/* Begins with a question, or sees it again as it was. */
static void begin(struct agent *agent, const struct agent_facts *facts,
    const struct prompt_view *view, const char *text)
{
	struct agent_asked *asked = &agent->asked;
	uint64_t newlines = agent_monitor_newlines(agent->monitor);
	bool is_begun = was_typed(agent, facts->row);
	bool is_there = agent->question != NULL && strcmp(facts->row, asked->row) == 0 &&
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
	const struct agent *agent = task->agent;
	task->question = xstrdup(agent->question != NULL ? agent->question : "");
	task->whole = xstrdup(agent->whole != NULL ? agent->whole : "");
	task->choice_count = agent->choice_count;
	if (agent->choice_count > 0)
		task->choices =
		    xmemdup(agent->choices, agent->choice_count * sizeof *agent->choices);
}

/* Whether a screen shows the question that a task answers, and the same above it. */
static bool shows_text(const struct pane_screen *screen, const struct agent_task *task)
{
	struct buf text, whole;
	bool is_same;
	read_text(&screen->view, &text);
	read_whole(&screen->view, &whole);
	is_same = strcmp(as_string(&text), task->question) == 0 &&
	    strcmp(as_string(&whole), task->whole) == 0;
	buf_finish(&text);
	buf_finish(&whole);
	return is_same;
}

enum submit_choice agent_question_choice(
    const struct agent_task *task, const struct pane_screen *screen, unsigned number)
{
	struct question_choice choices[QUESTION_CHOICES_MAX];
	bool is_marked = number == 0;
	if (!shows_text(screen, task) ||
	    !are_same(choices, agent_question_choices(&screen->view, choices), task->choices,
		task->choice_count))
		return CHOICE_TAKEN;
	for (size_t at = 0; at < task->choice_count; at++)
		is_marked |= choices[at].number == number && choices[at].is_marked;
	return is_marked ? CHOICE_MARKED : CHOICE_OPEN;
}

bool agent_question_has_left(const struct agent_task *task, const struct pane_screen *screen)
{
	struct agent_facts facts;
	struct buf text;
	bool is_begun;
	read_place(screen, &facts, &text);
	is_begun = goes_on(task->agent, &facts, as_string(&text));
	buf_finish(&text);
	return !is_begun && agent_question_choice(task, screen, 0) == CHOICE_TAKEN;
}

void agent_question_id(const struct agent *agent, char ret_id[AGENT_QUESTION_ID_SIZE])
{
	(void)snprintf(ret_id, AGENT_QUESTION_ID_SIZE, "%" PRIx64 ".%" PRIu64,
	    (uint64_t)agent->asked.since_ms, agent->asked.number);
}

void agent_question_write(struct json_writer *writer, const struct agent *agent)
{
	char id[AGENT_QUESTION_ID_SIZE];
	if (agent->question == NULL)
		return;
	agent_question_id(agent, id);
	(void)json_put_text(writer, "question", agent->question, strlen(agent->question));
	json_put_str(writer, "question_id", id);
	if (agent->choice_count > 0) {
		json_array_begin(writer, "choices");
		for (size_t at = 0; at < agent->choice_count; at++) {
			const struct question_choice *choice = &agent->choices[at];
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
	uint64_t human = submit_guard_human(agent->set->parts.tmux, pane, &in_prefix);
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
