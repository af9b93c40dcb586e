/* SPDX-License-Identifier: ISC */
/* A track keeps data of one pane beside the model, from the first sign of the pane to its end. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/* Maximum number of held bytes per pane; further bytes are dropped, and a gap is reported. */
#define TRACK_HELD_MAX (256 * 1024)

struct track {
	uint32_t pane;
	struct muxbus_pane *now; /* the pane in the model, or NULL */

	uint64_t offset; /* number of delivered bytes */
	int64_t last_output_ms;
	unsigned wanted; /* number of subscribers to this pane's output */
	bool was_followed; /* output has flowed before */
	bool was_own; /* the last delivered output was read by the program itself */
	enum muxbus_output own; /* whether the program reads the output itself */
	struct attachment *source; /* delivers the output; NULL: none */
	struct attachment *coming; /* becomes source when a command is answered */
	uint64_t coming_number; /* number of that command: see flows_sent of the attachment */
	uint64_t born; /* number of the first listing with the pane; 0: none yet */
	uint64_t seen; /* lister.begun at the first sign of the pane */
	uint64_t pieces; /* number of pieces of output from attachments, delivered or held */

	/* For details.c and lister.c: */
	int64_t listed_sec; /* when the last listing with details began; 0: never */
	int64_t titled_sec; /* when the last listing with the title began */
	int64_t named_sec; /* when /proc last showed the command and directory of the model */
	int64_t fresh_us; /* when the pane's window and links were last listed; CLOCK_MONOTONIC */
	uint64_t listed; /* number of the last listing with all fields */
	uint64_t start_seen; /* number of the listing at which start_group first had no name */
	uint64_t same_foreground; /* last listing during which command and path did not change */
	pid_t start_pid;
	pid_t start_group;

	/* Held output: the connection of a new pane is unknown, or a capture is pending. */
	bool is_held;
	bool held_is_cut;
	struct attachment *held_from;
	struct buf held;

	struct capture *keeper; /* the capture that holds output or pauses the pane; NULL: none */
	bool is_paused; /* paused by keeper, which will continue it */

	pid_t pid; /* the watched process; 0: none */
	bool has_ended;
	bool exit_is_reported;
	int64_t report_exit_ms; /* latest time to report the end, even without a status */

	bool is_adopted;
	bool is_kept; /* adopted, but not to be closed after its program has ended */
	bool is_ending; /* kill-pane was sent */
};

struct track *track_find(const struct muxbus_sync *sync, uint32_t pane); /* or NULL */
/* Finds or creates the track of a pane. Returns NULL if out of memory. */
struct track *track_get(struct muxbus_sync *sync, uint32_t pane);
void track_free(struct muxbus_sync *sync, struct track *track);
void track_free_all(struct muxbus_sync *sync);

/* Returns true if the watched process runs in the pane, or did until it ended. */
bool track_is_process(const struct track *track, const struct muxbus_pane *pane);

/* Returns true if the process of a pane has ended and tmux does not keep the pane as dead. */
bool track_is_over(const struct muxbus_sync *sync, const struct muxbus_pane *pane);

/*
 * Returns true if the process of a pane has ended, but tmux has not reaped it, so that its status
 * is unknown. A closed pane stays in the model until the status is known, or until report_exit_ms.
 */
bool track_exit_is_awaited(const struct muxbus_sync *sync, const struct muxbus_pane *pane);

/* Returns true if subscribers want output that the program does not read itself. */
bool track_is_wanted(const struct muxbus_sync *sync, const struct track *track);

/*
 * Handles output from an attachment: delivers, holds or drops it. Returns false if memory ran out
 * before output of a new pane was held.
 */
bool track_output(struct muxbus_sync *sync, struct attachment *attachment, uint32_t pane,
    const uint8_t *bytes, size_t len);

/* Changes the source of output; NULL: none. Reports a gap if there is a source and a gap_reason. */
void track_set_source(struct muxbus_sync *sync, struct track *track, struct attachment *attachment,
    const char *gap_reason);

/* Reports that bytes are missing before the next byte. */
void track_gap(struct muxbus_sync *sync, struct track *track, const char *reason);

/* Returns the reason of the gap before new output; is_own: the program reads the output itself. */
const char *track_gap_reason(const struct track *track, bool is_own);

/* Holds the output of an attachment; NULL: of the first that has any. */
void track_hold(struct track *track, struct attachment *from);
/* Delivers the held output, and a gap if some of it was dropped. */
void track_release(struct muxbus_sync *sync, struct track *track);
void track_drop_held(struct track *track);

/* Removes an attachment that has ended from all tracks. */
void track_forget_attachment(struct muxbus_sync *sync, const struct attachment *attachment);
