/* SPDX-License-Identifier: ISC */
/*
 * Signs: patterns for the screens of known agents. Signs around the cursor say that a program
 * works, asks a person something, or has an empty prompt. Signs of the whole screen tell the state
 * of an agent by themselves (screen_verdict()). A file of the user may add signs.
 */
#pragma once

#include "daemon/pane/prompt.h"

/* maximum lines of the file; further lines are left out, and a warning is logged */
#define SCREEN_SIGNS_MAX 256

enum screen_sign_kind {
	SIGN_ASKING, /* around the cursor: a key would answer a question */
	SIGN_BUSY, /* around the cursor: a turn is running */
	SIGN_READY, /* the row up to the cursor is a prompt without a draft */
	SIGN_DIALOG, /* whole screen: keys do not go into a prompt, for example at a question */
	SIGN_WORK, /* whole screen: a turn is running */
	SIGN_DRAFT, /* whole screen without dim text: the prompt has a draft */
	SIGN_IDLE, /* whole screen without dim text: the prompt is empty */
	/* whatever its pattern: the keys Home, Delete and End edit a prompt of several rows */
	SIGN_EDITS,
	SIGN_KIND_COUNT_,
	SIGN_NONE = SIGN_KIND_COUNT_,
};

/*
 * Loads the built-in signs, and those of a file, which may be NULL or missing. A line has "AGENT
 * KIND PATTERN"; a line of '#' is a comment. A line replaces the built-in signs of its agent and
 * kind; without a pattern it removes them. Invalid lines are logged and ignored.
 */
struct screen_sign_set *screen_sign_set_new(const char *file);
void screen_sign_set_free(struct screen_sign_set *set);

/* Returns true if a text shows a sign of this kind. agent NULL: of any agent. */
bool screen_sign_shows(const struct screen_sign_set *set, const char *agent,
    enum screen_sign_kind kind, const char *text, size_t len);

/* Returns true if there are signs of this agent and kind. */
bool screen_sign_has(
    const struct screen_sign_set *set, const char *agent, enum screen_sign_kind kind);

/* Returns true if the file has a line for this agent and kind; SIGN_KIND_COUNT_: for any kind. */
bool screen_sign_is_named(
    const struct screen_sign_set *set, const char *agent, enum screen_sign_kind kind);

/*
 * Judges the state of a known agent from its screen alone. Returns SIGN_DIALOG, SIGN_WORK,
 * SIGN_DRAFT or SIGN_IDLE: the first of them with a pattern that matches the lower rows; else
 * SIGN_NONE. tests/screens.t measures this on recorded screens.
 */
enum screen_sign_kind screen_verdict(
    const struct screen_sign_set *signs, const char *agent, const struct prompt_view *view);
