/* SPDX-License-Identifier: ISC */
/*
 * The output of panes: who wants it (counted interests, leases, taps and watches), rings of the
 * last bytes, and events. Bytes are numbered by their offset. The daemon follows the output of a
 * pane only while it is wanted.
 */
#pragma once

#include "base/base.h"

struct config;
struct event_base;
struct event_log;
struct line_watch;
struct pattern;
struct tmux;
struct token;

struct stream_set *stream_set_new(struct event_base *base, const struct config *config,
    struct event_log *events, struct tmux *tmux);
void stream_set_free(struct stream_set *streams);
void stream_set_output(struct stream_set *streams, uint32_t pane, const uint8_t *bytes, size_t len);
void stream_set_gap(struct stream_set *streams, uint32_t pane, uint64_t offset, const char *reason);
void stream_set_pane_created(struct stream_set *streams, uint32_t pane);
void stream_set_pane_exited(struct stream_set *streams, uint32_t pane);
void stream_set_pane_closed(struct stream_set *streams, uint32_t pane);
void stream_set_server_lost(struct stream_set *streams);

enum stream_interest {
	STREAM_RING, /* the last bytes are kept, for later reads */
	STREAM_TEXT, /* pane_output events */
	STREAM_MARKS, /* events from the output other than pane_output and line */
	STREAM_LINES, /* line events */
	STREAM_INTEREST_COUNT_,
};

/* Adds (on) or removes a counted interest. pane MUXBUS_NO_ID: in all panes, also new ones. */
void stream_want(struct stream_set *streams, uint32_t pane, enum stream_interest interest, bool on);

/* Returns true if the output of a pane is wanted and cannot come (output_source_is_deaf()). */
bool stream_is_deaf(const struct stream_set *streams, uint32_t pane);

/* maximum bytes of an escape sequence; the rest of a longer one counts as text */
#define STREAM_SEQUENCE_MAX (128 * 1024)

/* Returns true if wanted output needs an attached daemon. Leases without `follows` do not count. */
bool stream_set_follows(const struct stream_set *streams);

const struct output_source_set *stream_sources(const struct stream_set *streams);

/*
 * Begins or extends the lease of a reader: for STREAM_LEASE_SEC the output of the pane goes into
 * its ring. follows: meanwhile the daemon stays a client of tmux, if the output needs one.
 */
#define STREAM_LEASE_SEC 300
void stream_lease(struct stream_set *streams, uint32_t pane, bool follows);
/* Ends the leases without `follows`. Call this when the daemon detaches from tmux. */
void stream_end_leases(struct stream_set *streams);

/* A part of a pane's output: see ring_read(). */
struct stream_slice {
	uint64_t from;
	uint64_t to;
	uint64_t end; /* the present end of the pane's output */
	bool has_gap;
	const char *gap_reason; /* a word; or NULL */
};
/* Returns the offset of the oldest byte in the ring; without a ring, of the end of the output. */
uint64_t stream_start(const struct stream_set *streams, uint32_t pane);
/* Reads a part of the ring: see ring_read(). No bytes without a ring. Calls stream_tell(). */
void stream_read(struct stream_set *streams, uint32_t pane, uint64_t offset, size_t max_bytes,
    struct buf *out, struct stream_slice *ret_slice);

/* Takes output that is in the pane's pipe now. Returns false if the pane's source is no pipe. */
bool stream_drain(struct stream_set *streams, uint32_t pane);

/* Call this if a reader knows the present offset: missed output is reported as a gap later. */
void stream_tell(struct stream_set *streams, uint32_t pane);

/*
 * A tap gets the raw output of one pane as it comes. The output is wanted until the tap is removed.
 * If the pane or its server closes, the tap is removed before closed() is called. mark() and osc()
 * must not remove taps; output() and gap() must not remove other taps of the pane.
 */
struct stream_tap {
	struct list link;
	/* Called with a mark (OSC 133), before output() of its last byte; may be NULL. */
	void (*mark)(struct stream_tap *tap, const struct token *token);
	/* Called with another OSC, before output() of its last byte; may be NULL. */
	void (*osc)(struct stream_tap *tap, const struct token *token);
	void (*output)(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len);
	/*
	 * Called if bytes before offset are missing. reason "not_watched": the output is followed
	 * from here on. May be NULL.
	 */
	void (*gap)(struct stream_tap *tap, uint64_t offset, const char *reason);
	/* Called when the pane or its tmux server has closed. */
	void (*closed)(struct stream_tap *tap);
};
/* Adds a tap. Returns 0; -1: there is no such pane. */
int stream_tap_add(struct stream_set *streams, uint32_t pane, struct stream_tap *tap);
void stream_tap_remove(struct stream_set *streams, uint32_t pane, struct stream_tap *tap);

/*
 * Adds a watch for the lines of a pane (pane_lines.h) that match a pattern. The pattern must last
 * as long as the watch. The output is wanted until stream_watch_remove(), or until the pane or its
 * server closes. Returns 0; -1: there is no such pane.
 */
int stream_watch_add(
    struct stream_set *streams, uint32_t pane, struct line_watch *watch, struct pattern *pattern);
/* Removes a watch, which may have ended already. */
void stream_watch_remove(struct stream_set *streams, uint32_t pane, struct line_watch *watch);

/* Returns the input of a pane, made at the first call; NULL: there is no such pane. */
struct pane_input *stream_input(struct stream_set *streams, uint32_t pane);

/* Call this when the pane gets another program. Drops the typed line and an unfinished sequence. */
void stream_new_program(struct stream_set *streams, uint32_t pane);

bool stream_wants_all(const struct stream_set *streams);

struct stream_stats {
	uint64_t bytes;
	uint32_t rings;
	uint32_t interests;
	uint32_t piped; /* number of panes whose output comes by a pipe */
	size_t ring_bytes; /* bytes of memory of all rings */
};
void stream_stats(const struct stream_set *streams, struct stream_stats *ret_stats);
