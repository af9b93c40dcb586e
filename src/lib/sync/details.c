/* SPDX-License-Identifier: ISC */
#include "lib/sync/details.h"

#include "lib/model/listing.h"
#include "lib/model/merge.h"
#include "lib/model/model.h"
#include "lib/sync/state.h"
#include "lib/sync/track.h"

/* The kernel updates the time of a terminal's last write only every 8 s. */
#define TTY_PERIOD_SEC 8
/* tmux may read written text so much later. */
#define TTY_DELAY_SEC 2
/* A pane in a listed window costs tmux as much as the details of this many panes. */
#define WINDOW_COST 4
/* With more panes, panes with an unused terminal are read from /proc only every SPARED_SEC. */
#define SPARING_PANES 100
#define SPARED_SEC 30

/* Returns true if the terminal may have been used after since_sec; also if since_sec is 0. */
static bool was_used(const struct muxbus_pane *pane, int64_t since_sec, bool is_read_too)
{
	struct stat status;
	int64_t used_sec;
	if (since_sec == 0 || stat(pane->tty, &status) != 0)
		return true;
	used_sec = status.st_mtim.tv_sec;
	if (is_read_too && status.st_atim.tv_sec > used_sec)
		used_sec = status.st_atim.tv_sec;
	since_sec -= TTY_DELAY_SEC;
	return used_sec / TTY_PERIOD_SEC >= since_sec / TTY_PERIOD_SEC;
}

static bool all_are_cheaper(const struct muxbus_model *model, const struct part_ids *windows)
{
	unsigned in_windows = 0, all = 0;
	if (windows->count == 0)
		return false;
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, model) {
		all++;
		in_windows += part_ids_have(windows, pane->window);
	}
	return in_windows * WINDOW_COST > all;
}

void details_add_written(const struct muxbus_sync *sync, struct parts *parts)
{
	bool has_details = sync->lister.claims.details;
	const struct muxbus_pane *pane = NULL;
	struct parts written = {.windows = parts->windows};
	while (!written.all && (pane = muxbus_model_next_pane(sync->model, pane)) != NULL) {
		const struct track *track = track_find(sync, pane->id);
		int64_t since_sec = track == NULL ? 0
		    : has_details                 ? track->listed_sec
						  : track->titled_sec;
		if (!pane->is_dead && was_used(pane, since_sec, false))
			parts_add_window(&written, pane->window);
	}
	if (written.all || all_are_cheaper(sync->model, &written.windows))
		*(has_details ? &parts->details : &parts->titles) = true;
	else
		parts->windows = written.windows;
}

void details_add_dead(const struct muxbus_sync *sync, struct parts *parts)
{
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, sync->model)
		if (pane->is_dead)
			parts_add_window(parts, pane->window);
}

/*
 * If the process has no name, tmux shows the start command. Returns true if the process had no name
 * before the last listing either, so that the listed name is right.
 */
static bool keeps_name(const struct muxbus_sync *sync, struct track *track,
    const struct muxbus_pane *pane, pid_t group)
{
	if (track->start_group != group || track->start_pid != pane->pid) {
		track->start_group = group;
		track->start_pid = pane->pid;
		track->start_seen = sync->lister.begun;
	}
	return track->listed > track->start_seen;
}

static bool read_pane(const struct muxbus_sync *sync, const struct muxbus_pane *pane,
    struct pane_foreground *ret_foreground)
{
	struct track *track = track_find(sync, pane->id);
	unsigned known = pane_proc_read(&sync->pane_proc, pane->pid, pane->tty, ret_foreground);
	if (!(known & PANE_PROC_PATH))
		return false;
	if (known & PANE_PROC_COMMAND) {
		if (track != NULL)
			track->start_pid = 0;
		return true;
	}
	if (track == NULL || !(known & PANE_PROC_START) ||
	    !keeps_name(sync, track, pane, ret_foreground->group))
		return false;
	(void)snprintf(
	    ret_foreground->command, sizeof ret_foreground->command, "%s", pane->command);
	return true;
}

static int take_foreground(struct muxbus_sync *sync, struct listing *listing,
    const struct muxbus_pane *pane, const char *command, const char *path)
{
	struct muxbus_pane *entry;
	int error = 0;
	if (strcmp(pane->command, command) == 0 && strcmp(pane->path, path) == 0)
		return 0;
	if (listing->model == NULL)
		error = merge_copy(sync->model, NULL, &listing->model);
	if (error != 0)
		return error;
	entry = model_pane_entry(listing->model, pane->id);
	if (entry == NULL)
		return 0;
	entry->command = command;
	entry->path = path;
	model_keep_text(listing->model, &entry->command);
	model_keep_text(listing->model, &entry->path);
	return model_error(listing->model);
}

/* Returns the pane as it was before the listing if its process is still the same, else NULL. */
static const struct muxbus_pane *known_pane(
    const struct muxbus_sync *sync, const struct muxbus_pane *pane)
{
	const struct muxbus_pane *before = muxbus_model_pane(sync->model, pane->id);
	return before != NULL && before->pid == pane->pid ? before : NULL;
}

/* Returns true if the pane's command need not be read from /proc or listed next. */
static bool is_listed(const struct lister *lister, const struct muxbus_pane *pane)
{
	if (lister->running.all)
		return pane->is_dead && !lister->running.is_bare;
	return pane->is_dead || part_ids_have(&lister->running.windows, pane->window);
}

/* Returns true if only detail_watch asks, on a server with many panes. */
static bool is_sparing(const struct muxbus_sync *sync)
{
	struct muxbus_model_counts counts;
	muxbus_model_counts(sync->model, &counts);
	return counts.panes > SPARING_PANES && sync->lister.claims.titles &&
	    !sync->lister.running.all;
}

static bool is_spared(
    const struct muxbus_sync *sync, const struct muxbus_pane *pane, const struct track *track)
{
	int64_t age_sec = sync->lister.begun_sec - track->named_sec;
	return is_sparing(sync) && age_sec >= 0 && age_sec < SPARED_SEC &&
	    !was_used(pane, track->named_sec, true);
}

/*
 * Returns true if the pane has the command and directory of the model, or is spared. The caller
 * declares foreground, so that -ftrivial-auto-var-init clears it only once.
 */
static bool has_names(const struct muxbus_sync *sync, const struct muxbus_pane *pane,
    struct track *track, struct pane_foreground *foreground)
{
	if (is_spared(sync, pane, track))
		return true;
	if (!read_pane(sync, pane, foreground) || strcmp(pane->command, foreground->command) != 0 ||
	    strcmp(pane->path, foreground->path) != 0)
		return false;
	track->named_sec = sync->lister.begun_sec;
	return true;
}

void details_read_ahead(struct muxbus_sync *sync)
{
	struct pane_foreground foreground;
	next_each (const struct muxbus_pane, pane, muxbus_model_next_pane, sync->model) {
		struct track *track = track_find(sync, pane->id);
		if (track != NULL && !pane->is_dead && !is_listed(&sync->lister, pane) &&
		    has_names(sync, pane, track, &foreground))
			track->same_foreground = sync->lister.begun;
	}
}

static bool is_same(const struct muxbus_sync *sync, const struct track *track)
{
	return track != NULL && track->same_foreground == sync->lister.begun;
}

int details_read(struct muxbus_sync *sync, struct listing *listing)
{
	const struct muxbus_model *model = listing->model != NULL ? listing->model : sync->model;
	const struct muxbus_pane *pane = NULL;
	struct pane_foreground foreground;
	int error = 0;
	while (error == 0 && (pane = muxbus_model_next_pane(model, pane)) != NULL) {
		const struct muxbus_pane *known = known_pane(sync, pane);
		struct track *track = track_find(sync, pane->id);
		if (is_listed(&sync->lister, pane))
			continue;
		if (!pane->is_dead && known != NULL && track != NULL &&
		    (is_same(sync, track) || has_names(sync, known, track, &foreground)))
			error = take_foreground(sync, listing, pane, known->command, known->path);
		else if (pane->is_dead ||
		    !read_pane(sync, known != NULL ? known : pane, &foreground))
			parts_add_window(&listing->more, pane->window);
		else
			error = take_foreground(
			    sync, listing, pane, foreground.command, foreground.path);
	}
	return error;
}
