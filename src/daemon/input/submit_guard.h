/* SPDX-License-Identifier: ISC */
/*
 * The guards of typing find reasons not to type into a pane now. They check the pane's state, the
 * program in front, the terminal, the screen, and whether a person is typing. tmux checks some of
 * this again, in the command that types.
 */
#pragma once

#include "daemon/core/pane_ref.h"
#include "daemon/input/submit_policy.h"
#include "daemon/pane/screen_sign.h"

#define SUBMIT_HUMAN_MS 5000 /* a person who pressed a key less than this ago is typing */
/* maximum time of required quiet (without output) if the agent itself reports idle */
#define SUBMIT_IDLE_QUIET_MS 100
#define SUBMIT_ASKING_MS 600000 /* after this time a reported question no longer counts */

struct foreground_program;
struct pane_tty;

/*
 * Returns the last activity (such as a key) of clients on terminals for which this pane is the
 * active one, in seconds since 1970; 0: none. *ret_in_prefix: one has pressed tmux's prefix key.
 */
uint64_t submit_guard_human(
    const struct tmux *tmux, const struct muxbus_pane *pane, bool *ret_in_prefix);

/*
 * Returns true if a key (seconds since 1970) is less than SUBMIT_HUMAN_MS away from now. A key in
 * the near future counts too, as the clock may have been set back.
 */
bool submit_guard_is_recent(uint64_t key);
/* Returns true if the last key of a person is recent, or was tmux's prefix key. */
bool submit_guard_is_typing(const struct tmux *tmux, const struct muxbus_pane *pane);

/* Returns the last activity (as a key) in the window's sessions, in seconds since 1970, or 0. */
uint64_t submit_guard_activity(const struct tmux *tmux, const struct muxbus_pane *pane);

/* time in which a further key may leave the activity as it is, as it has whole seconds */
#define SUBMIT_BLIND_MS 1200
/* Returns true if a further key may leave activity unchanged, as both are in one second. */
bool submit_guard_is_blind(uint64_t activity);

/*
 * Returns for how long (in ms) the pane must have been quiet before typing. Usually as configured.
 * Shorter if the agent itself reports idle. Long if it reports busy, as the report of the turn's
 * end may be missing. If it asks, for up to SUBMIT_ASKING_MS: long if its screen can show the
 * question's end, else -1: nothing may be typed. ret_reason says why it is long or -1, or is "".
 */
int64_t submit_guard_quiet_ms(
    const struct daemon *parts, const struct pane_ref *ref, char ret_reason[SUBMIT_REASON_SIZE]);

/*
 * Returns true if the program in front may be typed to: the expected program (pane/expected.h),
 * also behind a shell that waits for it. If no program is expected: a kept agent (ensure_agent), or
 * another program, but no shell and no unknown full-screen program. Returns false with a reason;
 * also if the program is stopped, or another one reads the same terminal.
 */
bool submit_guard_front(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, char ret_reason[SUBMIT_REASON_SIZE]);

/*
 * Finds the program that gets a text which is typed now; pid 0: unknown. Enter is not pressed for
 * another one, unless the program is unknown or the policy has knows_prompt.
 */
void submit_guard_note(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, struct foreground_program *ret_program);

/* Checks the pane's state, the program in front, and for a typing person. False with a reason. */
bool submit_guard_pane(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane,
    char ret_reason[SUBMIT_REASON_SIZE]);

/*
 * Returns true if the program has handled its input, so that the screen shows the result: it does
 * not use the CPU, or was quiet for SUBMIT_BUSY_QUIET_MS. Also true if the policy has knows_prompt,
 * or if the program is unknown. False with a reason.
 */
bool submit_guard_done(const struct submit_policy *policy, const struct muxbus_pane *pane,
    int64_t quiet_ms, char ret_reason[SUBMIT_REASON_SIZE]);

/*
 * Checks the terminal, unless it is unknown or the policy has knows_prompt. Returns false with a
 * reason if input is unread, or if the text would not be shown, or might not be read by the program
 * (then a shell might read it).
 */
bool submit_guard_terminal(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane, const struct pane_tty *tty,
    char ret_reason[SUBMIT_REASON_SIZE]);

/* Checks the screen; with knows_prompt only for a question. Returns false with a reason. */
bool submit_guard_screen(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane, const struct pane_screen *screen,
    int64_t quiet_ms, char ret_reason[SUBMIT_REASON_SIZE]);

/* Returns whether a known agent's screen shows its empty prompt. */
enum submit_sight submit_guard_sight(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, const struct pane_screen *screen);

/* Returns true if the keys Home, Delete and End are known to edit the program's prompt. */
bool submit_guard_edits(
    const struct daemon *parts, const struct pane_ref *ref, const struct muxbus_pane *pane);

/* Returns true if the screen has a cursor or an agent's empty prompt, and no question or draft. */
bool submit_guard_empty(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, const struct pane_screen *screen);

/*
 * Returns true if the program is known to have a prompt: the expected program, or, if none is
 * expected, a known or kept agent. In other programs a line that ends in '>' may mean anything.
 * Always true with knows_prompt. Returns false with a reason.
 */
bool submit_guard_known(const struct daemon *parts, const struct submit_policy *policy,
    const struct pane_ref *ref, const struct muxbus_pane *pane,
    char ret_reason[SUBMIT_REASON_SIZE]);

/* Values that tmux compares in the command that types, besides the state and pid of the pane. */
struct submit_moment {
	const char *command; /* name of the program in front */
	/*
	 * The cursor must be where this screen has it, and rows must match the patterns of the
	 * handler stands(). NULL: not checked.
	 */
	const struct pane_screen *screen;
	const struct buf *patterns;
	uint64_t activity; /* no later key: see submit_guard_activity(); 0: not checked */
};

/* Appends a tmux format that is true if the pane is still as it was seen, and takes input. */
void submit_guard_write(
    struct buf *out, const struct pane_ref *ref, const struct submit_moment *moment);

/* Returns false with a reason that makes waiting pointless. A mode or a draft only delays. */
bool submit_guard_lasting(const struct daemon *parts, const struct pane_ref *ref,
    const struct muxbus_pane *pane, char ret_reason[SUBMIT_REASON_SIZE]);

/*
 * Checks of a screen before typing. A known agent is believed if its whole screen shows its prompt:
 * a list of choices above the prompt is then part of its answer. In other programs, and on screens
 * without the agent's signs (pane/screen_sign.h), text around the cursor counts that looks like a
 * choice or like work. The functions have no side effects. tests/screens.t measures them on
 * recorded screens.
 */

#define SCREEN_GUARD_NAMES 3

struct screen_guard_facts {
	const struct screen_sign_set *signs;
	/* The program's names: by its report, by its arguments, and its command; "": unknown. */
	const char *names[SCREEN_GUARD_NAMES];
	const struct pane_screen *screen;
	int64_t quiet_ms; /* how long the screen has been unchanged */
	bool draws_lines; /* the program edits its lines, not the kernel */
	/* a kept agent (ensure_agent) is at its prompt, whose look does not matter then */
	bool is_at_prompt;
};

/* Returns true if a key would answer a question on the screen. */
bool screen_guard_asks(const struct screen_guard_facts *facts);

/* Returns false with a reason if the screen shows work, a question, a draft or no usable prompt. */
bool screen_guard_allows(
    const struct screen_guard_facts *facts, char ret_reason[SUBMIT_REASON_SIZE]);
