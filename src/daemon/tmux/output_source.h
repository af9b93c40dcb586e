/* SPDX-License-Identifier: ISC */
/*
 * The source of a pane's output: control mode (%output), or a pipe. A pipe costs tmux nothing, and
 * the daemon need not be a client. Control mode is used if the pane has a pipe of the user, if
 * there are too many pipes, or if the output of every pane is wanted.
 *
 * The offsets of a pane continue over both. A change of the source is a gap, "source_changed".
 */
#pragma once

#include "base/base.h"

struct config;
struct event_base;
struct tmux;

enum output_source_kind {
	OUTPUT_SOURCE_NONE, /* no output of this single pane is wanted */
	OUTPUT_SOURCE_CONTROL,
	OUTPUT_SOURCE_PIPE, /* a pipe that flows, or was asked for */
};

struct output_source {
	struct list link; /* in the set's list, unless kind is NONE */
	struct output_source_set *set;
	uint32_t pane;
	enum output_source_kind kind;
	uint64_t number; /* output_source_begun() when this source began */
	bool has_ended; /* the pane is gone */
	bool is_cut; /* the pipe has ended, and may have lost its last bytes */
	bool is_over; /* the program of the pane has ended, and its pipe with it */
	bool is_pipeless; /* control mode carries the output until it is no longer wanted */
};

/* late gets bytes that arrive after the pane has left the model. */
struct output_source_set *output_source_set_new(struct event_base *base,
    const struct config *config, struct tmux *tmux,
    void (*late)(struct output_source *source, const uint8_t *bytes, size_t len));
void output_source_set_free(struct output_source_set *sources);

void output_source_init(
    struct output_source *source, struct output_source_set *sources, uint32_t pane);
/* The pane or server is gone; late gets the last bytes. Returns true if some may be lost. */
bool output_source_finish(struct output_source *source);

/* tmux has started another program in the pane. */
void output_source_respawned(struct output_source *source);

/* Setting the same value again is allowed. */
void output_source_want(struct output_source *source, bool is_wanted);

/* Then call output_source_want() for each pane. */
void output_source_want_all(struct output_source_set *sources, bool is_wanted);

/* Delivers about max bytes that the pipe holds now. Returns false if the source is not a pipe. */
bool output_source_drain(struct output_source *source, size_t max);

/* The pane has a pipe of the user, and the daemon is no client. Ours is tried every 5 s. */
bool output_source_is_deaf(const struct output_source *source);

/* Returns true if control mode is needed for the output that is wanted. */
bool output_source_needs_control(const struct output_source_set *sources);

/* Counts how often the source of a single pane has begun or changed. */
uint64_t output_source_begun(const struct output_source_set *sources);

/* Panes whose source began after the count begun and does not flow yet. Returns how many. */
size_t output_source_coming(
    const struct output_source_set *sources, uint64_t begun, uint32_t *ret_panes, size_t max);

uint32_t output_source_piped(const struct output_source_set *sources);
