/* SPDX-License-Identifier: ISC */
/*
 * Any bytes as the screen of a pane, and as the output behind it: prompts, questions, replies and
 * the text for the terminal of a person. All that is read is text without control characters, and
 * a screen gives the same in memory of exactly its size.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "cli/screen_text.h"
#include "daemon/agent/agent_report.h"
#include "daemon/agent/classify.h"
#include "daemon/agent/question_text.h"
#include "daemon/pane/prompt.h"
#include "daemon/pane/prompt_sight.h"
#include "daemon/pane/screen_sign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 4, OUT_MAX = 1024 * 1024 };

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Text without control characters of C0 and C1, but for newlines and tabs where blocks are meant. */
static void must_be_text(const void *bytes, size_t len, bool is_block)
{
	const uint8_t *text = bytes;
	must(len == 0 || utf8_is_valid(bytes, len));
	for (size_t at = 0; at < len; at++) {
		bool is_gap = is_block && (text[at] == '\n' || text[at] == '\t');
		must(is_gap || (text[at] >= 0x20 && text[at] != 0x7f));
		must(text[at] != 0xc2 || text[at + 1] >= 0xa0);
	}
}

static void check_prompt(const struct prompt_view *view)
{
	static const enum agent_reads reads[] = {
	    AGENT_READS_UNKNOWN, AGENT_READS_YES, AGENT_READS_NO};
	struct prompt prompt;
	struct prompt_facts facts = {.prompt = &prompt, .has_cursor = true};
	struct buf around;
	prompt_read(view, &prompt);
	must(strlen(prompt.line) < sizeof prompt.line && strlen(prompt.lead) < sizeof prompt.lead);
	must_be_text(prompt.line, strlen(prompt.line), false);
	must_be_text(prompt.lead, strlen(prompt.lead), false);
	(void)prompt_find_line(view, "make check", 10, prompt.lead);
	(void)prompt_find_line(view, prompt.line, strlen(prompt.line), NULL);
	for (size_t at = 0; at < sizeof reads / sizeof *reads; at++) {
		facts.reads = reads[at];
		facts.quiet_ms = (int64_t)at * 100000;
		(void)prompt_refusal(&facts);
	}
	buf_init(&around, OUT_MAX);
	prompt_write_around(view, &around);
	must_be_text(around.data, around.len, true);
	buf_finish(&around);
}

static void check_signs(const struct buf *text)
{
	static const char *const agents[] = {
	    NULL, "claude", "codex", "copilot", "gemini", "opencode", "none"};
	static struct screen_sign_set *signs;
	if (signs == NULL)
		signs = screen_sign_set_new(NULL);
	for (size_t at = 0; at < sizeof agents / sizeof *agents; at++)
		for (int kind = 0; kind < SIGN_KIND_COUNT_; kind++)
			(void)screen_sign_shows(signs, agents[at], (enum screen_sign_kind)kind,
			    text->data ? (const char *)text->data : "", text->len);
}

/* The profile learned at a prompt is one that the next look can be judged by. */
static void check_agent(const struct prompt_view *view)
{
	struct agent_facts facts = {.has_cursor = true, .quiet_ms = AGENT_REST_MS};
	struct prompt_profile profile = {0};
	struct agent_verdict verdict;
	const char *part;
	struct buf text;
	agent_facts_read_screen(view, &facts);
	agent_facts_set_tail(&facts, view->text, view->len);
	must_be_text(facts.row, strlen(facts.row), false);
	for (int look = 0; look < 3; look++) {
		agent_judge(&facts, &profile, NULL, &verdict);
		must_be_text(verdict.reason, strlen(verdict.reason), false);
		agent_learn(&facts, &profile);
	}
	part = agent_prompt_part(facts.row, &profile);
	must(part >= facts.row && part <= facts.row + strlen(facts.row));
	(void)agent_row_asks(facts.row);
	(void)agent_row_continues(facts.row, part);
	buf_init(&text, OUT_MAX);
	agent_place_text(view, 24, &text);
	must_be_text(text.data, text.len, true);
	check_signs(&text);
	buf_clear(&text);
	agent_screen_text(view, 24, &text);
	must_be_text(text.data, text.len, true);
	buf_clear(&text);
	agent_question_text(view, &text);
	must_be_text(text.data, text.len, true);
	buf_finish(&text);
}

static void check_reply(const struct prompt_view *view, bool is_cut)
{
	struct prompt prompt;
	struct reply_text_options options = {.is_cut = is_cut, .prompt = prompt.line};
	struct buf out;
	buf_init(&out, OUT_MAX);
	reply_text(&out, view->text, view->len, &(struct reply_text_options){.is_cut = is_cut});
	buf_clear(&out);
	prompt_read(view, &prompt);
	options.pasted = view->text;
	options.pasted_len = view->len / 2;
	reply_text(&out, view->text, view->len, &options);
	must(out.len <= view->len);
	buf_finish(&out);
}

static void check_shown(const struct prompt_view *view, size_t columns)
{
	struct buf out;
	buf_init(&out, 8 * OUT_MAX);
	(void)screen_text_line(&out, view->text, view->len);
	must_be_text(out.data, out.len, false);
	buf_clear(&out);
	(void)screen_text_block(&out, view->text, view->len);
	must_be_text(out.data, out.len, true);
	buf_clear(&out);
	must(screen_text_cut(&out, view->text, view->len, columns) <= columns);
	must_be_text(out.data, out.len, false);
	buf_clear(&out);
	must(screen_text_colors(&out, view->text, view->len) <= view->len);
	for (size_t at = 0; at < out.len; at++) {
		uint8_t byte = out.data[at];
		must(byte >= 0x20 || byte == '\n' || byte == '\t' ||
		    (byte == 0x1b && at + 1 < out.len && out.data[at + 1] == '['));
	}
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prompt_view view = {0};
	char *text;
	if (size < HEAD || size > 65536)
		return 0;
	text = malloc(size - HEAD + 1);
	memcpy(text, data + HEAD, size - HEAD);
	text[size - HEAD] = '\0';
	view = (struct prompt_view){.text = text,
	    .len = size - HEAD,
	    .columns = 1 + data[0],
	    .cursor_row = data[1],
	    .cursor_column = data[2]};
	check_prompt(&view);
	check_agent(&view);
	check_reply(&view, data[3] % 2);
	check_shown(&view, 1 + data[3]);
	if (prompt_find_cursor(&view)) {
		check_prompt(&view);
		check_agent(&view);
	}
	free(text);
	return 0;
}
