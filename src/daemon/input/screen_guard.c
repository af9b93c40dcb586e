/* SPDX-License-Identifier: ISC */
/* The reasons of a screen against typing. */
#include "daemon/input/screen_guard.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "daemon/pane/pane_screen.h"
#include "daemon/pane/screen_verdict.h"

enum { AROUND_MAX = 64 * 1024, COMMAND_AT = SCREEN_GUARD_NAMES - 1 };

/* The name of the agent whose whole screen is known; NULL: none is. */
static const char *known_name(const struct screen_guard_facts *facts)
{
	for (size_t at = 0; at < COMMAND_AT; at++) {
		if (screen_sign_has(facts->signs, facts->names[at], SIGN_DIALOG))
			return facts->names[at];
	}
	return NULL;
}

bool screen_guard_is_known(const struct screen_guard_facts *facts)
{
	return known_name(facts) != NULL;
}

enum screen_sign_kind screen_guard_sign(const struct screen_guard_facts *facts)
{
	const char *name = known_name(facts);
	return name != NULL ? screen_verdict(facts->signs, name, &facts->screen->view) : SIGN_NONE;
}

static bool is_prompt(enum screen_sign_kind sign)
{
	return sign == SIGN_IDLE || sign == SIGN_DRAFT;
}

bool screen_guard_asks(const struct screen_guard_facts *facts)
{
	enum screen_sign_kind sign = screen_guard_sign(facts);
	return sign == SIGN_DIALOG || (facts->screen->prompt.is_question && !is_prompt(sign));
}

/* Whether a text shows a sign of the program, by any of its names. */
static bool shows(const struct screen_guard_facts *facts, enum screen_sign_kind kind,
    const char *text, size_t len)
{
	bool is_set = false;
	for (size_t at = 0; at < SCREEN_GUARD_NAMES; at++) {
		if (screen_sign_shows(facts->signs, facts->names[at], kind, text, len))
			return true;
		is_set |= screen_sign_is_named(facts->signs, facts->names[at], kind);
	}
	/* A sign of work counts in any program, unless the user's file has the program's own. */
	return kind == SIGN_BUSY && !is_set &&
	    screen_sign_shows(facts->signs, NULL, kind, text, len);
}

/* The reason of the rows around the cursor against typing; NULL: none. */
static const char *find_sign(const struct screen_guard_facts *facts, enum screen_sign_kind sign)
{
	const char *reason = NULL;
	struct buf around;
	if (is_prompt(sign))
		return NULL;
	buf_init(&around, AROUND_MAX);
	prompt_write_around(&facts->screen->view, &around);
	/* A program at work keeps drawing: a screen that has been still for long is only text. */
	if (facts->quiet_ms < SUBMIT_BUSY_QUIET_MS &&
	    (sign == SIGN_WORK || shows(facts, SIGN_BUSY, (const char *)around.data, around.len)))
		reason = "its screen says that it is busy";
	if (shows(facts, SIGN_ASKING, (const char *)around.data, around.len))
		reason = "its screen asks a person something";
	buf_finish(&around);
	return reason;
}

bool screen_guard_allows(
    const struct screen_guard_facts *facts, char ret_reason[SUBMIT_REASON_SIZE])
{
	const struct prompt *prompt = &facts->screen->prompt;
	enum screen_sign_kind sign = screen_guard_sign(facts);
	const char *reason = find_sign(facts, sign);
	bool is_ready = sign == SIGN_IDLE ||
	    (!prompt->has_right_draft &&
		shows(facts, SIGN_READY, prompt->line, strlen(prompt->line)));
	ret_reason[0] = '\0';
	if (!facts->screen->has_cursor)
		reason = "no cursor is seen, so no prompt";
	if (reason != NULL)
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "%s", reason);
	else if (sign == SIGN_DRAFT || (prompt->has_draft && !is_ready && !facts->is_at_prompt))
		snprintf(ret_reason, SUBMIT_REASON_SIZE,
		    "there is something on the prompt line: \"%.80s\"", prompt->line);
	else if (prompt->is_shell && !is_ready)
		snprintf(ret_reason, SUBMIT_REASON_SIZE, "the prompt looks like a shell's");
	else
		return true;
	return false;
}
