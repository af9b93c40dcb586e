/* SPDX-License-Identifier: ISC */
#include "lib/sync/drift.h"

#include "lib/connection/command.h"
#include "lib/model/change.h"
#include "lib/model/model.h"
#include "lib/sync/attachment.h"
#include "lib/sync/lister.h"

/* If the server changes during so many listings, the audit ends without a comparison. */
#define TRIES_MAX 8

enum stage {
	STAGE_SETTLE, /* lists until no change is announced meanwhile */
	STAGE_COMPARE, /* lists; a difference was not announced, or its event comes late */
	STAGE_CONFIRM, /* lists after all connections have answered and no event can come late */
};

static const struct parts everything = {.all = true};

struct audit {
	struct muxbus_sync *sync;
	muxbus_audit_fn *done;
	void *data;
	enum stage stage;
	unsigned tries;
	uint64_t announced; /* sync->announced at the start of the last listing before CONFIRM */
	unsigned count;
	unsigned awaited;
	bool is_lost; /* a connection has failed to answer */
	char difference[128];
};

/* Returns true if the connection has got all announcements since the last whole listing began. */
static bool hears_all(const struct attachment *attachment)
{
	return attachment != NULL && attachment->state == ATTACHMENT_LIVE &&
	    attachment->on_since < attachment->sync->lister.whole;
}

static bool is_window_heard(const struct muxbus_sync *sync, uint32_t window)
{
	const struct muxbus_link *link = model_first_link(sync->model, window);
	for (; link != NULL; link = model_next_window_link(sync->model, link))
		if (hears_all(attachment_find(sync, link->session)))
			return true;
	return false;
}

static bool is_any_heard(const struct muxbus_sync *sync)
{
	list_each (struct attachment, attachment, &sync->attachments, link)
		if (hears_all(attachment))
			return true;
	return false;
}

/* Returns true if tmux should have announced a change to a connection of ours. */
static bool is_announced(const struct muxbus_sync *sync, const struct muxbus_change *change)
{
	switch (change->kind) {
	case MUXBUS_CHANGE_TITLE_CHANGED:
	case MUXBUS_CHANGE_COMMAND_CHANGED:
	case MUXBUS_CHANGE_PATH_CHANGED:
	case MUXBUS_CHANGE_PANE_EXITED:
	case MUXBUS_CHANGE_PANE_RESPAWNED:
	case MUXBUS_CHANGE_WINDOW_ALERT:
		return false;
	/* Announced only to the connections of the window's sessions. */
	case MUXBUS_CHANGE_ACTIVE_PANE_CHANGED:
	case MUXBUS_CHANGE_LAYOUT_CHANGED:
	case MUXBUS_CHANGE_MODE_CHANGED:
	case MUXBUS_CHANGE_PANE_CLOSED:
	case MUXBUS_CHANGE_PANE_CREATED:
	case MUXBUS_CHANGE_PANE_MOVED:
		return is_window_heard(sync, change->window) ||
		    is_window_heard(sync, change->previous_window);
	default:
		return is_any_heard(sync);
	}
}

void drift_note(struct muxbus_sync *sync, const struct change_list *list)
{
	sync->differences = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct muxbus_change *change = &list->items[i];
		if (!is_announced(sync, change) || sync->differences++ > 0)
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
	if (audit->done != NULL)
		audit->done(
		    audit->data, error, audit->count, audit->count > 0 ? audit->difference : NULL);
	mem_free(audit);
}

static void on_listed(void *data, int error);

static void list_for(struct audit *audit, enum stage stage)
{
	int error;
	audit->stage = stage;
	if (stage != STAGE_CONFIRM)
		audit->announced = audit->sync->announced;
	error = lister_wait(audit->sync, &everything, 0, on_listed, audit);
	if (error != 0)
		finish(audit, error);
}

static void take_answer(struct audit *audit)
{
	if (--audit->awaited > 0)
		return;
	if (audit->is_lost)
		audit->sync->announced++;
	list_for(audit, STAGE_CONFIRM);
}

static void on_answer(
    void *data, int error, const struct muxbus_reply *replies UNUSED, size_t count UNUSED)
{
	struct audit *audit = data;
	audit->is_lost |= error != 0;
	take_answer(audit);
}

/* Asks all connections for an answer, since a closed connection gets no events. */
static void ask_connections(struct audit *audit)
{
	audit->is_lost = false;
	audit->awaited = 1;
	list_each (struct attachment, attachment, &audit->sync->attachments, link) {
		if (attachment->state == ATTACHMENT_LIVE &&
		    attachment_run(
			attachment, command_with(COMMAND_NOTHING, NULL), on_answer, audit) == 0)
			audit->awaited++;
	}
	take_answer(audit);
}

static void on_listed(void *data, int error)
{
	struct audit *audit = data;
	bool was_quiet = audit->announced == audit->sync->announced;
	if (!was_quiet)
		audit->count = 0;
	if (error != 0 || (!was_quiet && ++audit->tries == TRIES_MAX)) {
		finish(audit, error);
		return;
	}
	if (audit->stage == STAGE_COMPARE && was_quiet) {
		audit->count = audit->sync->differences;
		memcpy(audit->difference, audit->sync->difference, sizeof audit->difference);
	}
	if (!was_quiet)
		list_for(audit, STAGE_SETTLE);
	else if (audit->stage == STAGE_SETTLE)
		list_for(audit, STAGE_COMPARE);
	else if (audit->stage == STAGE_COMPARE && audit->count > 0)
		ask_connections(audit);
	else
		finish(audit, 0);
}

int muxbus_sync_audit(struct muxbus_sync *sync, muxbus_audit_fn *done, void *data)
{
	struct audit *audit;
	int error;
	if (muxbus_sync_state(sync) != MUXBUS_SYNC_LIVE)
		return MUXBUS_ERR_UNAVAILABLE;
	audit = mem_calloc(1, sizeof *audit);
	if (audit == NULL)
		return MUXBUS_ERR_NOMEM;
	audit->sync = sync;
	audit->done = done;
	audit->data = data;
	audit->stage = !parts_are_empty(&sync->lister.dirty) || sync->lister.is_running
	    ? STAGE_SETTLE
	    : STAGE_COMPARE;
	audit->announced = sync->announced;
	error = lister_wait(sync, &everything, 0, on_listed, audit);
	if (error != 0)
		mem_free(audit);
	return error;
}
