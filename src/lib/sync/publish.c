/* SPDX-License-Identifier: ISC */
#include "lib/sync/publish.h"

#include "lib/library.h"
#include "lib/model/change.h"
#include "lib/model/listing.h"
#include "lib/model/merge.h"
#include "lib/model/model.h"
#include "lib/sync/attachment.h"
#include "lib/sync/drift.h"
#include "lib/sync/lister.h"
#include "lib/sync/pane_exit.h"
#include "lib/sync/track.h"

static bool is_our_pid(const struct muxbus_sync *sync, pid_t pid)
{
	list_each (struct attachment, attachment, &sync->attachments, link)
		if (attachment->pid == pid)
			return true;
	return false;
}

static bool was_ours(const struct muxbus_model *model, const struct muxbus_client *client)
{
	next_each (const struct muxbus_client, other, muxbus_model_next_client, model)
		if (other->pid == client->pid)
			return other->is_ours;
	return false;
}

static void mark_ours(struct muxbus_sync *sync, struct muxbus_model *model)
{
	struct muxbus_client *client;
	for (size_t i = 0; (client = model_client_entry(model, i)) != NULL; i++) {
		client->is_ours = client->is_control && client->pid > 0 &&
		    (is_our_pid(sync, client->pid) || was_ours(sync->model, client));
	}
}

static void complete_pane(
    const struct muxbus_sync *sync, struct muxbus_pane *pane, const struct track *track)
{
	int status, signal;
	pane->output_offset = track->offset;
	pane->last_output_ms = track->last_output_ms;
	if (!pane->is_dead || pane->exit_status >= 0 || pane->exit_signal != 0 ||
	    !track_is_process(track, pane))
		return;
	if (pane_pidfd_look(&sync->pane_pidfd, pane->id, track->pid, &status, &signal) ==
	    PANE_PIDFD_STATUS) {
		pane->exit_status = status;
		pane->exit_signal = signal;
	}
}

static int complete_panes(struct muxbus_sync *sync, struct muxbus_model *model)
{
	next_each (struct muxbus_pane, pane, model_next_pane_entry, model) {
		const struct track *track = track_get(sync, pane->id);
		if (track == NULL)
			return MUXBUS_ERR_NOMEM;
		complete_pane(sync, pane, track);
	}
	return 0;
}

/* Appends objects that no listing saw: their creation to one list, their end to another. */
static void find_missed(struct muxbus_sync *sync, const struct muxbus_model *now,
    struct change_list *created, struct change_list *closed)
{
	struct seen_id id;
	while (seen_ids_next_missed(&sync->seen_ids, now, &id)) {
		bool is_pane = id.pane != MUXBUS_NO_ID;
		struct muxbus_change change =
		    change_of(is_pane ? MUXBUS_CHANGE_PANE_CREATED : MUXBUS_CHANGE_WINDOW_CREATED);
		change.window = id.window;
		change.window_now = muxbus_model_window(now, id.window);
		change.pane = id.pane;
		change_list_add(created, &change);
		change.kind = MUXBUS_CHANGE_PANE_EXITED;
		if (is_pane)
			change_list_add(closed, &change);
		change.kind = is_pane ? MUXBUS_CHANGE_PANE_CLOSED : MUXBUS_CHANGE_WINDOW_CLOSED;
		change_list_add(closed, &change);
	}
}

static int find_changes(
    struct muxbus_sync *sync, const struct muxbus_model *now, struct change_list *list)
{
	const struct muxbus_model *before = sync->model;
	struct change_list closed;
	change_list_init(&closed);
	change_find_new(list, before, now);
	find_missed(sync, now, list, &closed);
	pane_exit_find(sync, list, now);
	change_find_other(list, before, now);
	for (size_t i = 0; i < closed.count; i++)
		change_list_add(list, &closed.items[i]);
	change_find_gone(list, before, now);
	if (closed.error != 0)
		list->error = closed.error;
	change_list_finish(&closed);
	return list->error;
}

static bool has_one_link(const struct muxbus_sync *sync, uint32_t window)
{
	const struct muxbus_link *link = model_first_link(sync->model, window);
	return link != NULL && model_next_window_link(sync->model, link) == NULL;
}

static void note_listed(
    const struct muxbus_sync *sync, struct track *track, const struct parts *parts)
{
	bool is_whole =
	    (parts->all && !parts->is_bare) || part_ids_have(&parts->windows, track->now->window);
	if (is_whole)
		track->listed = sync->lister.begun;
	if (is_whole && (parts->all || parts->tree || has_one_link(sync, track->now->window)))
		track->fresh_us = sync->lister.begun_us;
	if (is_whole || parts->all || parts->details)
		track->listed_sec = sync->lister.begun_sec;
	if (track->listed_sec == sync->lister.begun_sec || parts->titles)
		track->titled_sec = sync->lister.begun_sec;
}

static void move_tracks(struct muxbus_sync *sync, const struct parts *parts, uint64_t number)
{
	next_each (struct muxbus_pane, pane, model_next_pane_entry, sync->model) {
		struct track *track = track_find(sync, pane->id);
		track->now = pane;
		note_listed(sync, track, parts);
		if (track->born == 0 && pane->is_dead && sync->state != MUXBUS_SYNC_LIVE)
			track->exit_is_reported = true; /* the process died before the sync began */
		if (!track_is_process(track, pane)) {
			track->pid = pane->pid;
			track->has_ended = false;
			track->exit_is_reported &= track->born == 0;
			track->is_ending = false;
			pane_pidfd_watch(&sync->pane_pidfd, pane->id, pane->pid);
		}
		if (track->born == 0) {
			track->born = number;
			pane_exit_listed(sync, track);
			if (sync->all_output && !track->is_held)
				track_hold(track, NULL); /* until the pane's connection is known */
		}
		if (pane->is_dead && !track->exit_is_reported)
			pane_exit_ended(sync, pane->id);
	}
}

/* Frees the tracks of closed panes, but not of panes that may be listed yet. */
static void free_old_tracks(struct muxbus_sync *sync, const struct parts *parts, uint64_t number)
{
	map_each (struct track, track, &sync->tracks) {
		if (muxbus_model_pane(sync->model, track->pane) != NULL)
			continue;
		if (track->born != 0 || (parts->all && track->seen < number))
			track_free(sync, track);
	}
}

/* Delivers the held output of a pane that no listing saw, before its end is reported. */
static void report_held(struct muxbus_sync *sync, const struct muxbus_change *change)
{
	struct track *track = track_find(sync, change->pane);
	if (change->kind == MUXBUS_CHANGE_PANE_CREATED && change->pane_now == NULL &&
	    track != NULL && track->is_held)
		track_release(sync, track);
}

static void report(struct muxbus_sync *sync, const struct change_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct muxbus_change *change = &list->items[i];
		if (sync->handlers.change != NULL)
			sync->handlers.change(sync->data, change);
		report_held(sync, change);
	}
}

static void free_missed_tracks(struct muxbus_sync *sync, const struct change_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct muxbus_change *change = &list->items[i];
		struct track *track = track_find(sync, change->pane);
		if (change->kind == MUXBUS_CHANGE_PANE_CLOSED && track != NULL && track->born == 0)
			track_free(sync, track);
	}
}

static void forget_now(struct muxbus_sync *sync)
{
	map_each (struct track, track, &sync->tracks)
		track->now = NULL;
}

static void note_cut(struct muxbus_sync *sync)
{
	bool is_cut = model_is_cut(sync->model);
	if (is_cut && !sync->is_cut)
		library_log(
		    MUXBUS_LOG_WARNING, "too many objects on the server: some are left out");
	sync->is_cut = is_cut;
}

static unsigned count_people(const struct muxbus_model *model)
{
	unsigned people = 0;
	next_each (const struct muxbus_session, session, muxbus_model_next_session, model)
		people += session->attached;
	return people;
}

int publish_listing(
    struct muxbus_sync *sync, struct listing *listing, const struct parts *parts, uint64_t number)
{
	struct muxbus_model *before = sync->model;
	struct change_list list;
	int error;
	change_list_init(&list);
	mark_ours(sync, listing->model);
	error = complete_panes(sync, listing->model);
	if (error == 0)
		error = find_changes(sync, listing->model, &list);
	if (error != 0) {
		change_list_finish(&list);
		model_free(listing->model);
		return error;
	}
	seen_ids_end_listing(&sync->seen_ids, listing->model);
	pane_exit_note_reported(sync, &list);
	forget_now(sync);
	sync->model = listing->model;
	sync->people = count_people(sync->model);
	move_tracks(sync, parts, number);
	note_cut(sync);
	if (listing->version != NULL) {
		sync->exit_unattached = listing->exit_unattached;
		snprintf(sync->version_text, sizeof sync->version_text, "%s", listing->version);
	}
	if (parts->all)
		drift_note(sync, &list);
	if (sync->state != MUXBUS_SYNC_LIVE)
		sync_set_state(sync, MUXBUS_SYNC_LIVE, 0, "the server answers");
	report(sync, &list);
	free_missed_tracks(sync, &list);
	change_list_finish(&list);
	if (before != sync->empty)
		model_free(before);
	free_old_tracks(sync, parts, number);
	return 0;
}

void publish_loss(struct muxbus_sync *sync, int error, const char *reason)
{
	struct muxbus_model *before = sync->model;
	struct change_list list;
	change_list_init(&list);
	change_find_gone(&list, before, sync->empty);
	if (list.error != 0)
		library_log(MUXBUS_LOG_ERROR, "out of memory: not all closed objects are reported");
	forget_now(sync);
	sync->model = sync->empty;
	seen_ids_init(&sync->seen_ids);
	sync_set_state(sync, MUXBUS_SYNC_SEARCHING, error, reason);
	report(sync, &list);
	change_list_finish(&list);
	if (before != sync->empty)
		model_free(before);
	track_free_all(sync);
}

void publish_end(struct muxbus_sync *sync)
{
	if (sync->model != sync->empty)
		model_free(sync->model);
	sync->model = sync->empty;
	seen_ids_init(&sync->seen_ids);
	track_free_all(sync);
}

struct muxbus_model *publish_copy(struct muxbus_sync *sync, const struct merge_drop *drop)
{
	struct muxbus_model *model;
	if (merge_copy(sync->model, drop, &model) == 0)
		return model;
	lister_mark_all(sync);
	return NULL;
}

void publish_changed(struct muxbus_sync *sync, struct muxbus_model *model)
{
	static const struct parts none;
	struct listing listing = {.model = model};
	int error;
	sync->lister.is_publishing = true;
	error = publish_listing(sync, &listing, &none, 0);
	sync->lister.is_publishing = false;
	if (error != 0)
		lister_mark_all(sync);
	else
		sync->callbacks->published(sync);
}
