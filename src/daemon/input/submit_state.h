/* SPDX-License-Identifier: ISC */
/* The state of a submit, and functions for it that the files submit*.c share. */
#pragma once

#include "daemon/input/submit_line.h"
#include "daemon/input/typing.h"
#include "daemon/pane/foreground.h"
#include "daemon/pane/presence.h"
#include "daemon/tmux/stream.h"

enum {
	SUBMIT_RETRY_MIN_MS = 250,
	SUBMIT_RETRY_MAX_MS = 10000,
	/* delay of a look after output or keys, so that more of the output has come */
	SUBMIT_OUTPUT_STEP_MS = 1,
};

enum submit_stage {
	STAGE_RESTING, /* no text */
	STAGE_WAITING, /* waits for the guards */
	STAGE_TYPING, /* waits for tmux's reply to typing */
	STAGE_ECHO, /* looks for the text on the prompt line, or for an effect on the menu */
	STAGE_SETTLING, /* waits to press Enter, and then for tmux's reply to Enter */
	STAGE_SUBMITTING, /* looks whether the text has left the prompt line, or the menu is gone */
	STAGE_RETRACTING, /* looks whether a deleted text is gone */
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
	bool is_asking; /* a reply of tmux is pending; meanwhile the timer does nothing */
	muxbus_reply_fn *reply; /* handler of the reply to typing */
	bool is_stale; /* submit_free() was called: freed when the pending reply comes */
	bool is_dropped; /* the text was dropped: the pending reply is ignored */
	/* The last text keeps the pane (submit_keep()). */
	bool is_keeping;
	struct stream_tap tap;
	bool has_tap;
	int64_t last_output_ms; /* or begin of listening; CLOCK_MONOTONIC, as began_ms */
	int64_t began_ms;
	struct submit_line line;
	struct paste paste;
	unsigned before; /* how often the line may have been typed without its end being seen */
	bool is_over; /* the last line has ended or was taken back: `before` counts from 0 again */
	struct foreground_program typed_to; /* the program that got the text; pid 0: unknown */
	uint64_t human; /* submit_guard_human() before Muxbus typed */
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

/* Tells the caller why nothing is typed now. Another reason than before resets the delay. */
void submit_tell_deferred(struct submit *submit, const char *reason);
/* Puts typing off, in general longer each time for the same reason. With is_once, ends the text. */
void submit_defer(struct submit *submit, const char *reason);

/* Ends a text and calls ended(), which may free the submit. */
void submit_end_with(struct submit *submit, const struct submit_end *end);
void submit_end(struct submit *submit, enum submit_result result, const char *reason);
/* Like submit_end(), with SUBMIT_TYPED if the text may have been typed, else SUBMIT_REFUSED. */
void submit_give_up(struct submit *submit, const char *reason);

/* Drops the text and releases the pane, without calling ended(). */
void submit_let_go(struct submit *submit);
/* Like submit_let_go(), and frees the submit: now, or when the pending reply comes. */
void submit_destroy(struct submit *submit);

/* Listens to the output of the pane, unless this is done already. */
void submit_watch_output(struct submit *submit);

/* Returns true if the text must wait for another one of the pane, as one that is being typed. */
bool submit_is_blocked(const struct submit *submit);

/*
 * Call this first when a reply comes. Returns false if the reply must be ignored, as the text was
 * dropped or the submit freed.
 */
bool submit_take_answer(struct submit *submit);

enum submit_keys { SUBMIT_TEXT, SUBMIT_ENTER, SUBMIT_RETRACT };

/*
 * Types, if tmux finds the pane as expected (submit_guard_write()). screen NULL: tmux does not
 * compare the screen. pane NULL: tmux checks only that the pane takes input and policy->only.
 * Returns 0, or an error, and then reply is not called.
 */
int submit_type(struct submit *submit, enum submit_keys keys, const struct pane_screen *screen,
    const struct muxbus_pane *pane, muxbus_reply_fn *reply);
/* Returns false if there is no reply, or the last one says that tmux did not type. */
bool submit_was_typed(const struct muxbus_reply *replies, size_t count);
