/* SPDX-License-Identifier: ISC */
/*
 * What speaks against typing into a pane: who is in front, what the terminal is set to,
 * whether somebody is there. What tmux itself can tell is also asked inside the server, in
 * the command that types.
 */
#ifndef DAEMON_INPUT_TYPIST_GUARD_H
#define DAEMON_INPUT_TYPIST_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "daemon/core/pane_ref.h"

struct daemon;
struct pane_screen;
struct muxbus_pane;
struct pane_tty;

#define TYPIST_REASON_SIZE 160
#define TYPIST_HUMAN_MS 5000 /* after a person's last key */

/* Seconds since 1970 of the last key of a person who looks at this pane; 0: nobody does. */
uint64_t typist_human(
    const struct daemon *daemon, const struct muxbus_pane *pane, bool *ret_in_prefix);

#define TYPIST_IDLE_QUIET_MS 100 /* of a pane whose agent says that it is idle, at most */
#define TYPIST_BUSY_QUIET_MS 15000 /* after which one that says it is busy is looked at again */
#define TYPIST_ASKING_MS 600000 /* after which one that asks is looked at again */

/*
 * How long a pane must have been quiet, by what its agent reports: an idle one for a moment,
 * one that reports nothing as long as is set, a busy one so long that its report of the end
 * must have been missed. ret_reason: why it is longer, or "". -1: not while it asks.
 */
int64_t typist_quiet_ms(
    const struct daemon *daemon, const struct pane_ref *ref, char ret_reason[TYPIST_REASON_SIZE]);

/* What the model says against it; false with a reason. */
bool typist_may_type(const struct daemon *daemon, const struct pane_ref *ref,
    const struct muxbus_pane *pane, char ret_reason[TYPIST_REASON_SIZE]);

/* What the terminal says against it. */
bool typist_terminal_allows(const struct daemon *daemon, const struct pane_ref *ref,
    const struct muxbus_pane *pane, const struct pane_tty *tty,
    char ret_reason[TYPIST_REASON_SIZE]);

/* What the screen says against it; quiet_ms is since when the pane has been quiet. */
bool typist_screen_allows(const struct daemon *daemon, const struct pane_ref *ref,
    const struct muxbus_pane *pane, const struct pane_screen *screen, int64_t quiet_ms,
    char ret_reason[TYPIST_REASON_SIZE]);

/* The format that tmux evaluates: all this is still so, and the cursor has not moved. */
void typist_write_guard(struct buf *out, const struct pane_ref *ref, const char *command,
    const struct pane_screen *screen);

#endif
