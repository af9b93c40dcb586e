/* SPDX-License-Identifier: ISC */
/*
 * A track: what is known of one pane beyond the model, from the first word of it to its
 * end. It counts the bytes that were handed over and knows where they come from.
 */
#ifndef LIB_TRACK_H
#define LIB_TRACK_H

#include <muxbus.h>

#include "base/buf.h"

struct capture;
struct attachment;

/* Bytes that may be held back for one pane; beyond it they are dropped, and a gap told. */
#define TRACK_HELD_MAX (256 * 1024)

struct track {
	uint32_t pane;
	struct muxbus_pane *now; /* its entry in the model; NULL until it is listed */

	uint64_t offset; /* bytes handed over */
	int64_t last_output_ms;
	unsigned wanted; /* how many want its output */
	bool was_followed; /* its output was handed over once */
	struct attachment *source; /* whose output is handed over; NULL: nobody's */
	struct attachment *coming; /* whose output flows once a command has been answered */
	uint64_t coming_number; /* of that command */
	uint64_t born; /* the listing that had it first; 0: none yet */
	uint64_t seen; /* how many listings had begun when it was first heard of */
	uint64_t pieces; /* pieces of output that came from the source */

	/* Output that came before its time: the pane is not listed, or a picture is awaited. */
	bool is_held;
	bool held_is_cut;
	struct attachment *held_from;
	struct buf held;

	struct capture *keeper; /* the picture that it is held or paused for; NULL: none */
	bool is_paused; /* for the keeper, which continues it: its flow is left alone */

	/* The end of its process. */
	pid_t pid; /* the process that is watched; 0: none */
	bool has_ended;
	bool exit_is_told;
	int exit_status;
	int exit_signal;
	int64_t tell_exit_ms; /* told by then, with or without a status */

	bool is_adopted;
	bool is_kept; /* adopted, but not closed when its program has ended */
	bool is_ending; /* told to close */
};

/* NULL if there is none. */
struct track *track_find(const struct muxbus_sync *sync, uint32_t pane);
/* Finds or makes it; NULL if out of memory. */
struct track *track_get(struct muxbus_sync *sync, uint32_t pane);
void track_free(struct muxbus_sync *sync, struct track *track);
void track_free_all(struct muxbus_sync *sync);

/* Whether a pane runs, or ran, the process that is watched. */
bool track_is_process(const struct track *track, const struct muxbus_pane *pane);

bool track_is_wanted(const struct muxbus_sync *sync, const struct track *track);

/* Output has come from a follow: hands it over, holds it, or drops it. */
void track_output(struct muxbus_sync *sync, struct attachment *attachment, uint32_t pane,
    const uint8_t *bytes, size_t len);

/* From now on output comes from follow; a gap is told for a reason, NULL for none. */
void track_set_source(struct muxbus_sync *sync, struct track *track, struct attachment *attachment,
    const char *gap_reason);

/* Says that bytes are missing before the next one. */
void track_gap(struct muxbus_sync *sync, struct track *track, const char *reason);

/* Holds output back, of the first that brings some if from is NULL; and hands it over. */
void track_hold(struct track *track, struct attachment *from);
void track_release(struct muxbus_sync *sync, struct track *track);
/* Throws away what was held. */
void track_drop_held(struct track *track);

/* A follow has gone: nothing comes from it any more. */
void track_forget_attachment(struct muxbus_sync *sync, const struct attachment *attachment);

#endif
