/* SPDX-License-Identifier: ISC */
/*
 * Resolves a target: finds the pane, window or session that a text names in a model. Only exact
 * matches count: no prefixes, no patterns, no "last" or "next".
 *
 *   pane      %3   or a window target, with .index or .%3 behind it (else its active pane),
 *             or a session target (the active pane of its current window)
 *   window    @2   session:index   session:name   session: (its current window)
 *             %3 (the window it is in)   or a session target
 *   session   $1   name
 *
 * A text that looks like an id is one, also if an object has it as its name.
 *
 * '=' before a name, which marks exact matches in tmux, is allowed and changes nothing.
 */
#pragma once

#include <muxbus.h>

#include "base/base.h"

enum resolve_kind { RESOLVE_SESSION, RESOLVE_WINDOW, RESOLVE_PANE };

enum resolve_result { RESOLVE_FOUND, RESOLVE_NONE, RESOLVE_AMBIGUOUS };

struct resolve {
	/* The objects that were found, up to the kind asked for; session is NULL for @2 and %3. */
	const struct muxbus_session *session;
	const struct muxbus_window *window;
	const struct muxbus_pane *pane;
	/* For RESOLVE_NONE: the nearest name of a session, owned by the model; or NULL. */
	const char *nearest;
	/* For RESOLVE_AMBIGUOUS: possible targets, as JSON strings with commas between. */
	struct buf candidates;
	char reason[400]; /* a sentence without a full stop; may have invalid UTF-8 */
};

/* Finds an object. The caller always frees ret_resolve->candidates with buf_finish(). */
enum resolve_result resolve(const struct muxbus_model *model, enum resolve_kind kind,
    const char *text, struct resolve *ret_resolve);

/* Returns the session with the lowest id that has this window; NULL: none. */
const struct muxbus_session *resolve_window_session(
    const struct muxbus_model *model, uint32_t window);
