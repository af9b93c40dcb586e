/* SPDX-License-Identifier: ISC */
/*
 * Judges recorded screens of real agents (tests/agents/record.mjs) by the screen alone, and counts
 * these verdicts, and the states in list_agents that were recorded with them, beside the truth.
 *
 * usage: screens [-v | -j] <SCREENS
 *   -v: also prints each screen that is judged wrong   -j: prints the verdicts alone, one a line
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "daemon/input/submit_guard.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/pane/screen_sign.h"

enum { SCREEN_MAX = 256 * 1024, LINE_SIZE = 64 * 1024, AGENTS_MAX = 16 };

static const char *const truths[] = {"idle", "draft", "busy", "asking"};
enum { TRUTHS = sizeof truths / sizeof *truths };

enum { UNKNOWN = TRUTHS };

struct tally {
	char agent[32], version[32];
	unsigned screens, right, unknown, missed; /* missed: shown idle or a draft while it asks */
	unsigned listed, listed_right, listed_missed;
};

/* Counts of the screens with one true state: all, those free for typing, those that seem to ask. */
struct typing {
	unsigned screens, free, asks;
};

struct screen {
	char agent[32], version[32], truth[16], state[16], phase[64];
	struct prompt_view view;
	int has_cursor;
	unsigned rows;
	struct buf text;
};

static bool read_screen(struct screen *screen)
{
	static char line[LINE_SIZE];
	if (fgets(line, sizeof line, stdin) == NULL)
		return false;
	if (sscanf(line, "@ %31s %31s %15s %u %u %u %d %15s %u %63[^\t\n]", screen->agent,
		screen->version, screen->truth, &screen->view.columns, &screen->view.cursor_row,
		&screen->view.cursor_column, &screen->has_cursor, screen->state, &screen->rows,
		screen->phase) != 10) {
		fprintf(stderr, "screens: not a screen: %s", line);
		exit(1);
	}
	buf_init(&screen->text, SCREEN_MAX);
	for (unsigned row = 0; row < screen->rows; row++) {
		if (fgets(line, sizeof line, stdin) == NULL)
			exit(1);
		(void)buf_append(&screen->text, line, strlen(line));
	}
	screen->view.text = (const char *)screen->text.data;
	screen->view.len = screen->text.len;
	return true;
}

/* Counts how typing judges a screen that is quiet so long that signs of work are only text. */
static void count_typing(
    const struct screen_sign_set *signs, const struct screen *screen, struct typing *typing)
{
	char reason[SUBMIT_REASON_SIZE];
	struct pane_screen pane = {.view = screen->view, .has_cursor = screen->has_cursor != 0};
	struct screen_guard_facts facts = {
	    .signs = signs,
	    .names = {screen->agent, "", ""},
	    .screen = &pane,
	    .quiet_ms = SUBMIT_BUSY_QUIET_MS,
	};
	bool asks;
	if (!pane.has_cursor)
		pane.has_cursor = prompt_find_cursor(&pane.view);
	prompt_read(&pane.view, &pane.prompt);
	asks = screen_guard_asks(&facts);
	typing->screens++;
	typing->asks += asks;
	typing->free += !asks && screen_guard_allows(&facts, reason);
}

static unsigned judge(const struct screen_sign_set *signs, const struct screen *screen)
{
	switch (screen_verdict(signs, screen->agent, &screen->view)) {
	case SIGN_IDLE:
		return 0;
	case SIGN_DRAFT:
		return 1;
	case SIGN_WORK:
		return 2;
	case SIGN_DIALOG:
		return 3;
	default:
		return TRUTHS;
	}
}

/* Reads a state of list_agents; "+" after it: of an adopted agent. */
static unsigned read_state(const char *state)
{
	static const char *const states[] = {"ready", "draft", "busy", "blocked"};
	for (unsigned at = 0; at < TRUTHS; at++) {
		if (strncmp(state, states[at], strlen(states[at])) == 0)
			return at;
	}
	return UNKNOWN;
}

static unsigned read_truth(const char *word)
{
	for (unsigned at = 0; at < TRUTHS; at++) {
		if (strcmp(truths[at], word) == 0)
			return at;
	}
	fprintf(stderr, "screens: unknown truth: %s\n", word);
	exit(1);
}

static bool is_missed(unsigned truth, unsigned verdict)
{
	return truth == 3 && verdict < 2;
}

static void count(
    struct tally *tally, const struct screen *screen, unsigned truth, unsigned verdict)
{
	unsigned state = read_state(screen->state);
	tally->screens++;
	tally->right += verdict == truth;
	tally->unknown += verdict == UNKNOWN;
	tally->missed += is_missed(truth, verdict);
	/* Menus and drafts of a person are not reported; unknown: the agent reports nothing. */
	if (screen->phase[0] == '/' || state == UNKNOWN)
		return;
	tally->listed++;
	tally->listed_right += state == truth || (truth == 1 && state == 0);
	tally->listed_missed += is_missed(truth, state);
}

static void print_tally(const struct tally *tally)
{
	printf("| %s | %s | %u | %u | %u | %u | %u | %u | %u |\n", tally->agent, tally->version,
	    tally->screens, tally->right, tally->unknown, tally->missed, tally->listed,
	    tally->listed_right, tally->listed_missed);
}

static void print_wrong(const struct screen *screen, unsigned truth, unsigned verdict)
{
	printf("== %s: %s (%s) judged %s\n%.*s\n", screen->agent, truths[truth], screen->phase,
	    verdict < TRUTHS ? truths[verdict] : "unknown", (int)screen->text.len,
	    (const char *)screen->text.data);
}

int main(int argc, char **argv)
{
	bool is_verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
	bool is_short = argc > 1 && strcmp(argv[1], "-j") == 0;
	struct screen_sign_set *signs = screen_sign_set_new(NULL);
	static struct tally tallies[AGENTS_MAX], all = {.agent = "all", .version = ""};
	static unsigned matrix[TRUTHS][TRUTHS + 1];
	static struct typing typings[TRUTHS];
	struct screen screen;
	while (read_screen(&screen)) {
		unsigned verdict = judge(signs, &screen), truth = read_truth(screen.truth);
		size_t at = 0;
		while (at + 1 < AGENTS_MAX && tallies[at].screens > 0 &&
		    strcmp(tallies[at].agent, screen.agent) != 0)
			at++;
		strcpy(tallies[at].agent, screen.agent);
		strcpy(tallies[at].version, screen.version);
		count(&tallies[at], &screen, truth, verdict);
		count(&all, &screen, truth, verdict);
		matrix[truth][verdict]++;
		count_typing(signs, &screen, &typings[truth]);
		if (is_verbose && verdict != truth)
			print_wrong(&screen, truth, verdict);
		if (is_short)
			printf("%s\n", verdict < TRUTHS ? truths[verdict] : "unknown");
		buf_finish(&screen.text);
	}
	screen_sign_set_free(signs);
	if (is_short)
		return 0;
	printf("| truth | idle | draft | busy | asking | unknown |\n"
	       "| --- | --- | --- | --- | --- | --- |\n");
	for (unsigned truth = 0; truth < TRUTHS; truth++) {
		printf("| %s |", truths[truth]);
		for (unsigned verdict = 0; verdict <= TRUTHS; verdict++)
			printf(" %u |", matrix[truth][verdict]);
		printf("\n");
	}
	printf(
	    "\n| agent | version | screens | right | unknown | idle while it asks | listed | right "
	    "| idle while it asks |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (size_t at = 0; at < AGENTS_MAX && tallies[at].screens > 0; at++)
		print_tally(&tallies[at]);
	print_tally(&all);
	printf("\n| truth | screens | free for typing | a choice is seen |\n"
	       "| --- | --- | --- | --- |\n");
	for (unsigned truth = 0; truth < TRUTHS; truth++)
		printf("| %s | %u | %u | %u |\n", truths[truth], typings[truth].screens,
		    typings[truth].free, typings[truth].asks);
	return 0;
}
