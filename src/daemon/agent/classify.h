/* SPDX-License-Identifier: ISC */
/*
 * The verdict on a program at rest: is it at its prompt, does it ask something, or is it at
 * work? Pure: what was seen, and what was learned of it, in; a verdict with its reasons out. A
 * prompt is believed only where the cursor stands, at rest, and only if what else can be known
 * agrees: who is in front, what its terminal is set to, what it waits for, the marks of shell
 * integration (OSC 133), and the very bytes that drew the prompt. So a prompt's characters in
 * the midst of output are no prompt.
 */
#pragma once

#include "daemon/pane/foreground.h"
#include "daemon/pane/pane_tty.h"
#include "daemon/pane/screen_sign.h"

#define AGENT_ROW_SIZE 512 /* of the cursor's row, UTF-8 */
#define AGENT_TAIL_SIZE 256 /* of the bytes behind the last newline; longer ones are none */
#define AGENT_REST_MS 120 /* without output, before anything is looked at */
#define AGENT_WEAK_MS 1500 /* where little speaks for a prompt */
#define AGENT_AGAIN_MS 3000 /* where its report says that it is busy, and its screen does not */
#define AGENT_DOUBT_MS 10000 /* where the row is right and the bytes are not */
#define AGENT_SIGN_MS 15000 /* where a sign of work is shown: later it is only text */
#define AGENT_REASON_SIZE 160

struct pattern;

enum agent_verdict_kind {
	VERDICT_BUSY,
	VERDICT_READY,
	VERDICT_DRAFT, /* at its prompt, with something in it */
	VERDICT_QUESTION,
	VERDICT_CRASHED,
	VERDICT_UNKNOWN, /* it cannot be seen just now, as in copy mode */
};

/* One look. */
struct agent_facts {
	bool is_dead; /* its pane's program has ended */
	bool in_mode;
	bool has_cursor;
	bool has_right; /* there is text behind the cursor that is no suggestion */
	bool reports_busy; /* by its hooks; it may have failed to report the end */
	bool reports_asking;
	enum screen_sign_kind screen; /* what its screen says by itself (screen_verdict()) */
	bool has_signs; /* its screen has known signs: without any it is between two states */
	bool is_menu; /* a choice is offered around the cursor */
	bool shows_work; /* a sign of work stands around the cursor */
	bool shows_question; /* the screen shows a question of this agent */
	char row[AGENT_ROW_SIZE]; /* what stands before the cursor, UTF-8 */
	char start[AGENT_ROW_SIZE]; /* the first row, of a line that fills its rows; "": none */
	struct foreground front;
	bool is_behind; /* the program waits behind the shell that started it, as after ^Z */
	struct pane_tty tty;
	char mark; /* the last OSC 133 mark; 0: none was ever seen */
	char tail
	    [AGENT_TAIL_SIZE]; /* bytes since the last newline, digits made alike; "": unknown */
	int64_t quiet_ms; /* since the last output */
};

/* The profile learned at its first prompt. Zeroed: nothing yet. */
struct prompt_profile {
	bool is_known;
	bool is_cooked; /* the terminal's mode at the prompt */
	bool has_tty;
	bool has_right;
	bool is_shell;
	bool reads; /* it was seen to read at its prompt */
	bool is_sure; /* the row was its prompt a second time, too */
	char row[AGENT_ROW_SIZE]; /* with digits made alike */
	char tail[AGENT_TAIL_SIZE]; /* what drew the first prompt; "": not known */
	char other_tail[AGENT_TAIL_SIZE]; /* and a later one */
	pid_t pid; /* the program */
	uint64_t start;
	char name[64];
	bool is_fixed; /* no other program takes its place */
};

struct agent_verdict {
	enum agent_verdict_kind kind;
	char reason[AGENT_REASON_SIZE]; /* which fact says so */
	bool is_secret; /* QUESTION: what is typed is not shown */
	bool is_by_sign; /* BUSY, READY: a sign of its screen says so */
	int64_t again_ms; /* look again after that long, though nothing comes; 0: need not be */
};

/* regex, a pattern for the prompt, may be NULL: then it is learned. */
void agent_judge(const struct agent_facts *facts, const struct prompt_profile *profile,
    struct pattern *regex, struct agent_verdict *ret_verdict);

/* Learns from a look that was judged ready. */
void agent_learn(const struct agent_facts *facts, struct prompt_profile *profile);

/*
 * Where in a row the prompt begins: output that no newline ended may stand before it. The row
 * itself if it is not known.
 */
const char *agent_prompt_part(const char *row, const struct prompt_profile *profile);

/* Whether a row asks for an answer: "[Y/n]", "password:", "(yes/no)". */
bool agent_row_asks(const char *row);

/* Whether a row is another one and text behind it: an answer that has been begun. */
bool agent_row_continues(const char *row, const char *other);

/* Fills tail from the bytes since the last newline. */
void agent_facts_set_tail(struct agent_facts *facts, const void *bytes, size_t len);

/* Fills row, has_right and is_menu from a screen. */
void agent_facts_read_screen(const struct prompt_view *view, struct agent_facts *facts);

/*
 * The rows down to the cursor's as text, colours and blanks at their ends removed: the place
 * that text is typed to. At most rows of them, from the last blank row on.
 */
void agent_place_text(const struct prompt_view *view, unsigned rows, struct buf *out);
/* All rows, as far as there is something on them. */
void agent_screen_text(const struct prompt_view *view, unsigned rows, struct buf *out);
