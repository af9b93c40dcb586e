/* SPDX-License-Identifier: ISC */
/* Whether the pane that something was meant for is still there, asked of the model. */
#ifndef DAEMON_TMUX_PANE_FATE_H
#define DAEMON_TMUX_PANE_FATE_H

#include "daemon/core/pane_ref.h"

struct tmux;

/* The reference of a pane there is now; cleared if there is none of this id. */
void pane_ref_of(struct tmux *tmux, uint32_t pane, struct pane_ref *ret_ref);

enum pane_fate {
	PANE_THERE,
	PANE_UNKNOWN, /* no server is followed just now */
	PANE_GONE, /* closed, or another process or server has its number */
};
enum pane_fate pane_fate(struct tmux *tmux, const struct pane_ref *ref);

#endif
