/* SPDX-License-Identifier: ISC */
/*
 * The source of a pane's output: control mode (%output), or a pipe (pane_pipe.h). A pipe needs no
 * client of tmux. Control mode is used if no pipe can or may be made, for example because the pane
 * has a pipe of the user. New sources also use it while the output of all panes is wanted.
 *
 * The offsets of a pane's output go on when the source changes. The change is a gap,
 * "source_changed".
 */
#pragma once

#include "base/base.h"

struct config;
struct event_base;
struct tmux;

enum output_source_kind {
	OUTPUT_SOURCE_NONE, /* the output of this pane in particular is not wanted */
	OUTPUT_SOURCE_CONTROL,
	OUTPUT_SOURCE_PIPE, /* a pipe: flowing, asked for, or ended with the program */
};

struct output_source {
	struct list link; /* in the list of the set, unless kind is NONE or has_ended */
	struct output_source_set *set;
	uint32_t pane;
	enum output_source_kind kind;
	uint64_t number; /* output_source_begun() when this source began */
	bool has_ended; /* the pane or its tmux server has closed */
	bool is_cut; /* the pipe has ended, and may have lost its last bytes */
	bool is_over; /* the program of the pane has ended, so there is no pipe */
	/* no pipe is tried until the output is unwanted, or on_retry() tries */
	bool is_pipeless;
};

/* late is called with bytes that come after the pane has left the model. */
struct output_source_set *output_source_set_new(struct event_base *base,
    const struct config *config, struct tmux *tmux,
    void (*late)(struct output_source *source, const uint8_t *bytes, size_t len));
void output_source_set_free(struct output_source_set *sources);

void output_source_init(
    struct output_source *source, struct output_source_set *sources, uint32_t pane);
/*
 * Call this when the pane or the tmux server has closed: reads the last bytes of a pipe. Returns
 * true if some may be lost.
 */
bool output_source_finish(struct output_source *source);

/* Call this when tmux has started another program in the pane. */
void output_source_respawned(struct output_source *source);

/* Sets whether the output of this pane is wanted. The same value may be set again. */
void output_source_want(struct output_source *source, bool is_wanted);

/* Sets whether the output of all panes is wanted. Then call output_source_want() for each pane. */
void output_source_want_all(struct output_source_set *sources, bool is_wanted);

/* Reads what the pipe has now, up to about max bytes. Returns false if the source is no pipe. */
bool output_source_drain(struct output_source *source, size_t max);

/*
 * Returns true if a pane is deaf: its output needs control mode, but the daemon may not be a client
 * of tmux. A pipe is tried again from time to time.
 */
bool output_source_is_deaf(const struct output_source *source);

/* Returns true if control mode is needed for the output that is wanted. */
bool output_source_needs_control(const struct output_source_set *sources);

/* Returns how often the source of a single pane has begun or changed so far. */
uint64_t output_source_begun(const struct output_source_set *sources);

/*
 * Finds panes whose source began after output_source_begun() returned `begun`, and from which no
 * output comes yet. Returns their number, at most max.
 */
size_t output_source_coming(
    const struct output_source_set *sources, uint64_t begun, uint32_t *ret_panes, size_t max);

/* Returns the number of panes whose pipes are flowing. */
uint32_t output_source_piped(const struct output_source_set *sources);
