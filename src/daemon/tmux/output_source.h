/* SPDX-License-Identifier: ISC */
/*
 * The source of a pane's output: control mode (%output), or a pipe. A pipe costs tmux nothing and
 * makes the daemon no client; control mode is the way where a pipe cannot be: the pane has one of
 * the user, or there are too many, or the output of every pane is wanted.
 *
 * The offsets of a pane go on over both. Where the source changes there is a gap, "source_changed".
 */
#pragma once

#include "base/base.h"

struct config;
struct event_base;
struct tmux;

enum output_source_kind {
	OUTPUT_SOURCE_NONE, /* the output of this pane alone is not wanted */
	OUTPUT_SOURCE_CONTROL,
	OUTPUT_SOURCE_PIPE, /* or soon */
};

struct output_source {
	struct list link; /* in the set's list, unless NONE */
	struct output_source_set *set;
	uint32_t pane;
	enum output_source_kind kind;
	uint64_t number; /* of its beginning, in the set */
	bool has_ended; /* nothing is wanted any more */
	bool is_cut; /* its pipe has ended, and may have lost its last bytes */
	bool is_over; /* the program of the pane has ended, and its pipe with it */
	bool is_pipeless; /* control mode carries it until it is not wanted */
};

/*
 * late gets bytes that came when the model had the pane no more; the other bytes and the gaps come
 * from the library, as those of control mode.
 */
struct output_source_set *output_source_set_new(struct event_base *base,
    const struct config *config, struct tmux *tmux,
    void (*late)(struct output_source *source, const uint8_t *bytes, size_t len));
void output_source_set_free(struct output_source_set *sources);

void output_source_init(
    struct output_source *source, struct output_source_set *sources, uint32_t pane);
/* The pane has gone, or its server: late gets its last bytes. True: some of them may be lost. */
bool output_source_finish(struct output_source *source);

/* Another program runs in the pane. */
void output_source_respawned(struct output_source *source);

/* Whether the output of this pane is wanted; said as often as one likes. */
void output_source_want(struct output_source *source, bool is_wanted);

/* Whether the output of every pane is wanted. Then the caller says again what each pane wants. */
void output_source_want_all(struct output_source_set *sources, bool is_wanted);

/* Delivers the output that a pipe holds now, not much more than max bytes. False: it is no pipe. */
bool output_source_drain(struct output_source *source, size_t max);

/*
 * Whether nothing is heard of a pane whose output is wanted: it has a pipe of the user, and the
 * daemon is never a client. The pipe is tried again every 5 seconds.
 */
bool output_source_is_deaf(const struct output_source *source);

/* Whether control mode is needed for the output that is wanted. */
bool output_source_needs_control(const struct output_source_set *sources);

/* How often the output of a single pane has begun to be wanted. */
uint64_t output_source_begun(const struct output_source_set *sources);

/* Stores the panes that have begun since that count, and whose output is still to come. */
size_t output_source_coming(
    const struct output_source_set *sources, uint64_t begun, uint32_t *ret_panes, size_t max);

/* How many panes are followed by a pipe. */
uint32_t output_source_piped(const struct output_source_set *sources);
