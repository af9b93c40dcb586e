/* SPDX-License-Identifier: ISC */
/*
 * Signs on the screens of known agents, as patterns. Those around the cursor refine what is
 * judged without them: that a program works, that it asks a person, and what stands before an
 * empty prompt that other programs would not have there. Those of the whole screen tell the state
 * of an agent by themselves (screen_verdict()). A file adds to them.
 */
#pragma once

#include "daemon/pane/prompt.h"

#define SCREEN_SIGNS_MAX 256 /* rows of the file that are read */

enum screen_sign_kind {
	SIGN_ASKING, /* in the rows around the cursor: a key would be an answer */
	SIGN_BUSY, /* in the rows around the cursor: a turn goes on */
	SIGN_READY, /* the row up to the cursor: it is a prompt, and no draft */
	SIGN_DIALOG, /* of the whole screen: a key would be an answer */
	SIGN_WORK, /* a turn goes on */
	SIGN_DRAFT, /* without dim text: there is something in the prompt */
	SIGN_IDLE, /* the same: the prompt is empty */
	SIGN_EDITS, /* no sign: Home, Delete and End edit the whole prompt, also over its rows */
	SIGN_KIND_COUNT_,
	SIGN_NONE = SIGN_KIND_COUNT_,
};

/*
 * The signs that are built in, and those of a file (NULL, or one that is not there: none):
 * "AGENT KIND PATTERN" a line, KIND being asking, busy, ready, dialog, work, draft, idle or edits.
 * '#' begins a comment. A row of the file replaces what is built in of its agent and kind; without a
 * pattern it only removes it. Lines that are wrong are logged, and count for nothing.
 */
struct screen_sign_set *screen_sign_set_new(const char *file);
void screen_sign_set_free(struct screen_sign_set *set);

/* Whether a text shows a sign of that agent. NULL: of any, and those of all programs. */
bool screen_sign_shows(const struct screen_sign_set *set, const char *agent,
    enum screen_sign_kind kind, const char *text, size_t len);

/* Whether there is a sign of that agent and kind, built in or of the file. */
bool screen_sign_has(
    const struct screen_sign_set *set, const char *agent, enum screen_sign_kind kind);

/* Whether the file has a row of that agent: of this kind, or SIGN_KIND_COUNT_ for any. */
bool screen_sign_is_named(
    const struct screen_sign_set *set, const char *agent, enum screen_sign_kind kind);

/*
 * The state of a known agent by its screen alone: a dialog, work, a draft, or an empty prompt. The
 * signs are patterns for the lower rows of the screen (screen_sign.h); the first kind that is
 * shown counts, in that order. Pure. tests/screens.t has the rates on recorded screens.
 */

/* SIGN_NONE: nothing is shown that is known of this agent. */
enum screen_sign_kind screen_verdict(
    const struct screen_sign_set *signs, const char *agent, const struct prompt_view *view);
