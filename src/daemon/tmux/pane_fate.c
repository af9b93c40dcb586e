/* SPDX-License-Identifier: ISC */
/* Whether a referenced pane still exists. */
#include "daemon/tmux/pane_fate.h"

#include <muxbus.h>

#include <stdio.h>

#include "base/process.h"
#include "daemon/tmux/tmux.h"
#include "wire/json.h"

void pane_ref_of(struct tmux *tmux, uint32_t pane, struct pane_ref *ret_ref)
{
	const struct muxbus_pane *found;
	struct muxbus_sync_info info;
	pane_ref_clear(ret_ref);
	if (pane == MUXBUS_NO_ID || !tmux_is_live(tmux))
		return;
	found = muxbus_model_pane(tmux_model(tmux), pane);
	if (found == NULL)
		return;
	muxbus_sync_info(tmux_sync(tmux), &info);
	*ret_ref = (struct pane_ref){
	    .pane = pane,
	    .pane_pid = found->pid,
	    .server_pid = info.pid,
	    .server_start = process_start_ticks(info.pid),
	};
}

enum pane_fate pane_fate(struct tmux *tmux, const struct pane_ref *ref)
{
	const struct muxbus_pane *pane;
	struct pane_ref now;
	if (!tmux_is_live(tmux))
		return PANE_UNKNOWN;
	pane_ref_of(tmux, ref->pane, &now);
	pane = muxbus_model_pane(tmux_model(tmux), ref->pane);
	/* On tmux 3.8 a dead pane has no process; pane ids are never used twice. */
	if (pane != NULL && pane->is_dead && pane->pid == 0)
		now.pane_pid = ref->pane_pid;
	return pane_ref_same_pane(&now, ref) ? PANE_THERE : PANE_GONE;
}

void pane_fate_write_gone(
    struct json_writer *writer, struct tmux *tmux, const char *name, const struct pane_ref *ref)
{
	char gone[32];
	if (ref->pane == MUXBUS_NO_ID || tmux == NULL || pane_fate(tmux, ref) != PANE_GONE)
		return;
	snprintf(gone, sizeof gone, "%s_gone", name);
	json_put_bool(writer, gone, true);
}

void pane_fate_write(
    struct json_writer *writer, struct tmux *tmux, const char *name, const struct pane_ref *ref)
{
	if (ref->pane != MUXBUS_NO_ID)
		json_put_id(writer, name, '%', ref->pane);
	else
		json_put_null(writer, name);
	pane_fate_write_gone(writer, tmux, name, ref);
}
