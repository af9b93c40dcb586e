/* SPDX-License-Identifier: ISC */
/* The state of a submit, and what its files share: pane and timer, its end, its tmux commands. */
#pragma once

#include "daemon/input/submit_line.h"
#include "daemon/input/typing.h"
#include "daemon/pane/foreground.h"
#include "daemon/pane/presence.h"
#include "daemon/tmux/stream.h"

enum {
	SUBMIT_RETRY_MIN_MS = 250,
	SUBMIT_RETRY_MAX_MS = 10000,
	/* delay of a look after output, so that more of the output has come */
	SUBMIT_OUTPUT_STEP_MS = 1,
};

enum submit_stage {
	STAGE_RESTING, /* no text */
	STAGE_WAITING, /* waits for the guards */
	STAGE_TYPING, /* waits for tmux's reply to typing */
	STAGE_ECHO, /* looks for the text on the prompt line */
	STAGE_SETTLING, /* waits to press Enter */
	STAGE_SUBMITTING, /* looks whether the text has left the prompt line */
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
	int64_t last_output_ms; /* CLOCK_MONOTONIC, as began_ms */
	int64_t began_ms;
	struct submit_line line;
	struct paste paste;
	unsigned before; /* how often the line may have been typed without its end being seen */
	bool is_over; /* the end of the last line was seen, so it is not typed again */
	struct foreground_program typed_to; /* the program that got the text; pid 0: unknown */
	/* when a person pressed the last key before Muxbus typed, in seconds since 1970 */
	uint64_t human;
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
/* Puts typing off, with the same reason longer each time. A submit with is_once ends. */
void submit_defer(struct submit *submit, const char *reason);

/* Ends a text and calls ended(), which may free the submit. */
void submit_end_with(struct submit *submit, const struct submit_end *end);
void submit_end(struct submit *submit, enum submit_result result, const char *reason);
/* Ends a text that cannot be typed or submitted: the pane is closed, or it has no effect. */
void submit_give_up(struct submit *submit, const char *reason);

/* Drops the text and releases the pane, without calling ended(). */
void submit_let_go(struct submit *submit);
/* Like submit_let_go(), and frees the submit: now, or when the pending reply comes. */
void submit_destroy(struct submit *submit);

/* Listens to the output of the pane, unless this is done already. */
void submit_watch_output(struct submit *submit);

/* Returns true if another text is being typed into the pane, or keeps the pane. */
bool submit_is_blocked(const struct submit *submit);

/*
 * Call this first when a reply comes. Returns false if the reply must be ignored, as the text was
 * dropped or the submit freed.
 */
bool submit_take_answer(struct submit *submit);

enum submit_keys { SUBMIT_TEXT, SUBMIT_ENTER, SUBMIT_RETRACT };

/*
 * Types, if tmux finds the pane as expected (submit_guard_write()). Returns 0, or an error, and
 * then reply is not called.
 */
int submit_type(struct submit *submit, enum submit_keys keys, const struct pane_screen *screen,
    const struct muxbus_pane *pane, muxbus_reply_fn *reply);
/* Returns true if the replies say that tmux typed. */
bool submit_was_typed(const struct muxbus_reply *replies, size_t count);
