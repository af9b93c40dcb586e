/* SPDX-License-Identifier: ISC */
/* Pane fate: whether the pane of a pane_ref still exists in the model. */
#ifndef DAEMON_TMUX_PANE_FATE_H
#define DAEMON_TMUX_PANE_FATE_H

#include "daemon/core/pane_ref.h"

struct tmux;

/* The reference of an existing pane; cleared if none has this id. */
void pane_ref_of(struct tmux *tmux, uint32_t pane, struct pane_ref *ret_ref);

enum pane_fate {
	PANE_THERE,
	PANE_UNKNOWN, /* no server is followed now */
	PANE_GONE, /* closed, or another process or server has its number */
};
enum pane_fate pane_fate(struct tmux *tmux, const struct pane_ref *ref);

#endif
