/* SPDX-License-Identifier: ISC */
#include "lib/sync/pane_exit.h"

#include "lib/connection/command.h"
#include "lib/model/change.h"
#include "lib/sync/attach_delay.h"
#include "lib/sync/lister.h"
#include "lib/sync/primary.h"
#include "lib/sync/track.h"

/* How long a report waits for the exit status, which is known after tmux has reaped the process. */
#define STATUS_WAIT_MS 500
/* tmux announces most closed panes at once. A kept pane is listed at doubling intervals. */
#define LOOK_MIN_MS 2
#define LOOK_MAX_MS 1000

struct exit_ending {
	int status;
	int signal;
};

/* Returns true if the end of a pane's process is to be reported. now is NULL for a closed pane. */
static bool is_due(const struct muxbus_sync *sync, const struct track *track,
    const struct muxbus_pane *now, struct exit_ending *ret_ending)
{
	bool is_late = track->has_ended && clock_mono_ms() >= track->report_exit_ms;
	enum pane_pidfd_verdict verdict;
	*ret_ending = (struct exit_ending){.status = -1};
	if (track->exit_is_reported)
		return false;
	/* tmux has listed the process as running, so only its pidfd can show its end. */
	if (now != NULL && !now->is_dead && !track->has_ended && track->pid == now->pid)
		return false;
	if (now != NULL && now->is_dead && (track->pid == 0 || track_is_process(track, now))) {
		ret_ending->status = now->exit_status;
		ret_ending->signal = now->exit_signal;
		return now->exit_status >= 0 || now->exit_signal != 0 || is_late;
	}
	/* tmux 3.8 shows no process before the death of the pane: wait for the death. */
	if (now != NULL && now->pid == 0 && !is_late)
		return false;
	verdict = pane_pidfd_look(
	    &sync->pane_pidfd, track->pane, track->pid, &ret_ending->status, &ret_ending->signal);
	if (verdict == PANE_PIDFD_STATUS)
		return true;
	if (verdict == PANE_PIDFD_RUNS)
		return track->has_ended && now == NULL;
	return now == NULL || !track_is_process(track, now) || is_late;
}

static void find_exit(const struct muxbus_sync *sync, struct change_list *list,
    const struct muxbus_pane *pane, const struct muxbus_model *now)
{
	const struct track *track = track_find(sync, pane->id);
	struct muxbus_change change;
	struct exit_ending ending;
	if (track == NULL || !is_due(sync, track, muxbus_model_pane(now, pane->id), &ending))
		return;
	change = change_of_pane(sync->model, now, MUXBUS_CHANGE_PANE_EXITED, pane);
	change.exit_status = ending.signal != 0 ? -1 : ending.status;
	change.exit_signal = ending.signal;
	change_list_add(list, &change);
}

void pane_exit_find(
    const struct muxbus_sync *sync, struct change_list *list, const struct muxbus_model *now)
{
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, sync->model)
		find_exit(sync, list, pane, now);
	if (sync->state != MUXBUS_SYNC_LIVE)
		return;
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, now)
		if (pane->is_dead && muxbus_model_pane(sync->model, pane->id) == NULL)
			find_exit(sync, list, pane, now);
}

/* Called before the tracks of respawned panes get their new processes. */
void pane_exit_note_reported(struct muxbus_sync *sync, const struct change_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct muxbus_change *change = &list->items[i];
		struct track *track;
		if (change->kind != MUXBUS_CHANGE_PANE_EXITED)
			continue;
		track = track_find(sync, change->pane);
		if (track != NULL)
			track->exit_is_reported = true;
	}
}

static void look_soon(struct muxbus_sync *sync)
{
	sync->exit_delay_ms = LOOK_MIN_MS;
	loop_timeout_start(&sync->exit_timer, LOOK_MIN_MS);
}

/* Returns true if the pane is empty, or its process has just ended and cannot be watched. */
static bool has_no_process(const struct track *track)
{
	return track->pid == 0 && track->now->pid == 0 && !track->now->is_dead;
}

void pane_exit_listed(struct muxbus_sync *sync, const struct track *track)
{
	if (has_no_process(track))
		look_soon(sync);
}

void pane_exit_ended(struct muxbus_sync *sync, uint32_t pane)
{
	struct track *track = track_find(sync, pane);
	if (track == NULL || track->has_ended)
		return;
	track->has_ended = true;
	track->report_exit_ms = clock_mono_ms() + STATUS_WAIT_MS;
	look_soon(sync);
}

/* Sends SIGCHLD, which makes tmux reap its children: tmux up to 3.3a may miss the end of one. */
static void signal_server(const struct muxbus_sync *sync, const struct track *track)
{
	struct exit_ending ending;
	enum pane_pidfd_verdict verdict;
	if (sync->server.pid <= 0 || track->exit_is_reported)
		return;
	verdict = pane_pidfd_look(
	    &sync->pane_pidfd, track->pane, track->pid, &ending.status, &ending.signal);
	if (verdict == PANE_PIDFD_UNREAPED || verdict == PANE_PIDFD_ENDED)
		(void)kill(sync->server.pid, SIGCHLD);
}

/* The listings end after a time: another process may keep a pane's terminal open forever. */
void pane_exit_look_again(struct muxbus_sync *sync)
{
	bool is_awaited = false;
	struct parts parts = {0};
	map_each (struct track, track, &sync->tracks) {
		if (track->now == NULL || (!track->has_ended && !has_no_process(track)) ||
		    (track->now->is_dead && track->exit_is_reported))
			continue;
		is_awaited = true;
		signal_server(sync, track);
		if (sync_window_is_closed(sync, track->now->window))
			sync_settle_later(sync);
		else if (sync->exit_delay_ms <= LOOK_MAX_MS) {
			parts_add_window(&parts, track->now->window);
			parts_add_place(&parts, track->pane);
		}
	}
	lister_mark(sync, &parts);
	if (!is_awaited || sync->exit_delay_ms > LOOK_MAX_MS)
		return;
	lister_look_detached(sync);
	sync->exit_delay_ms *= 2;
	loop_timeout_start(&sync->exit_timer, sync->exit_delay_ms);
}

static void close_adopted(struct muxbus_sync *sync, struct track *track)
{
	struct muxbus_command *command = command_with("if-shell", "-F", "-t", NULL);
	muxbus_command_argf(command, "%%%u", track->pane);
	muxbus_command_args(command, "#{pane_dead}", NULL);
	muxbus_command_argf(command, "kill-pane -t %%%u", track->pane);
	track->is_ending = attach_delay_run(sync, command, NULL, NULL, NULL) == 0;
}

void pane_exit_close_adopted(struct muxbus_sync *sync)
{
	map_each (struct track, track, &sync->tracks)
		if (track->is_adopted && !track->is_kept && !track->is_ending &&
		    track->exit_is_reported && track->now != NULL && track->now->is_dead)
			close_adopted(sync, track);
}

int muxbus_sync_adopt_pane(struct muxbus_sync *sync, uint32_t pane, bool keep)
{
	struct track *track = track_find(sync, pane);
	struct muxbus_command *command;
	int error;
	if (!primary_can_run(sync))
		return MUXBUS_ERR_UNAVAILABLE;
	if (track == NULL)
		return MUXBUS_ERR_NOT_FOUND;
	command = command_with("set-option", "-p", "-t", NULL);
	muxbus_command_argf(command, "%%%u", pane);
	muxbus_command_args(command, "remain-on-exit", "on", NULL);
	error = attach_delay_run(sync, command, NULL, NULL, NULL);
	if (error != 0)
		return error;
	track->is_adopted = true;
	track->is_kept = keep;
	track->is_ending = false;
	return 0;
}
