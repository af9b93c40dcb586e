/* SPDX-License-Identifier: ISC */
/*
 * Finds in a model what a text names. Only exact matches count, so that no text ever names
 * another thing than it says: no prefixes, no patterns, no "last" or "next".
 *
 *   pane      %3   or a window target, with .index or .%3 behind it (else its active pane),
 *             or a session target (the active pane of its current window)
 *   window    @2   session:index   session:name   session: (its current window)
 *             %3 (the window it is in)   or a session target
 *   session   $1   name
 *
 * '=' before a name, which tmux wants for exact matches, is allowed and changes nothing.
 */
#ifndef DAEMON_TMUX_RESOLVE_H
#define DAEMON_TMUX_RESOLVE_H

#include <muxbus.h>
#include <stdbool.h>

#include "base/buf.h"

enum resolve_kind {
	RESOLVE_SESSION,
	RESOLVE_WINDOW,
	RESOLVE_PANE,
};

enum resolve_result {
	RESOLVE_FOUND,
	RESOLVE_NONE,
	RESOLVE_AMBIGUOUS,
};

struct resolve {
	/* Those up to the kind that was asked for; session NULL for @2 and %3. */
	const struct muxbus_session *session;
	const struct muxbus_window *window;
	const struct muxbus_pane *pane;
	/* RESOLVE_NONE: the name that was probably meant, or NULL. Lent from the model. */
	const char *nearest;
	/* RESOLVE_AMBIGUOUS: what it may name, as JSON strings with commas. */
	struct buf candidates;
	char reason[256]; /* a sentence without its full stop; bytes of text in it as they came */
};

/* resolve_finish() what it gives, whatever it returns. */
enum resolve_result resolve(const struct muxbus_model *model, enum resolve_kind kind,
    const char *text, struct resolve *ret_resolve);
void resolve_finish(struct resolve *resolve);

/* The first session that holds a window, by id; NULL if none does. */
const struct muxbus_session *resolve_window_session(
    const struct muxbus_model *model, uint32_t window);

#endif
