/* SPDX-License-Identifier: ISC */
/* The floor of typing: a submit as it is inside, its pane, its timer, and asking tmux. */
#pragma once

#include "daemon/input/submit_line.h"
#include "daemon/input/typing.h"
#include "daemon/pane/foreground.h"
#include "daemon/pane/presence.h"
#include "daemon/tmux/stream.h"

enum {
	SUBMIT_RETRY_MIN_MS = 250,
	SUBMIT_RETRY_MAX_MS = 10000,
	SUBMIT_OUTPUT_STEP_MS = 1, /* after output: bytes that belong together come together */
};

enum submit_stage {
	STAGE_RESTING, /* nothing is to be typed */
	STAGE_WAITING, /* until the guards allow it */
	STAGE_TYPING, /* tmux was asked to type */
	STAGE_ECHO, /* looking for the text on the prompt line */
	STAGE_SETTLING, /* before Enter */
	STAGE_SUBMITTING, /* looking for the text to leave the prompt line */
	STAGE_RETRACTING, /* looking for a text that was taken back to be gone */
};

struct submit {
	struct list link;
	struct submit_set *set;
	const struct daemon *parts;
	struct pane_ref pane;
	const struct submit_policy *policy;
	const struct submit_handlers *handlers;
	void *data;
	struct loop_timer *timer;
	enum submit_stage stage;
	bool is_asking; /* tmux owes an answer: the timer rests */
	muxbus_reply_fn *reply; /* of what is typed */
	bool is_stale; /* freed while tmux owes an answer: the answer frees the memory */
	bool is_dropped; /* the answer is not wanted any more */
	bool is_keeping; /* the pane, for what a text has started */
	struct stream_tap tap;
	bool has_tap;
	int64_t last_output_ms; /* CLOCK_MONOTONIC, as all here; or since when it is watched */
	int64_t began_ms;
	struct submit_line line;
	struct paste paste;
	unsigned before; /* times that the line was typed, or may have been, without a seen end */
	bool is_over; /* the end of the last line was seen */
	struct foreground_program typed_to; /* pid 0: not known */
	uint64_t human; /* seconds since 1970: the last key of a person before it */
	uint64_t activity; /* submit_guard_activity() of the last listing */
	int64_t retry_ms;
	char reason[SUBMIT_REASON_SIZE];
};

struct submit_set {
	const struct daemon *parts;
	struct presence_listener listener;
	struct list submits; /* oldest first */
};

void submit_arm(struct submit *submit, int64_t ms);

/* Tells the caller why nothing is typed now. */
void submit_tell_deferred(struct submit *submit, const char *reason);
/* Not now: tried again, less and less often; or the end, of a submit that looks once. */
void submit_defer(struct submit *submit, const char *reason);

/* The end of a text. Nothing is touched after the call, as it may free the submit. */
void submit_end_with(struct submit *submit, const struct submit_end *end);
void submit_end(struct submit *submit, enum submit_result result, const char *reason);
/* Gives up on a text that is typed, or may be. */
void submit_give_up(struct submit *submit, const char *reason);

/* Lets go of what it does, and of the pane; ended is not called. */
void submit_let_go(struct submit *submit);
/* The same, and frees it; at the latest when tmux has answered. */
void submit_destroy(struct submit *submit);

/* Follows the output of the pane, until the end. */
void submit_watch_output(struct submit *submit);

/* Whether another text is typed into the pane, or keeps it. */
bool submit_is_blocked(const struct submit *submit);

/* Settles that tmux owes no answer any more. False if the answer is not wanted. */
bool submit_take_answer(struct submit *submit);

enum submit_keys { SUBMIT_TEXT, SUBMIT_ENTER, SUBMIT_RETRACT };

/*
 * Types behind the guards that tmux checks itself. screen NULL: whatever it shows; pane NULL: behind
 * those of the pane's modes alone. Returns an error of the library; reply is not called then.
 */
int submit_type(struct submit *submit, enum submit_keys keys, const struct pane_screen *screen,
    const struct muxbus_pane *pane, muxbus_reply_fn *reply);
/* Whether tmux typed. */
bool submit_was_typed(const struct muxbus_reply *replies, size_t count);
