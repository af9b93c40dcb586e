/* SPDX-License-Identifier: ISC */
/*
 * A track: the data of one pane beyond the model, from its first sign to its end. It counts
 * the delivered bytes and knows their source.
 */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/* The most held bytes of one pane; more are dropped, and a gap is reported. */
#define TRACK_HELD_MAX (256 * 1024)

struct track {
	uint32_t pane;
	struct muxbus_pane *now; /* its entry in the model; NULL until it is listed */

	uint64_t offset; /* delivered bytes */
	int64_t last_output_ms;
	unsigned wanted; /* subscribers of its output */
	bool was_followed; /* its output was delivered before */
	bool was_own; /* and that time the program had read it itself */
	enum muxbus_output own; /* whether the program reads it itself */
	struct attachment *source; /* delivers its output; NULL: none */
	struct attachment *coming; /* will be the source when a command is answered */
	uint64_t coming_number; /* the number of that command */
	uint64_t born; /* the first listing with the pane; 0: none yet */
	uint64_t seen; /* listings begun at its first sign */
	uint64_t pieces; /* pieces of output from the source */

	/* Its details: see details.c. */
	int64_t listed_sec; /* when the last listing with them began; 0: none yet */
	int64_t titled_sec; /* the same of the title alone */
	int64_t named_sec; /* when its command and directory were last read from /proc */
	int64_t fresh_us; /* when its window was last listed, with all links (CLOCK_MONOTONIC) */
	uint64_t listed; /* the last listing with all of its fields */
	uint64_t start_seen; /* when this process was first seen without a name */
	uint64_t same_foreground; /* the last listing that changed neither command nor directory */
	pid_t start_pid;
	pid_t start_group;

	/* Output that must wait: the pane is not listed, or a picture is pending. */
	bool is_held;
	bool held_is_cut;
	struct attachment *held_from;
	struct buf held;

	struct capture *keeper; /* the picture for which it is held or paused; NULL: none */
	bool is_paused; /* by the keeper, which continues it */

	/* The end of its process. */
	pid_t pid; /* the watched process; 0: none */
	bool has_ended;
	bool exit_is_reported;
	int exit_status;
	int exit_signal;
	int64_t report_exit_ms; /* reported then, even without a status */

	bool is_adopted;
	bool is_kept; /* adopted, but not closed when its program has ended */
	bool is_ending; /* kill-pane was sent */
};

/* NULL if there is none. */
struct track *track_find(const struct muxbus_sync *sync, uint32_t pane);
/* Finds or creates it; NULL if out of memory. */
struct track *track_get(struct muxbus_sync *sync, uint32_t pane);
/* Walks all tracks: *cursor starts at 0. NULL at the end. The returned track may be freed. */
struct track *track_next(const struct muxbus_sync *sync, size_t *cursor);
void track_free(struct muxbus_sync *sync, struct track *track);
void track_free_all(struct muxbus_sync *sync);

/* Whether the watched process runs, or ran, in the pane. */
bool track_is_process(const struct track *track, const struct muxbus_pane *pane);

/* Whether the process of a pane is known to have ended: then the pane is in no other window. */
bool track_is_over(const struct muxbus_sync *sync, const struct muxbus_pane *pane);

/*
 * Whether the process of a pane has ended, and its status will be known when tmux has reaped it.
 * tmux may close a pane before that; such a pane is kept until then, at most for half a second.
 */
bool track_exit_is_awaited(const struct muxbus_sync *sync, const struct muxbus_pane *pane);

bool track_is_wanted(const struct muxbus_sync *sync, const struct track *track);

/* Output has come on an attachment: delivers, holds or drops it. */
void track_output(struct muxbus_sync *sync, struct attachment *attachment, uint32_t pane,
    const uint8_t *bytes, size_t len);

/* Changes the source of output; reports a gap if gap_reason is not NULL. */
void track_set_source(struct muxbus_sync *sync, struct track *track, struct attachment *attachment,
    const char *gap_reason);

/* Reports that bytes are missing before the next byte. */
void track_gap(struct muxbus_sync *sync, struct track *track, const char *reason);

/* The reason of the gap that begins a delivery, by a connection or by the program itself. */
const char *track_gap_reason(const struct track *track, bool is_own);

/* Hold output (of the first attachment with output if from is NULL), and deliver it. */
void track_hold(struct track *track, struct attachment *from);
void track_release(struct muxbus_sync *sync, struct track *track);
/* Drops the held output. */
void track_drop_held(struct track *track);

/* Removes an attachment that has ended from all tracks. */
void track_forget_attachment(struct muxbus_sync *sync, const struct attachment *attachment);
