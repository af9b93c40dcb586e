/* SPDX-License-Identifier: ISC */
/*
 * The reasons of a screen against typing. A known agent whose whole screen shows its prompt is believed:
 * a list of choices or a question above that is an answer of the agent. Of other programs, and of
 * screens that show none of the agent's signs, any text around the cursor that looks like a choice
 * or like work counts. Pure. tests/screens.t has the rates on recorded screens.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/input/submit_policy.h"
#include "daemon/pane/screen_sign.h"

#define SCREEN_GUARD_NAMES 3

struct screen_guard_facts {
	const struct screen_sign_set *signs;
	/* Of the program, "" where it has none: as it reports itself, by its words, its command. */
	const char *names[SCREEN_GUARD_NAMES];
	const struct pane_screen *screen;
	int64_t quiet_ms; /* for how long it has been as it is */
	bool is_at_prompt; /* a kept agent's, of whatever form it is */
};

/* The sign that the whole screen shows of the agent. SIGN_NONE: it is not known, or shows none. */
enum screen_sign_kind screen_guard_sign(const struct screen_guard_facts *facts);

/* Whether the whole screen of the agent is known. */
bool screen_guard_is_known(const struct screen_guard_facts *facts);

/* Whether a key would be an answer. */
bool screen_guard_asks(const struct screen_guard_facts *facts);

/* Whether an empty prompt is at the cursor, as far as a screen tells; false with a reason. */
bool screen_guard_allows(
    const struct screen_guard_facts *facts, char ret_reason[SUBMIT_REASON_SIZE]);
