/* SPDX-License-Identifier: ISC */
/*
 * The guards of typing: reasons not to type into a pane now. They look at the pane's state, the
 * program in front, the terminal, the screen, and whether a person types there. tmux checks its
 * own part of them again, in the command that types.
 */
#pragma once

#include "daemon/core/pane_ref.h"
#include "daemon/input/submit_policy.h"
#include "daemon/pane/screen_sign.h"

#define SUBMIT_HUMAN_MS 5000 /* after a person's last key */
#define SUBMIT_IDLE_QUIET_MS 100 /* of a pane whose agent reports idle, at most */
#define SUBMIT_ASKING_MS 600000 /* then a pane whose agent reports a question is looked at */

struct foreground_program;
struct pane_tty;

/* Seconds since 1970 of the last key of a person who looks at this pane; 0: there is none. */
uint64_t submit_guard_human(
    const struct tmux *tmux, const struct muxbus_pane *pane, bool *ret_in_prefix);

/* Whether that was just now. A key of the future was pressed before the clock was set back. */
bool submit_guard_is_recent(uint64_t key);

/*
 * Seconds since 1970 of the last key in the sessions of this pane's window, as tmux has it for the
 * pane. 0: they are not known.
 */
uint64_t submit_guard_activity(const struct tmux *tmux, const struct muxbus_pane *pane);

#define SUBMIT_BLIND_MS 1200 /* a second of tmux, and the time of a listing */
/* Whether it may be of this second, as after our own attach: a key now does not change it. */
bool submit_guard_is_blind(uint64_t activity);

/*
 * How long a pane must have been quiet, by what its agent reports: shortly if idle, as
 * configured without a report, and long if busy, since the report of the end must have been
 * missed; also if it asks and its screen can show that it does no more. ret_reason: why it is
 * longer, or "". -1: not while the agent asks.
 */
int64_t submit_guard_quiet_ms(
    const struct daemon *parts, const struct pane_ref *ref, char ret_reason[SUBMIT_REASON_SIZE]);

/*
 * Whether the program in front is one that may be typed to: the program that asked, which a shell
 * may wait for, or one that is no shell. False with a reason. It says so at once, whatever the
 * pane shows: for answers to requests that wait for a line to be typed.
 */
bool submit_guard_front(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, char ret_reason[SUBMIT_REASON_SIZE]);

/* The program that gets a text which is typed now: it alone may get the Enter. pid 0: not known. */
void submit_guard_note(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, struct foreground_program *ret_program);

/* The model's reasons; false with a reason. */
bool submit_guard_pane(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane,
    char ret_reason[SUBMIT_REASON_SIZE]);

/*
 * Whether the program in front is done with what it has read, so that the screen shows that: it
 * computes no more, or nothing came of that for long. A busy machine keeps programs computing.
 */
bool submit_guard_done(const struct submit_policy *policy, const struct muxbus_pane *pane,
    int64_t quiet_ms, char ret_reason[SUBMIT_REASON_SIZE]);

/* The terminal's reasons. */
bool submit_guard_terminal(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane, const struct pane_tty *tty,
    char ret_reason[SUBMIT_REASON_SIZE]);

/* The screen's reasons; quiet_ms is for how long the pane has been quiet. */
bool submit_guard_screen(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane, const struct pane_screen *screen,
    int64_t quiet_ms, char ret_reason[SUBMIT_REASON_SIZE]);

/* Whether the screen of a known agent shows its empty prompt: a draft, or nothing known, is none. */
enum submit_sight submit_guard_sight(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, const struct pane_screen *screen);

/* Whether the program is an agent whose prompt is known to be edited by Home, Delete and End. */
bool submit_guard_edits(
    const struct daemon *parts, const struct pane_ref *ref, const struct muxbus_pane *pane);

/* Whether neither a question nor a draft is on the screen. */
bool submit_guard_empty(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, const struct pane_screen *screen);

/*
 * Whether the program is one whose prompt is known to be one: an agent, or a program that has
 * asked. Others may end a line in '>' and mean anything.
 */
bool submit_guard_known(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane,
    char ret_reason[SUBMIT_REASON_SIZE]);

/* Conditions that tmux checks in the command that types. */
struct submit_moment {
	const char *command; /* in front of the pane */
	/* The cursor has not moved, and rows match all patterns: each of letters, digits and '*',
	 * ended by a newline. NULL: neither is looked at. */
	const struct pane_screen *screen;
	const struct buf *patterns;
	uint64_t activity; /* no key came since then: submit_guard_activity(). 0: any may have */
};

/* The format for tmux: the pane is still as it was seen. */
void submit_guard_write(
    struct buf *out, const struct pane_ref *ref, const struct submit_moment *moment);

/*
 * The guards of a notice that hold until the pane's program, or a person, changes something: as
 * they are just now.
 */
bool submit_guard_lasting(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, char ret_reason[SUBMIT_REASON_SIZE]);

/*
 * The reasons of a screen against typing. A known agent whose whole screen shows its prompt is
 * believed: a list of choices or a question above that is an answer of the agent. Of other
 * programs, and of screens that show none of the agent's signs, any text around the cursor that
 * looks like a choice or like work counts. Pure. tests/screens.t has the rates on recorded screens.
 */

#define SCREEN_GUARD_NAMES 3

struct screen_guard_facts {
	const struct screen_sign_set *signs;
	/* Of the program, "" where it has none: as it reports itself, by its words, its command. */
	const char *names[SCREEN_GUARD_NAMES];
	const struct pane_screen *screen;
	int64_t quiet_ms; /* for how long it has been as it is */
	bool is_at_prompt; /* a kept agent's, of whatever form it is */
};

/* Whether a key would be an answer. */
bool screen_guard_asks(const struct screen_guard_facts *facts);

/* Whether an empty prompt is at the cursor, as far as a screen tells; false with a reason. */
bool screen_guard_allows(
    const struct screen_guard_facts *facts, char ret_reason[SUBMIT_REASON_SIZE]);
