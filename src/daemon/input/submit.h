/* SPDX-License-Identifier: ISC */
/*
 * Typing into panes. The texts of notifications, self_command, send_task, respond and send_text are
 * all typed by this engine. A submit types a text into a pane when the guards (submit_guard.h)
 * allow this, presses Enter as a separate step, and reports what was seen.
 *
 * It presses no keys but the text and Enter, and those of submit_retract(). Enter is pressed when
 * the text was seen at the cursor or is empty, or when a menu marks the choice. For a program that
 * is known to take it, another form of the text counts too. Enter is pressed again only while the
 * text is still there and all keys were read. Only one text at a time is typed into a pane. tmux
 * checks the pane in the same command that types.
 *
 * Raw texts (send_text, submit_raw.h) are an exception: only tmux checks the pane, and Enter, if
 * wanted, comes after a pause, whatever is seen.
 */
#pragma once

#include "daemon/input/submit_past.h"

#define SUBMIT_LINE_MAX 2048 /* maximum bytes of a line that reports notifications */

/* The set must outlive its submits, but not those that submit_free() left to a pending reply. */
struct submit_set *submit_set_new(const struct daemon *parts);
void submit_set_free(struct submit_set *set);

/* Makes a submit for a pane. policy and handlers must last until submit_free(). */
struct submit *submit_new(struct submit_set *set, const struct pane_ref *pane,
    const struct submit_policy *policy, const struct submit_handlers *handlers, void *data);
/* Frees the submit: now, or when the pending reply comes. NULL is accepted. */
void submit_free(struct submit *submit);

/* Sets another pane and policy for the next text. Call this only while submit_is_resting(). */
void submit_aim(
    struct submit *submit, const struct pane_ref *pane, const struct submit_policy *policy);
/*
 * Starts the next text; looks at once if one waits for the guards. Does nothing while at work,
 * unless the pending reply is that of a dropped text. A raw text may end before this returns.
 */
void submit_wake(struct submit *submit);
/* Drops the text and releases the pane; ended() is not called. */
void submit_drop(struct submit *submit);
/* Returns true while a text is being typed, or a reply of tmux is pending. */
bool submit_is_at_work(const struct submit *submit);
/* Returns true if there is no text, neither typed nor waiting. */
bool submit_is_resting(const struct submit *submit);

/* Keeps the pane for the work that a text has started: other texts but raw ones are put off. */
void submit_keep(struct submit *submit);
void submit_release(struct submit *submit);

/*
 * Returns true if a notification can perhaps be typed into a pane, now or later: a typing person, a
 * busy agent and a draft only delay it. Otherwise returns false with the reason.
 */
bool submit_can_type(
    const struct submit_set *set, const struct pane_ref *ref, char ret_reason[SUBMIT_REASON_SIZE]);

/* Returns true if there are no submits. */
bool submit_set_is_idle(const struct submit_set *set);
