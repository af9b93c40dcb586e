/* SPDX-License-Identifier: ISC */
/*
 * Classification of programs at rest: prompts, questions, work, crashes; and the learned profiles.
 */
#include "daemon/agent/classify.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/process.h"
#include "daemon/core/pattern.h"
#include "tap.h"

static const char *const kinds[] = {
    [VERDICT_BUSY] = "busy",
    [VERDICT_READY] = "ready",
    [VERDICT_DRAFT] = "draft",
    [VERDICT_QUESTION] = "question",
    [VERDICT_CRASHED] = "crashed",
    [VERDICT_UNKNOWN] = "unknown",
};

/* A program that edits lines, at rest for long enough; it is this very process. */
static struct agent_facts at_rest(const char *row)
{
	struct agent_facts facts = {
	    .has_cursor = true,
	    .quiet_ms = AGENT_REST_MS,
	    .front = {.is_known = true, .pid = getpid(), .name = "repl", .reads = AGENT_READS_YES},
	    .tty = {.is_known = true, .has_echo = true},
	};
	facts.front.start = process_start_ticks(getpid());
	snprintf(facts.row, sizeof facts.row, "%s", row);
	return facts;
}

static struct prompt_profile learned(const struct agent_facts *facts)
{
	struct prompt_profile profile = {0};
	agent_learn(facts, &profile);
	return profile;
}

static void judged(const struct agent_facts *facts, const struct prompt_profile *profile,
    struct pattern *regex, enum agent_verdict_kind want, const char *name)
{
	struct agent_verdict verdict;
	agent_judge(facts, profile, regex, &verdict);
	if (!is_str(kinds[verdict.kind], kinds[want], "%s", name))
		diag("%s", verdict.reason);
}

static void test_first(void)
{
	const struct prompt_profile none = {0};
	struct agent_facts facts = at_rest(">>> ");
	judged(&facts, &none, NULL, VERDICT_READY, "the first rest of one that reads");
	facts.quiet_ms = AGENT_REST_MS - 1;
	judged(&facts, &none, NULL, VERDICT_BUSY, "not before it rests");
	facts = at_rest("Loading...");
	facts.front.reads = AGENT_READS_NO;
	facts.quiet_ms = 3600000;
	judged(&facts, &none, NULL, VERDICT_BUSY, "nor while it does something else, however long");
	facts = at_rest("Loading...");
	facts.front.reads = AGENT_READS_UNKNOWN;
	judged(&facts, &none, NULL, VERDICT_BUSY, "nor soon where that is not known");
	facts = at_rest("Do you trust this folder? [y/N] ");
	judged(&facts, &none, NULL, VERDICT_QUESTION, "a question is none, but asks");
	facts = at_rest("");
	judged(&facts, &none, NULL, VERDICT_READY, "one that reads needs no prompt");
	facts.front.reads = AGENT_READS_UNKNOWN;
	facts.quiet_ms = 3600000;
	judged(&facts, &none, NULL, VERDICT_BUSY, "one of which nothing is known does");
	facts = at_rest("> ");
	facts.front.reads = AGENT_READS_UNKNOWN;
	facts.quiet_ms = 3600000;
	judged(&facts, &none, NULL, VERDICT_READY, "a prompt at a cursor");
	facts.has_cursor = false;
	judged(&facts, &none, NULL, VERDICT_BUSY, "a prompt without one may have a draft");
}

static void test_prompt(void)
{
	struct agent_facts facts = at_rest("In [1]: ");
	struct prompt_profile profile = learned(&facts);
	judged(&facts, &profile, NULL, VERDICT_READY, "its prompt");
	facts = at_rest("In [23]: ");
	judged(&facts, &profile, NULL, VERDICT_READY, "which may count");
	facts = at_rest("In [23]: draft");
	judged(&facts, &profile, NULL, VERDICT_BUSY, "with a draft behind it");
	facts = at_rest("In [23]: ");
	facts.has_right = true;
	judged(&facts, &profile, NULL, VERDICT_BUSY, "or behind the cursor");
	facts = at_rest("abcIn [2]: ");
	judged(&facts, &profile, NULL, VERDICT_READY, "behind output without an end");
	facts = at_rest("Name: ");
	judged(&facts, &profile, NULL, VERDICT_QUESTION, "it reads, and not at its prompt");
	facts = at_rest("In [2]: ");
	facts.tty.is_cooked = true;
	facts.front.reads = AGENT_READS_UNKNOWN;
	judged(&facts, &profile, NULL, VERDICT_BUSY,
	    "its characters in output: the terminal is not set so");
	facts = at_rest("In [2]: ");
	facts.front.reads = AGENT_READS_NO;
	facts.quiet_ms = 3600000;
	judged(&facts, &profile, NULL, VERDICT_BUSY, "or it does something else");
	facts = at_rest("In [2]: ");
	facts.tty.unread = 1;
	judged(&facts, &profile, NULL, VERDICT_BUSY, "or has not read what was typed");
	facts = at_rest("In [2]: ");
	facts.in_mode = true;
	judged(&facts, &profile, NULL, VERDICT_UNKNOWN, "in copy mode nothing is seen");
}

/* An agent whose screens are known: a report may be late, or not come. */
static void test_screen(void)
{
	const struct prompt_profile none = {0};
	struct agent_facts facts = at_rest("> ");
	facts.has_signs = true;
	facts.screen = SIGN_IDLE;
	judged(&facts, &none, NULL, VERDICT_READY, "its screen shows its prompt");
	facts.is_menu = true;
	judged(&facts, &none, NULL, VERDICT_READY, "whatever list stands above it");
	facts.reports_busy = true;
	facts.quiet_ms = AGENT_AGAIN_MS - 1;
	judged(&facts, &none, NULL, VERDICT_BUSY, "it reports that it is busy");
	facts.quiet_ms = AGENT_AGAIN_MS;
	judged(&facts, &none, NULL, VERDICT_READY, "a person has ended the turn");
	facts = at_rest("> x");
	facts.has_signs = facts.reports_asking = true;
	facts.screen = SIGN_DRAFT;
	facts.quiet_ms = AGENT_WEAK_MS - 1;
	judged(&facts, &none, NULL, VERDICT_BUSY, "it reports that it asks, and shows its prompt");
	facts.quiet_ms = AGENT_WEAK_MS;
	judged(&facts, &none, NULL, VERDICT_DRAFT, "a person has refused, and begun a draft");
	facts.screen = SIGN_DIALOG;
	judged(&facts, &none, NULL, VERDICT_QUESTION, "it reports that it asks, and shows that");
	facts.screen = SIGN_NONE;
	judged(&facts, &none, NULL, VERDICT_QUESTION, "or nothing that is known");
	facts.reports_asking = false;
	facts.is_menu = true;
	judged(&facts, &none, NULL, VERDICT_BUSY, "nothing that is known is something in between");
	facts.quiet_ms = AGENT_AGAIN_MS;
	judged(&facts, &none, NULL, VERDICT_QUESTION, "unless it stays");
}

static void test_leftover(void)
{
	struct agent_facts facts = at_rest("Loading...>>> ");
	struct prompt_profile profile = learned(&facts);
	facts = at_rest(">>> ");
	judged(
	    &facts, &profile, NULL, VERDICT_READY, "what stood before the first prompt is no part");
	agent_learn(&facts, &profile);
	is_str(profile.row, ">>> ", "and is forgotten");
	facts = at_rest("> ");
	judged(
	    &facts, &profile, NULL, VERDICT_QUESTION, "but a part of a prompt is not the prompt");
	is_str(agent_prompt_part("abc>>> ", &profile), ">>> ", "the prompt is found in its row");
}

/* A program that draws its prompt, and whose wait is unknown. */
static void test_bytes(void)
{
	static const char drawn[] = "\033[1G\033[0J> \033[3G";
	struct agent_facts facts = at_rest("> ");
	struct prompt_profile profile;
	facts.front.reads = AGENT_READS_UNKNOWN;
	agent_facts_set_tail(&facts, drawn, strlen(drawn));
	profile = learned(&facts);
	judged(&facts, &profile, NULL, VERDICT_READY, "the same bytes drew it");
	agent_facts_set_tail(&facts, "> ", 2);
	facts.quiet_ms = AGENT_DOUBT_MS - 1;
	judged(&facts, &profile, NULL, VERDICT_BUSY, "it was printed");
	agent_facts_set_tail(&facts, "\033[32m> \033[0m", 11);
	judged(&facts, &profile, NULL, VERDICT_BUSY, "in colour too");
	facts.quiet_ms = AGENT_DOUBT_MS;
	judged(&facts, &profile, NULL, VERDICT_READY, "until nothing came for very long");
	agent_facts_set_tail(&facts, "\r\033[K> ", 6);
	facts.quiet_ms = AGENT_WEAK_MS;
	judged(&facts, &profile, NULL, VERDICT_READY, "drawn otherwise it is enough after a while");
	facts.mark = 'B';
	facts.quiet_ms = AGENT_REST_MS;
	judged(&facts, &profile, NULL, VERDICT_READY, "a mark of the shell is enough at once");
	facts.mark = 'C';
	judged(&facts, &profile, NULL, VERDICT_BUSY, "and so is one that says no");
	facts.mark = '\0';
	facts.reports_busy = true;
	judged(&facts, &profile, NULL, VERDICT_BUSY, "as is its own word");
	facts.reports_busy = false;
	facts.mark = '\0';
	facts.shows_work = true;
	facts.quiet_ms = AGENT_SIGN_MS - 1;
	judged(&facts, &profile, NULL, VERDICT_BUSY, "and a sign of work on its screen");
	facts.quiet_ms = AGENT_SIGN_MS;
	judged(&facts, &profile, NULL, VERDICT_READY, "which is only text after a while");
	facts.quiet_ms = AGENT_WEAK_MS;
	facts.front.reads = AGENT_READS_YES;
	judged(&facts, &profile, NULL, VERDICT_READY, "or where the program is seen to read");
	facts.front.reads = AGENT_READS_UNKNOWN;
	facts.quiet_ms = AGENT_REST_MS;
	facts.reports_busy = facts.shows_question = true;
	judged(&facts, &profile, NULL, VERDICT_QUESTION, "its question counts more than its work");
}

static void test_shell(void)
{
	struct agent_facts facts = at_rest("me@host:~$ ");
	struct prompt_profile profile;
	facts.front.is_shell = true;
	profile = learned(&facts);
	facts = at_rest("me@host:/usr/share$ ");
	facts.front.is_shell = true;
	judged(&facts, &profile, NULL, VERDICT_READY, "the prompt of a shell has its directory");
	facts.front.pid = getppid();
	facts.front.start = process_start_ticks(getppid());
	facts.front.reads = AGENT_READS_UNKNOWN;
	judged(
	    &facts, &profile, NULL, VERDICT_BUSY, "a shell that has another in front is not ready");
	snprintf(facts.row, sizeof facts.row, "Proceed? [Y/n] ");
	judged(&facts, &profile, NULL, VERDICT_QUESTION, "which may ask");
	snprintf(facts.row, sizeof facts.row, "[sudo] password for me: ");
	facts.tty.is_cooked = true;
	judged(&facts, &profile, NULL, VERDICT_QUESTION, "also for a secret");
}

static void test_crash(void)
{
	struct agent_facts facts = at_rest(">>> ");
	struct prompt_profile profile = learned(&facts);
	facts.is_dead = true;
	judged(&facts, &profile, NULL, VERDICT_CRASHED, "a program that has ended");
	facts = at_rest("$ ");
	facts.front.is_shell = true;
	profile.start++; /* the profile is of a process that has ended */
	judged(&facts, &profile, NULL, VERDICT_CRASHED, "a shell in its place");
	facts.quiet_ms = 0;
	judged(&facts, &profile, NULL, VERDICT_CRASHED, "also while that writes");
}

/* The shell behind a program, and another program in its place. */
static void test_place(void)
{
	struct agent_facts facts = at_rest(">>> ");
	struct prompt_profile profile = learned(&facts);
	facts = at_rest("sh> ");
	facts.front.pid = getppid();
	facts.front.start = process_start_ticks(getppid());
	facts.front.is_shell = true;
	judged(&facts, &profile, NULL, VERDICT_QUESTION, "a shell that it has started may ask");
	facts.is_behind = true;
	judged(&facts, &profile, NULL, VERDICT_BUSY, "but not the shell behind it, after ^Z");
	facts = at_rest(">>> ");
	profile.start++;
	judged(&facts, &profile, NULL, VERDICT_READY, "another program has the same prompt");
	profile.is_fixed = true;
	judged(&facts, &profile, NULL, VERDICT_CRASHED, "but does not take the place of this one");
}

static void test_regex(void)
{
	char reason[100];
	struct pattern *regex = pattern_new("db=[>#]", 7, reason, sizeof reason);
	const struct prompt_profile none = {0};
	struct agent_facts facts = at_rest("db=# ");
	struct prompt_profile profile;
	judged(&facts, &none, regex, VERDICT_READY, "a pattern says what a prompt is");
	profile = learned(&facts);
	facts = at_rest("db=> ");
	judged(&facts, &profile, regex, VERDICT_READY, "in all its forms");
	facts = at_rest("db=> select");
	judged(&facts, &none, regex, VERDICT_BUSY, "up to the cursor");
	facts = at_rest("other> ");
	judged(&facts, &none, regex, VERDICT_BUSY, "and nothing else is one");
	facts = at_rest("db=> drop table x");
	judged(&facts, &profile, regex, VERDICT_BUSY, "a draft behind it is no question");
	facts = at_rest("db=> drop table x? [y/n]");
	judged(&facts, &profile, regex, VERDICT_BUSY, "even one that looks like it");
	judged(&facts, &none, regex, VERDICT_BUSY, "at the first look too");
	facts = at_rest("Name: ");
	judged(&facts, &profile, regex, VERDICT_QUESTION, "but another row is one");
	pattern_free(regex);
}

/* Drafts of a person, in all the places where they can stand. */
static void test_drafts(void)
{
	static const struct {
		const char *prompt;
		const char *regex; /* NULL: it is learned */
		bool is_shell;
		const char *start;
		const char *row;
		enum agent_verdict_kind want;
	} drafts[] = {
	    {"$ ", "\\$ $", true, "", "$ rm -rf src ", VERDICT_BUSY},
	    {"me@host:~$ ", "\\$ $", true, "", "me@host:/tmp$ rm -rf src ", VERDICT_BUSY},
	    {"me@host:~$ ", NULL, true, "", "me@host:/tmp$ rm -rf src ", VERDICT_BUSY},
	    {"me@host:~$ ", NULL, true, "", "me@host:/tmp$ echo $", VERDICT_BUSY},
	    {"me@host:~$ ", NULL, true, "", "me@host:/tmp$ ", VERDICT_READY},
	    {"me@host:~$ ", NULL, true, "", "Proceed? [Y/n] ", VERDICT_QUESTION},
	    {"root# ", NULL, true, "", "root# make", VERDICT_BUSY},
	    {"> ", "^> $", false, "", "> n", VERDICT_BUSY},
	    {"> ", NULL, false, "", "> n", VERDICT_BUSY},
	    {">>> ", NULL, false, "", "no newline>>> import os", VERDICT_BUSY},
	    {">>> ", NULL, false, ">>> print('a long line", "that goes on", VERDICT_BUSY},
	    {">>> ", "^>>> $", false, ">>> print('a long line", "that goes on", VERDICT_BUSY},
	    {">>> ", NULL, false, "a long line of output", "Go on? ", VERDICT_QUESTION},
	    {">>> ", NULL, false, "", "Go on? [Y/n] ", VERDICT_QUESTION},
	    {"In [1]: ", NULL, false, "", "In [12]: x = 1", VERDICT_BUSY},
	    {"\u276f ", NULL, false, "", "\u276f fix it", VERDICT_BUSY},
	    {"\u2502 > ", "> $", false, "", "\u2502 > fix it", VERDICT_BUSY},
	};
	for (size_t at = 0; at < sizeof drafts / sizeof *drafts; at++) {
		char reason[100];
		struct pattern *regex = drafts[at].regex != NULL
		    ? pattern_new(drafts[at].regex, strlen(drafts[at].regex), reason, sizeof reason)
		    : NULL;
		struct agent_facts facts = at_rest(drafts[at].prompt);
		struct prompt_profile profile;
		facts.front.is_shell = drafts[at].is_shell;
		profile = learned(&facts);
		agent_learn(&facts, &profile);
		snprintf(facts.row, sizeof facts.row, "%s", drafts[at].row);
		snprintf(facts.start, sizeof facts.start, "%s", drafts[at].start);
		judged(&facts, &profile, regex, drafts[at].want, drafts[at].row);
		pattern_free(regex);
	}
}

static void test_rows(void)
{
	static const char *const asks[] = {"Continue? [Y/n] ", "Overwrite (yes/no)? ",
	    "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
	    "Password: ", "Enter passphrase for key: ", "Press any key to continue . . .",
	    "--More--", "Do you want to proceed?"};
	static const char *const silent[] = {
	    "$ ", ">>> ", "the password is checked", "[Y/n] was asked", "total: ", "why? ", ""};
	struct agent_facts facts = {0};
	struct prompt_view view = {.columns = 20, .cursor_row = 2, .cursor_column = 7};
	struct buf text;
	for (size_t at = 0; at < sizeof asks / sizeof *asks; at++)
		ok(agent_row_asks(asks[at]), "asks: %s", asks[at]);
	for (size_t at = 0; at < sizeof silent / sizeof *silent; at++)
		ok(!agent_row_asks(silent[at]), "does not ask: %s", silent[at]);
	view.text = "old\n\n\033[1mName\033[0m: x\033[2mhint\033[0m\n";
	view.len = strlen(view.text);
	agent_facts_read_screen(&view, &facts);
	is_str(facts.row, "Name: x", "a row is the text before the cursor");
	ok(!facts.has_right, "a dim hint after it does not count");
	buf_init(&text, 100);
	agent_place_text(&view, 12, &text);
	is_mem(text.data, text.len, "Name: xhint", 11, "a place begins behind a blank row");
	buf_finish(&text);
}

int main(void)
{
	test_first();
	test_prompt();
	test_screen();
	test_leftover();
	test_bytes();
	test_shell();
	test_crash();
	test_place();
	test_regex();
	test_drafts();
	test_rows();
	return done_testing();
}
