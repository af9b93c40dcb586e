/* SPDX-License-Identifier: ISC */
/*
 * The guards of typing: reasons not to type into a pane now. They check the pane's state, the
 * program in front, the terminal, the screen, and whether a person is typing. tmux checks some of
 * them again, in the command that types.
 */
#pragma once

#include "daemon/core/pane_ref.h"
#include "daemon/input/submit_policy.h"
#include "daemon/pane/screen_sign.h"

#define SUBMIT_HUMAN_MS 5000 /* a person with a later key is typing */
#define SUBMIT_IDLE_QUIET_MS 100 /* longest required quiet if the agent reports idle */
#define SUBMIT_ASKING_MS 600000 /* time after which a reported question no longer counts */

struct foreground_program;
struct pane_tty;

/* Returns the last key of a person at this pane, in seconds since 1970; 0: no person is there. */
uint64_t submit_guard_human(
    const struct tmux *tmux, const struct muxbus_pane *pane, bool *ret_in_prefix);

/* A key of the near future counts, as the clock may have been set back. */
bool submit_guard_is_recent(uint64_t key);

/* Returns the last key in the sessions of the window, in seconds since 1970; 0 if unknown. */
uint64_t submit_guard_activity(const struct tmux *tmux, const struct muxbus_pane *pane);

#define SUBMIT_BLIND_MS 1200 /* time in which a key may not change activity: a second, a listing */
/* Returns true if activity may be of the present second, so that another key does not change it. */
bool submit_guard_is_blind(uint64_t activity);

/*
 * Returns how long the pane must have been quiet, by its agent's report: short if idle; as
 * configured without a report; long if busy, as the report of the turn's end may be missing; long
 * if it asks and its screen can show the question's end. -1: nothing is typed while the agent asks.
 * ret_reason: why it is long, or "".
 */
int64_t submit_guard_quiet_ms(
    const struct daemon *parts, const struct pane_ref *ref, char ret_reason[SUBMIT_REASON_SIZE]);

/*
 * Returns true if the program in front may be typed to: the expected program (pane/expected.h),
 * also behind a shell that waits for it, or one that is not a shell. Otherwise returns false with a
 * reason.
 */
bool submit_guard_front(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, char ret_reason[SUBMIT_REASON_SIZE]);

/* Finds the program that gets a text typed now: only it may get Enter later. pid 0: unknown. */
void submit_guard_note(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, struct foreground_program *ret_program);

/* Checks the pane in the model. Returns false with a reason. */
bool submit_guard_pane(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane,
    char ret_reason[SUBMIT_REASON_SIZE]);

/*
 * Returns true if the program has handled its input, so that the screen shows the result: it does
 * not use the CPU, or was quiet for SUBMIT_BUSY_QUIET_MS. Always true with knows_prompt.
 */
bool submit_guard_done(const struct submit_policy *policy, const struct muxbus_pane *pane,
    int64_t quiet_ms, char ret_reason[SUBMIT_REASON_SIZE]);

bool submit_guard_terminal(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane, const struct pane_tty *tty,
    char ret_reason[SUBMIT_REASON_SIZE]);

/* quiet_ms: how long the pane has been quiet. Returns false with a reason. */
bool submit_guard_screen(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane, const struct pane_screen *screen,
    int64_t quiet_ms, char ret_reason[SUBMIT_REASON_SIZE]);

/* Returns whether a known agent's screen shows its empty prompt. */
enum submit_sight submit_guard_sight(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, const struct pane_screen *screen);

/* Returns true if Home, Delete and End are known to edit the program's prompt. */
bool submit_guard_edits(
    const struct daemon *parts, const struct pane_ref *ref, const struct muxbus_pane *pane);

/* Returns true if the screen shows neither a question nor a draft. */
bool submit_guard_empty(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, const struct pane_screen *screen);

/*
 * Returns true if the program is known to have a prompt: an agent, or the expected program. In
 * other programs a line that ends in '>' may mean anything. Otherwise returns false with a reason.
 */
bool submit_guard_known(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane,
    char ret_reason[SUBMIT_REASON_SIZE]);

/* Conditions that tmux checks in the command that types. */
struct submit_moment {
	const char *command; /* name of the program in front */
	/* The cursor has not moved, and rows match the patterns of stands(); NULL: not checked. */
	const struct pane_screen *screen;
	const struct buf *patterns;
	uint64_t activity; /* no later key, see submit_guard_activity(); 0: not checked */
};

/* Appends a tmux format that is true if the pane is still as it was seen. */
void submit_guard_write(
    struct buf *out, const struct pane_ref *ref, const struct submit_moment *moment);

/* Checks the guards that last until the program or a person acts. Returns false with a reason. */
bool submit_guard_lasting(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, char ret_reason[SUBMIT_REASON_SIZE]);

/*
 * Checks of a screen before typing. A known agent is believed if its whole screen shows its prompt:
 * a list of choices above is only part of its answer. In other programs, and on screens without the
 * agent's signs, any text around the cursor counts that looks like a choice or like work. Pure
 * functions. tests/screens.t measures them on recorded screens.
 */

#define SCREEN_GUARD_NAMES 3

struct screen_guard_facts {
	const struct screen_sign_set *signs;
	/* The program's name by its own report, its arguments and its command; "": unknown. */
	const char *names[SCREEN_GUARD_NAMES];
	const struct pane_screen *screen;
	int64_t quiet_ms; /* how long the screen has been unchanged */
	bool draws_lines; /* the program edits its lines, not the kernel */
	bool is_at_prompt; /* an agent of ensure_agent is at its prompt, whatever its form */
};

/* Returns true if a key would answer a question. */
bool screen_guard_asks(const struct screen_guard_facts *facts);

/* Returns true if an empty prompt is seen at the cursor; false with a reason. */
bool screen_guard_allows(
    const struct screen_guard_facts *facts, char ret_reason[SUBMIT_REASON_SIZE]);
