/* SPDX-License-Identifier: ISC */
/*
 * Typing into panes: all texts go through here, of notices, self_command, send_task, respond
 * and send_text. A submit types a text into a pane when the guards of its policy allow that,
 * presses Enter as a step of its own, and reports what was seen.
 *
 * Nothing is pressed but the text and Enter. Enter is pressed when the text was seen at the
 * cursor, and again only while the text still stands there and all keys were read. One text at
 * a time is typed into a pane. tmux checks the pane in the same command that types.
 */
#pragma once

#include "daemon/input/submit_policy.h"

#define SUBMIT_LINE_MAX 2048 /* bytes of a line that waits for a prompt */

struct json_writer;

/* Lives longer than its submits, but for those that wait for tmux. */
struct submit_set *submit_set_new(const struct daemon *parts);
void submit_set_free(struct submit_set *set);

/* policy and handlers are lent. */
struct submit *submit_new(struct submit_set *set, const struct pane_ref *pane,
    const struct submit_policy *policy, const struct submit_handlers *handlers, void *data);
void submit_free(struct submit *submit);

/* Another pane and policy for the next text. Only while it rests. */
void submit_aim(
    struct submit *submit, const struct pane_ref *pane, const struct submit_policy *policy);
/* Begins, or looks at once, unless it is at work. */
void submit_wake(struct submit *submit);
/* Lets go of what it does, and of the pane; ended is not called. */
void submit_drop(struct submit *submit);
/* Whether it types, or asks tmux something. */
bool submit_is_at_work(const struct submit *submit);
/* Whether it rests: nothing is typed or waits to be. */
bool submit_is_resting(const struct submit *submit);

/* Keeps the pane for what a text has started: others wait. */
void submit_keep(struct submit *submit);
void submit_release(struct submit *submit);

/*
 * A line that may have been typed by an earlier daemon. If it stands at the prompt, it is not
 * typed again but submitted. before is submit_typed_before() of that daemon.
 */
void submit_resume(struct submit *submit, const char *line, size_t len, unsigned before);
/* How often, at most, the line was typed before without its end being seen. */
unsigned submit_typed_before(const struct submit *submit);

/* Members of a receipt: what was seen. None if nothing was typed. */
void submit_write_evidence(
    const struct submit *submit, enum submit_result result, struct json_writer *writer);
/* The evidence of the typing of the last text. */
struct submit_typing {
	bool is_typed; /* false: nothing was typed, and nothing else counts */
	bool is_echo_seen;
	unsigned enters;
	int64_t typing_ms; /* until Enter */
};
void submit_read_typing(const struct submit *submit, struct submit_typing *ret_typing);

/*
 * Whether a notice can be typed into a pane: false with the reason, if that does not pass by
 * itself. A person who types, a busy agent and a draft do.
 */
bool submit_can_type(
    const struct submit_set *set, const struct pane_ref *ref, char ret_reason[SUBMIT_REASON_SIZE]);

/* Whether neither a question nor a draft is on the screen of a pane. */
bool submit_sees_empty(const struct submit_set *set, const struct pane_ref *ref,
    const struct muxbus_pane *pane, const struct pane_screen *screen);

/* Whether no text is being typed. */
bool submit_set_is_idle(const struct submit_set *set);
