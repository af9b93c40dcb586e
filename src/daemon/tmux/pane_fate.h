/* SPDX-License-Identifier: ISC */
/* Pane fate: whether the pane of a pane_ref still exists in the model. */
#pragma once

#include "daemon/core/pane_ref.h"

struct json_writer;
struct tmux;

/* The reference of an existing pane; cleared if none has this id. */
void pane_ref_of(struct tmux *tmux, uint32_t pane, struct pane_ref *ret_ref);

enum pane_fate {
	PANE_THERE,
	PANE_UNKNOWN, /* no server is followed now */
	PANE_GONE, /* closed, or another process or server has its number */
};
enum pane_fate pane_fate(struct tmux *tmux, const struct pane_ref *ref);

/*
 * Writes the pane of a list under a name, or null; and of one that is gone a second member with
 * "_gone" behind the name: another pane may have its id now. The second part alone, too.
 */
void pane_fate_write(
    struct json_writer *writer, struct tmux *tmux, const char *name, const struct pane_ref *ref);
void pane_fate_write_gone(
    struct json_writer *writer, struct tmux *tmux, const char *name, const struct pane_ref *ref);
