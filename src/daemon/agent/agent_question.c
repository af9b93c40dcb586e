/* SPDX-License-Identifier: ISC */
/* The question of an agent. */
#include "daemon/agent/agent_question.h"

#include <muxbus.h>

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/agent/agent_monitor.h"
#include "daemon/agent/question_text.h"
#include "daemon/input/submit_guard.h"
#include "daemon/pane/pane_screen.h"

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

/* Begins with a question, or sees it again as it was. */
static void begin(struct agent *agent, const struct agent_facts *facts, const char *text)
{
	struct agent_asked *asked = &agent->asked;
	uint64_t newlines = agent_monitor_newlines(agent->monitor);
	bool is_same = agent->question != NULL && strcmp(facts->row, asked->row) == 0 &&
	    (newlines == asked->newlines || strcmp(text, agent->place) == 0);
	asked->is_begun = was_typed(agent, facts->row);
	memcpy(asked->row, asked->is_begun ? agent->seen.row : facts->row, sizeof asked->row);
	asked->has_right = facts->has_right;
	asked->newlines = newlines;
	if (!is_same) {
		asked->number++;
		asked->since_ms = clock_real_ms();
	}
	mem_free(agent->place);
	agent->place = xstrdup(text);
}

/* Keeps the text of the question; where none is made out, of the place. */
static void keep_text(struct agent *agent, const struct prompt_view *view)
{
	struct buf text;
	buf_init(&text, QUESTION_MAX);
	agent_question_text(view, &text);
	mem_free(agent->question);
	agent->question = xstrdup(text.len > 0 ? (const char *)text.data : agent->place);
	buf_finish(&text);
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
	place = text.len > 0 ? (const char *)text.data : "";
	agent->asked.is_begun = goes_on(agent, &facts, place);
	if (!agent->asked.is_begun) {
		begin(agent, &facts, place);
		keep_text(agent, &screen->view);
	}
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
	is_begun = goes_on(agent, &facts, text.len > 0 ? (const char *)text.data : "");
	buf_finish(&text);
	snprintf(ret_reason, AGENT_REASON_SIZE, "an answer has been begun");
	if (is_begun || !agent->is_secret || (int64_t)human <= agent->asked.since_ms / 1000)
		return is_begun;
	snprintf(ret_reason, AGENT_REASON_SIZE,
	    "a person has pressed keys since it asked, and it does not show them");
	return true;
}
