/* SPDX-License-Identifier: ISC */
/*
 * The source of a pane's output: control mode (%output), or a pipe (pane_pipe.h). A pipe costs tmux
 * nothing, and the daemon need not be a client. Control mode is used if the pane has a pipe of the
 * user, if there are too many pipes, or if the output of all panes is wanted.
 *
 * The offsets of a pane's output go on over both. A change of the source is a gap,
 * "source_changed".
 */
#pragma once

#include "base/base.h"

struct config;
struct event_base;
struct tmux;

enum output_source_kind {
	OUTPUT_SOURCE_NONE, /* the output of this single pane is not wanted */
	OUTPUT_SOURCE_CONTROL,
	OUTPUT_SOURCE_PIPE, /* a pipe from which output comes, or that was asked for */
};

struct output_source {
	struct list link; /* in the list of the set, unless kind is NONE */
	struct output_source_set *set;
	uint32_t pane;
	enum output_source_kind kind;
	uint64_t number; /* output_source_begun() when this source began */
	bool has_ended; /* the pane has closed */
	bool is_cut; /* the pipe has ended, and may have lost its last bytes */
	bool is_over; /* the program of the pane has ended, and its pipe with it */
	bool is_pipeless; /* no pipe is tried until the output is unwanted, or the pane was deaf */
};

/* late is called with bytes that come after the pane has left the model. */
struct output_source_set *output_source_set_new(struct event_base *base,
    const struct config *config, struct tmux *tmux,
    void (*late)(struct output_source *source, const uint8_t *bytes, size_t len));
void output_source_set_free(struct output_source_set *sources);

void output_source_init(
    struct output_source *source, struct output_source_set *sources, uint32_t pane);
/*
 * Call this when the pane or the tmux server is closed; late gets the last bytes. Returns true if
 * some may be lost.
 */
bool output_source_finish(struct output_source *source);

/* Call this when tmux has started another program in the pane. */
void output_source_respawned(struct output_source *source);

/* Sets whether the output of this pane is wanted. To set the same value again is allowed. */
void output_source_want(struct output_source *source, bool is_wanted);

/* Sets whether the output of all panes is wanted. After it, call output_source_want() for each. */
void output_source_want_all(struct output_source_set *sources, bool is_wanted);

/* Reads about max bytes that the pipe has now. Returns false if the source is not a pipe. */
bool output_source_drain(struct output_source *source, size_t max);

/*
 * Returns true if a pane is deaf: it has a pipe of the user, and the daemon is no client, so no
 * output comes. Our own pipe is tried every 5 s.
 */
bool output_source_is_deaf(const struct output_source *source);

/* Returns true if control mode is needed for the output that is wanted. */
bool output_source_needs_control(const struct output_source_set *sources);

/* Returns how often the source of a single pane has begun or changed so far. */
uint64_t output_source_begun(const struct output_source_set *sources);

/*
 * Finds panes whose source began after output_source_begun() was `begun`, and from which no output
 * comes yet. Returns their number, at most max.
 */
size_t output_source_coming(
    const struct output_source_set *sources, uint64_t begun, uint32_t *ret_panes, size_t max);

/* Returns the number of panes that are piped. */
uint32_t output_source_piped(const struct output_source_set *sources);
