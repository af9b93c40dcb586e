/* SPDX-License-Identifier: ISC */
/* Audits of the model. */
#include "lib/sync/audit.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "lib/model/change.h"
#include "lib/sync/lister.h"

/* The most listings that are tried: a server that always changes cannot be compared. */
#define TRIES_MAX 8

enum stage {
	STAGE_SETTLE, /* a listing, until no announcement is pending */
	STAGE_COMPARE, /* a listing: its differences were not announced, or not yet */
	STAGE_CONFIRM, /* a listing, during which late announcements arrive */
};

struct audit {
	struct muxbus_sync *sync;
	muxbus_audit_fn *done;
	void *data;
	enum stage stage;
	unsigned tries;
	uint64_t announced; /* when the stage began */
	unsigned count;
	char difference[128];
};

static bool is_never_announced(enum muxbus_change_kind kind)
{
	return kind == MUXBUS_CHANGE_TITLE_CHANGED || kind == MUXBUS_CHANGE_COMMAND_CHANGED ||
	    kind == MUXBUS_CHANGE_PATH_CHANGED || kind == MUXBUS_CHANGE_PANE_EXITED ||
	    kind == MUXBUS_CHANGE_WINDOW_ALERT;
}

void audit_note(struct muxbus_sync *sync, const struct change_list *list)
{
	sync->differences = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct muxbus_change *change = &list->items[i];
		if (is_never_announced(change->kind) || sync->differences++ > 0)
			continue;
		snprintf(sync->difference, sizeof sync->difference,
		    "%s: session %lld, window %lld, pane %lld", muxbus_change_name(change->kind),
		    change->session == MUXBUS_NO_ID ? -1 : (long long)change->session,
		    change->window == MUXBUS_NO_ID ? -1 : (long long)change->window,
		    change->pane == MUXBUS_NO_ID ? -1 : (long long)change->pane);
	}
}

static void finish(struct audit *audit, int error)
{
	struct muxbus_sync *sync = audit->sync;
	if (error == 0) {
		sync->audits++;
		sync->drift += audit->count;
	}
	audit->done(audit->data, error, audit->count, audit->count > 0 ? audit->difference : NULL);
	mem_free(audit);
}

static void on_listed(void *data, int error);

static void list_for(struct audit *audit, enum stage stage)
{
	int error;
	audit->stage = stage;
	audit->announced = audit->sync->announced;
	error = lister_wait(audit->sync, 0, on_listed, audit);
	if (error != 0)
		finish(audit, error);
}

static void on_listed(void *data, int error)
{
	struct audit *audit = data;
	bool was_quiet = audit->announced == audit->sync->announced;
	if (error != 0 || (!was_quiet && ++audit->tries == TRIES_MAX)) {
		finish(audit, error);
		return;
	}
	if (audit->stage == STAGE_COMPARE && was_quiet) {
		audit->count = audit->sync->differences;
		memcpy(audit->difference, audit->sync->difference, sizeof audit->difference);
	}
	if (!was_quiet) {
		audit->count = 0;
		list_for(audit, STAGE_SETTLE);
	} else if (audit->stage == STAGE_SETTLE) {
		list_for(audit, STAGE_COMPARE);
	} else if (audit->stage == STAGE_COMPARE && audit->count > 0) {
		list_for(audit, STAGE_CONFIRM);
	} else {
		finish(audit, 0);
	}
}

int muxbus_sync_audit(struct muxbus_sync *sync, muxbus_audit_fn *done, void *data)
{
	struct audit *audit;
	int error;
	if (sync->state != MUXBUS_SYNC_LIVE || !sync->is_started)
		return MUXBUS_ERR_UNAVAILABLE;
	audit = mem_calloc(1, sizeof *audit);
	if (audit == NULL)
		return MUXBUS_ERR_NOMEM;
	audit->sync = sync;
	audit->done = done;
	audit->data = data;
	audit->stage =
	    sync->lister.is_dirty || sync->lister.is_running ? STAGE_SETTLE : STAGE_COMPARE;
	audit->announced = sync->announced;
	error = lister_wait(sync, 0, on_listed, audit);
	if (error != 0)
		mem_free(audit);
	return error;
}
