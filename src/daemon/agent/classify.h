/* SPDX-License-Identifier: ISC */
/*
 * The verdict on a program at rest: at its prompt, asking, at work, ended, or not seen. A verdict
 * is made from the facts of one look and from the prompt learned before. It names the fact that
 * decided.
 *
 * The text at the cursor alone does not make a prompt. Other facts count too: the program in front,
 * the modes of its terminal, whether it waits for input, the marks of the shell (OSC 133), and the
 * bytes that drew the prompt.
 */
#pragma once

#include "daemon/pane/foreground.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/pane/screen_sign.h"

#define AGENT_ROW_SIZE 512 /* bytes of the cursor's row, UTF-8 */
#define AGENT_TAIL_SIZE 256 /* bytes behind the last newline; a longer tail is unknown */
#define AGENT_REST_MS 120 /* time without output before the screen is looked at */
/* required time without output if evidence for a prompt is weak, or a question was reported */
#define AGENT_WEAK_MS 1500
/* required time without output if a report says busy at a prompt, or the screen shows no sign */
#define AGENT_AGAIN_MS 3000
/* required time without output if a prompt was printed, not drawn, or a report says busy */
#define AGENT_DOUBT_MS 10000
#define AGENT_SIGN_MS 15000 /* a sign of work does not count after this time without output */
#define AGENT_REASON_SIZE 160

struct pattern;

enum agent_verdict_kind {
	VERDICT_BUSY,
	VERDICT_READY,
	VERDICT_DRAFT, /* at its prompt, with a draft */
	VERDICT_QUESTION,
	VERDICT_CRASHED,
	VERDICT_UNKNOWN, /* the program cannot be seen, as in copy mode */
};

struct agent_facts {
	bool is_dead; /* the pane's program has ended */
	bool in_mode, has_cursor;
	bool has_right; /* text is right of the cursor, other than a suggestion or frame */
	bool reports_busy; /* or a question by a mark. Reports may miss the end of a turn. */
	bool reports_asking;
	enum screen_sign_kind screen; /* state shown by its screen (screen_verdict()) */
	/* signs (patterns of the screen) are known for this agent */
	bool has_signs;
	bool is_menu; /* a choice is offered around the cursor */
	bool shows_work; /* a sign of work is on the screen */
	bool shows_question; /* a question of this agent is on the screen */
	char row[AGENT_ROW_SIZE]; /* the row left of the cursor, UTF-8 */
	/* First row of the line that ends at the cursor; "": no row above belongs to it. */
	char start[AGENT_ROW_SIZE];
	struct foreground front;
	bool is_behind; /* the program is stopped, and the shell that started it is in front (^Z) */
	bool is_stopped; /* the program in front, or one that reads in its place, is stopped */
	struct pane_tty tty;
	char mark; /* the last OSC 133 mark; 0: none was seen */
	/* Bytes since the last newline, each run of digits as one 0; "": none, or unknown. */
	char tail[AGENT_TAIL_SIZE];
	int64_t quiet_ms; /* time since the last output */
};

/* The learned prompt. All zeros: nothing is learned yet. */
struct prompt_profile {
	bool is_known;
	bool is_cooked; /* mode of the terminal at the prompt */
	bool has_tty, has_right, is_shell;
	bool reads; /* the program was seen to read at its prompt */
	bool is_sure; /* at least two prompts were seen */
	char row[AGENT_ROW_SIZE]; /* digits as 0 */
	char tail[AGENT_TAIL_SIZE]; /* bytes that drew the first prompt, digits as 0; "": unknown */
	char other_tail[AGENT_TAIL_SIZE]; /* bytes that drew a later prompt */
	pid_t pid; /* of the program */
	uint64_t start;
	char name[64];
	bool is_fixed; /* the agent counts as ended when this program ends */
};

struct agent_verdict {
	enum agent_verdict_kind kind;
	char reason[AGENT_REASON_SIZE]; /* the fact that decided */
	bool is_secret; /* QUESTION: the terminal does not show the answer */
	bool is_by_sign; /* BUSY, READY: decided by a sign on its screen */
	int64_t again_ms; /* when to look again, even without output; 0: not needed */
};

/* regex is a pattern for the prompt; NULL: the prompt is learned. */
void agent_judge(const struct agent_facts *facts, const struct prompt_profile *profile,
    struct pattern *regex, struct agent_verdict *ret_verdict);

/* Learns the prompt from the facts of a look that was judged ready. */
void agent_learn(const struct agent_facts *facts, struct prompt_profile *profile);

/* Returns where the prompt begins in a row, as output may precede it; the row if unknown. */
const char *agent_prompt_part(const char *row, const struct prompt_profile *profile);

/* Returns true if a row asks for an answer: "[Y/n]", "password:", "(yes/no)". */
bool agent_row_asks(const char *row);

/* Returns true if a row is `other` with text behind it, so that an answer was begun. */
bool agent_row_continues(const char *row, const char *other);

/* Sets tail from the bytes since the last newline. */
void agent_facts_set_tail(struct agent_facts *facts, const void *bytes, size_t len);

/* Sets row, start, has_right and is_menu from the screen. */
void agent_facts_read_screen(const struct prompt_view *view, struct agent_facts *facts);

/*
 * Appends the block of rows that ends with the cursor's row: up to the blank row above, but at most
 * `rows` rows. Colours and spaces at line ends are left out.
 */
void agent_place_text(const struct prompt_view *view, unsigned rows, struct buf *out);
/* Appends the uppermost rows of the screen, at most `rows`, without blank rows at the end. */
void agent_screen_text(const struct prompt_view *view, unsigned rows, struct buf *out);
