/* SPDX-License-Identifier: ISC */
/* Facts of a pane, and whether a prompt is in sight; marks split at every byte. */
#include "daemon/pane/prompt_sight.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

static const struct prompt seen = {.is_seen = true};

static struct prompt_facts good(void)
{
	return (struct prompt_facts){
	    .prompt = &seen,
	    .has_cursor = true,
	    .reads = AGENT_READS_YES,
	    .tty = {.is_known = true, .is_cooked = true, .has_echo = true},
	};
}

static void is_seen(struct prompt_facts facts, bool want, const char *name)
{
	const char *reason = prompt_refusal(&facts);
	ok((reason == NULL) == want, "%s%s%s", name, reason != NULL ? ": " : "",
	    reason != NULL ? reason : "");
}

static void test_facts(void)
{
	static const struct prompt none = {0}, question = {.is_seen = true, .is_question = true};
	struct prompt_facts facts = good();
	is_seen(facts, true, "a prompt, and a program that reads");
	facts.prompt = &none;
	is_seen(facts, false, "a program that reads, without a prompt");
	facts.is_marked = true;
	is_seen(facts, true, "marked by the shell");
	facts.reads = AGENT_READS_NO;
	is_seen(facts, false, "marked, and a program at work");
	facts = good();
	facts.reads = AGENT_READS_NO;
	facts.quiet_ms = 1000000;
	is_seen(facts, false, "a program at work, however quiet");
	facts = good();
	facts.tty.has_echo = false;
	is_seen(facts, false, "input that is not shown");
	facts.tty.is_cooked = false;
	is_seen(facts, true, "a line editor, which shows the input itself");
	facts.tty.unread = 3;
	is_seen(facts, false, "input that was not read");
	facts = good();
	facts.is_alternate = true;
	is_seen(facts, false, "a full-screen program");
	facts.is_agent = true;
	is_seen(facts, true, "a full-screen agent");
	facts = good();
	facts.prompt = &question;
	is_seen(facts, false, "a choice");
	facts = good();
	facts.asks = true;
	is_seen(facts, false, "a question in the row");
	facts = good();
	facts.has_cursor = false;
	is_seen(facts, false, "no cursor");
	facts.sign = SIGN_IDLE;
	is_seen(facts, true, "no cursor, and the empty prompt of a known agent");
}

static void test_doubt(void)
{
	struct prompt_facts facts = good();
	facts.reads = AGENT_READS_UNKNOWN;
	facts.quiet_ms = PROMPT_DOUBT_MS - 1;
	is_seen(facts, false, "it is not known what it waits for");
	facts.quiet_ms = PROMPT_DOUBT_MS;
	is_seen(facts, true, "but it has been quiet");
	facts.tty = (struct pane_tty){0};
	is_seen(facts, true, "nor is its terminal known");
}

/* The output of a shell: [A, [B and the like stand for marks. */
static bool holds(const char *output, size_t cut)
{
	struct prompt_mark mark = {0};
	char pieces[2][64];
	size_t len = strlen(output);
	snprintf(pieces[0], sizeof pieces[0], "%.*s", (int)cut, output);
	snprintf(pieces[1], sizeof pieces[1], "%s", output + cut);
	for (size_t piece = 0, offset = 0; piece < 2; offset += strlen(pieces[piece++])) {
		size_t end = offset + strlen(pieces[piece]);
		/* A mark is reported before the piece in which it ends. */
		for (size_t at = 1; at < len; at++) {
			if (output[at - 1] == '[' && at + 1 > offset && at + 1 <= end)
				prompt_mark_set(&mark, output[at], at + 1);
		}
		prompt_mark_output(
		    &mark, offset, (const uint8_t *)pieces[piece], strlen(pieces[piece]));
	}
	return prompt_mark_holds(&mark);
}

static void test_marks(void)
{
	static const struct {
		const char *output;
		bool holds;
	} rows[] = {
	    {"text\n", false},
	    {"[A$ ", true},
	    {"[A$ [B", true},
	    {"[A/tmp\n$ [B", true},
	    {"[A/tmp\n$ ", false}, /* the row decides */
	    {"[A$ [Bsleep\n", false},
	    {"[A$ [Bls\n[Cout\n[D;0[A$ [B", true},
	    {"[A$ [Bls\n[C", false},
	    {"[A$ [Bls\n[Cout\n[D;0", false},
	    {"[Z", false},
	};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		size_t wrong = 0;
		for (size_t cut = 0; cut <= strlen(rows[row].output); cut++)
			wrong += holds(rows[row].output, cut) != rows[row].holds;
		is_int((long long)wrong, 0, "marks %zu, cut at each byte", row);
	}
}

static void test_rest(void)
{
	struct prompt_mark mark = {0};
	prompt_mark_set(&mark, 'B', 10);
	prompt_mark_output(&mark, 0, (const uint8_t *)"0123456789 \033[K", 14);
	mark.has_rested = true;
	ok(prompt_mark_holds(&mark), "what is drawn with a mark belongs to the prompt");
	prompt_mark_output(&mark, 14, (const uint8_t *)"d", 1);
	ok(!prompt_mark_holds(&mark), "what comes after a rest is a draft");
	prompt_mark_set(&mark, 'A', 20);
	ok(prompt_mark_holds(&mark), "until the next mark");
}

int main(void)
{
	test_facts();
	test_doubt();
	test_marks();
	test_rest();
	return done_testing();
}
