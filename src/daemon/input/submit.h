/* SPDX-License-Identifier: ISC */
/*
 * Typing into panes: texts of notices, self_command, send_task, respond and send_text all go
 * through here. A submit types a text into a pane when the guards of its policy allow this, presses
 * Enter as a separate step, and reports what was seen.
 *
 * It presses no keys but the text and Enter, and those of submit_retract(). Enter is pressed when
 * the text was seen at the cursor, and again only while the text is still there and all keys were
 * read. Into one pane, only one text at a time is typed. tmux checks the pane in the same command
 * that types.
 */
#pragma once

#include "daemon/input/submit_past.h"

#define SUBMIT_LINE_MAX 2048 /* bytes of a line that waits for a prompt */

/* Outlives its submits, except those with a pending reply of tmux. */
struct submit_set *submit_set_new(const struct daemon *parts);
void submit_set_free(struct submit_set *set);

/* policy and handlers are lent until submit_free(). */
struct submit *submit_new(struct submit_set *set, const struct pane_ref *pane,
    const struct submit_policy *policy, const struct submit_handlers *handlers, void *data);
void submit_free(struct submit *submit);

/* Another pane and policy for the next text. Only while submit_is_resting(). */
void submit_aim(
    struct submit *submit, const struct pane_ref *pane, const struct submit_policy *policy);
/* Starts the next text, or looks at once if one waits. Does nothing while at work. */
void submit_wake(struct submit *submit);
/* Drops the text and releases the pane, without calling ended(). */
void submit_drop(struct submit *submit);
/* Returns true if it is typing, or waits for a reply of tmux. */
bool submit_is_at_work(const struct submit *submit);
/* Returns true if no text is typed or waits. */
bool submit_is_resting(const struct submit *submit);

/* Keeps the pane for the work that a text has started: other texts wait. */
void submit_keep(struct submit *submit);
void submit_release(struct submit *submit);

/*
 * Returns true if a notice can be typed into a pane, now or later: a typing person, a busy agent
 * and a draft only delay it. Otherwise returns false with the reason.
 */
bool submit_can_type(
    const struct submit_set *set, const struct pane_ref *ref, char ret_reason[SUBMIT_REASON_SIZE]);

bool submit_set_is_idle(const struct submit_set *set);
