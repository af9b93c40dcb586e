/* SPDX-License-Identifier: ISC */
#include "lib/sync/track.h"

#include "lib/sync/state.h"

struct track *track_find(const struct muxbus_sync *sync, uint32_t pane)
{
	return map_get(&sync->tracks, pane);
}

struct track *track_get(struct muxbus_sync *sync, uint32_t pane)
{
	struct track *track = track_find(sync, pane);
	if (track != NULL)
		return track;
	track = mem_calloc(1, sizeof *track);
	if (track == NULL)
		return NULL;
	track->pane = pane;
	track->seen = sync->lister.begun;
	buf_init(&track->held, TRACK_HELD_MAX);
	if (map_set(&sync->tracks, pane, track) != 0) {
		mem_free(track);
		return NULL;
	}
	return track;
}

void track_free(struct muxbus_sync *sync, struct track *track)
{
	pane_pidfd_forget(&sync->pane_pidfd, track->pane);
	(void)map_remove(&sync->tracks, track->pane);
	buf_finish(&track->held);
	mem_free(track);
}

void track_free_all(struct muxbus_sync *sync)
{
	map_each (struct track, track, &sync->tracks)
		track_free(sync, track);
}

bool track_is_process(const struct track *track, const struct muxbus_pane *pane)
{
	return track->pid == pane->pid || pane->pid == 0;
}

bool track_is_over(const struct muxbus_sync *sync, const struct muxbus_pane *pane)
{
	const struct track *track = track_find(sync, pane->id);
	int status, signal;
	if (pane->is_dead || track == NULL)
		return false; /* a dead pane may move to another window */
	return track->has_ended ||
	    pane_pidfd_look(&sync->pane_pidfd, pane->id, track->pid, &status, &signal) !=
	    PANE_PIDFD_RUNS;
}

bool track_exit_is_awaited(const struct muxbus_sync *sync, const struct muxbus_pane *pane)
{
	const struct track *track = track_find(sync, pane->id);
	int status, signal;
	if (track == NULL || track->exit_is_reported ||
	    (track->has_ended && clock_mono_ms() >= track->report_exit_ms))
		return false;
	return pane_pidfd_look(&sync->pane_pidfd, pane->id, track->pid, &status, &signal) ==
	    PANE_PIDFD_UNREAPED;
}

bool track_is_wanted(const struct muxbus_sync *sync, const struct track *track)
{
	return track->own == MUXBUS_OUTPUT_NONE && (sync->all_output || track->wanted > 0);
}

static void hand_over(
    struct muxbus_sync *sync, struct track *track, const uint8_t *bytes, size_t len)
{
	track->offset += len;
	track->last_output_ms = clock_real_ms();
	if (track->now != NULL) {
		track->now->output_offset = track->offset;
		track->now->last_output_ms = track->last_output_ms;
	}
	sync->output_bytes += len;
	if (sync->handlers.output != NULL)
		sync->handlers.output(sync->data, track->pane, bytes, len);
}

static void hold_bytes(struct track *track, const uint8_t *bytes, size_t len)
{
	if (!track->held_is_cut)
		track->held_is_cut = buf_append(&track->held, bytes, len) != 0;
}

bool track_output(struct muxbus_sync *sync, struct attachment *attachment, uint32_t pane,
    const uint8_t *bytes, size_t len)
{
	struct track *track = track_find(sync, pane);
	if (track == NULL || (track->born == 0 && !track->is_held)) {
		/* Output of a pane that was not listed yet is wanted only with all_output. */
		if (!sync->all_output || sync->state != MUXBUS_SYNC_LIVE)
			return true;
		track = track_get(sync, pane);
		if (track == NULL)
			return false;
		track_hold(track, attachment);
	}
	if (track->is_held && track->held_from == NULL)
		track->held_from = attachment;
	if (track->is_held && track->held_from == attachment) {
		track->pieces++;
		hold_bytes(track, bytes, len);
	} else if (track->source == attachment && track_is_wanted(sync, track)) {
		track->pieces++;
		hand_over(sync, track, bytes, len);
	}
	return true;
}

void track_gap(struct muxbus_sync *sync, struct track *track, const char *reason)
{
	if (sync->handlers.gap != NULL)
		sync->handlers.gap(sync->data, track->pane, track->offset, reason);
}

void track_set_source(struct muxbus_sync *sync, struct track *track, struct attachment *attachment,
    const char *gap_reason)
{
	track->source = attachment;
	track->coming = NULL;
	if (attachment == NULL)
		return;
	if (gap_reason != NULL)
		track_gap(sync, track, gap_reason);
	track->was_followed = true;
	track->was_own = false;
}

const char *track_gap_reason(const struct track *track, bool is_own)
{
	if (!track->was_followed)
		return "not_watched";
	return track->was_own != is_own ? "source_changed" : "reconnect";
}

int muxbus_sync_own_output(struct muxbus_sync *sync, uint32_t pane, enum muxbus_output output)
{
	struct track *track = track_find(sync, pane);
	const char *reason;
	if (track == NULL || track->now == NULL)
		return MUXBUS_ERR_NOT_FOUND;
	if (track->own == output)
		return 0;
	if (output != MUXBUS_OUTPUT_NONE && track->is_held)
		track_drop_held(track);
	track->own = output;
	sync_settle_later(sync);
	if (output != MUXBUS_OUTPUT_FLOWING)
		return 0;
	reason = track_gap_reason(track, true);
	track->was_followed = track->was_own = true;
	track_gap(sync, track, reason);
	return 0;
}

int muxbus_sync_add_output(
    struct muxbus_sync *sync, uint32_t pane, const uint8_t *bytes, size_t len)
{
	struct track *track = track_find(sync, pane);
	if (track == NULL || track->own != MUXBUS_OUTPUT_FLOWING)
		return MUXBUS_ERR_NOT_FOUND;
	hand_over(sync, track, bytes, len);
	return 0;
}

void track_hold(struct track *track, struct attachment *from)
{
	track->is_held = true;
	track->held_is_cut = false;
	track->held_from = from;
	buf_clear(&track->held);
}

void track_release(struct muxbus_sync *sync, struct track *track)
{
	struct buf held = track->held;
	track->is_held = false;
	track->held_from = NULL;
	buf_init(&track->held, TRACK_HELD_MAX);
	if (held.len > 0)
		hand_over(sync, track, held.data, held.len);
	if (track->held_is_cut)
		track_gap(sync, track, "overflow");
	buf_finish(&held);
}

void track_drop_held(struct track *track)
{
	track->is_held = false;
	track->held_from = NULL;
	buf_finish(&track->held);
}

void track_forget_attachment(struct muxbus_sync *sync, const struct attachment *attachment)
{
	map_each (struct track, track, &sync->tracks) {
		if (track->source == attachment)
			track->source = NULL;
		if (track->coming == attachment)
			track->coming = NULL;
		if (track->is_held && track->held_from == attachment)
			track_drop_held(track);
	}
}

void muxbus_sync_want_all_output(struct muxbus_sync *sync, bool is_wanted)
{
	if (!is_wanted && sync->all_wanted == 0)
		return;
	sync->all_wanted += is_wanted ? 1 : -1u;
	if (sync->all_output == (sync->all_wanted > 0))
		return;
	sync->all_output = sync->all_wanted > 0;
	sync->all_since = sync->lister.begun;
	map_each (struct track, track, &sync->tracks)
		if (!sync->all_output && track->now == NULL && track->is_held)
			track_drop_held(track);
	sync_settle_later(sync);
}
