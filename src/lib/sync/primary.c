/* SPDX-License-Identifier: ISC */
#include "lib/sync/primary.h"

#include "lib/connection/command.h"
#include "lib/connection/connection_parts.h"
#include "lib/sync/attachment.h"
#include "lib/sync/detached.h"
#include "lib/sync/lister.h"

static void on_greeted(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct attachment *attachment = data;
	struct muxbus_sync *sync = attachment->sync;
	struct muxbus_version version;
	char text[32] = "";
	if (error == MUXBUS_ERR_CANCELLED)
		return;
	if (error == 0 && count > 0)
		(void)sscanf((const char *)replies[0].body, "%31s", text);
	if (error == 0 && muxbus_version_parse(text, &version) != 0)
		error = MUXBUS_ERR_VERSION;
	if (error == 0)
		sync->callbacks->attachment_ready(sync, attachment, &version);
	else
		sync_lose_later(sync, error, muxbus_strerror(error));
}

int primary_greet(struct attachment *attachment)
{
	return attachment_run(attachment,
	    command_with(LIST_COMMANDS, "-F", "#{version}", LIST_ONE, NULL), on_greeted,
	    attachment);
}

static bool is_detached(const struct attachment *attachment)
{
	return attachment != NULL && attachment->detached != NULL;
}

/* Makes a detached attachment primary. If the sync is detached, the others close. */
static void detach(struct muxbus_sync *sync)
{
	struct attachment *detached =
	    is_detached(sync->primary) ? sync->primary : attachment_new_detached(sync);
	if (detached == NULL) {
		sync->is_detached = false; /* out of memory: stay attached */
		return;
	}
	sync->primary = detached;
	if (sync->is_detached)
		attachment_close_others(sync);
	lister_resume(sync);
}

bool primary_is_detached(const struct muxbus_sync *sync)
{
	return is_detached(sync->primary);
}

static bool is_usable(const struct attachment *attachment)
{
	return attachment->state == ATTACHMENT_LIVE &&
	    (is_detached(attachment) || !attachment->connection->has_failed);
}

/* A detached attachment may stay primary until it is not busy. */
static bool may_stay(const struct muxbus_sync *sync, const struct attachment *primary)
{
	return primary != NULL && is_usable(primary) &&
	    (is_detached(primary) == sync->is_detached ||
		(is_detached(primary) && detached_is_busy(primary->detached)));
}

void primary_choose(struct muxbus_sync *sync)
{
	struct attachment *before = sync->primary;
	if (may_stay(sync, before))
		return;
	sync->primary = NULL;
	list_each (struct attachment, attachment, &sync->attachments, link)
		if (is_usable(attachment) &&
		    (sync->primary == NULL || is_detached(sync->primary) != sync->is_detached))
			sync->primary = attachment;
	if (sync->state == MUXBUS_SYNC_LIVE && !sync->is_lost &&
	    (sync->is_detached ? !is_detached(sync->primary)
			       : sync->primary == NULL && !ping_is_waiting(&sync->ping)))
		detach(sync);
	else if (sync->primary != NULL && sync->primary != before)
		lister_resume(sync);
	if (is_detached(before) && sync->primary != before) {
		sync->beside = before->detached; /* a person may still answer its lists' prompts */
		before->detached = NULL;
		attachment_free(before);
	}
}

bool primary_can_run(struct muxbus_sync *sync)
{
	if (muxbus_sync_state(sync) != MUXBUS_SYNC_LIVE)
		return false;
	if (sync->primary == NULL || !is_usable(sync->primary))
		primary_choose(sync);
	return sync->primary != NULL;
}

static bool is_attaching(const struct muxbus_sync *sync)
{
	list_each (const struct attachment, attachment, &sync->attachments, link)
		if (attachment->state == ATTACHMENT_OPENING ||
		    (attachment->state == ATTACHMENT_WAITING && attachment->is_due))
			return true;
	return false;
}

void primary_tell(struct muxbus_sync *sync)
{
	void (*attached)(void *data) = sync->attached;
	const struct lister *lister = &sync->lister;
	bool is_listed = lister->wholes > sync->wholes_before && lister->done == lister->begun &&
	    !lister->is_running && !lister->dirty.all && !lister->has_attached;
	if (attached == NULL || !is_listed || is_attaching(sync))
		return;
	/* Wait if a connection will be tried again. */
	if (is_detached(sync->primary) && sync->attachments.next->next != &sync->attachments)
		return;
	sync->attached = NULL;
	attached(sync->attached_data);
}

void muxbus_sync_set_attached(
    struct muxbus_sync *sync, bool is_attached, void (*done)(void *data), void *data)
{
	bool is_live = muxbus_sync_state(sync) == MUXBUS_SYNC_LIVE;
	sync->attached = is_attached ? done : NULL;
	sync->attached_data = data;
	sync->wholes_before = sync->lister.wholes;
	loop_timeout_stop(&sync->grace_timer);
	sync->announced++;
	if (sync->is_detached == is_attached) {
		sync->is_detached = !is_attached;
		if (is_live && is_attached)
			lister_mark_all(sync);
		else if (is_live)
			detach(sync);
	}
	sync_settle_later(sync);
}
