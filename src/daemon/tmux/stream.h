/* SPDX-License-Identifier: ISC */
/*
 * Output of panes: interest in it, rings of the last bytes, and events. Bytes are numbered by
 * offset. Interests are counted; without any, tmux does not send the pane's output.
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
	STREAM_RING, /* the last bytes, for later reads */
	STREAM_TEXT, /* pane_output events */
	STREAM_MARKS, /* all other events except line */
	STREAM_LINES, /* line events */
	STREAM_INTEREST_COUNT_,
};

/* Adds or removes a counted interest. pane MUXBUS_NO_ID: every pane, also new ones. */
void stream_want(struct stream_set *streams, uint32_t pane, enum stream_interest interest, bool on);

/* Returns true if wanted output does not arrive (output_source_is_deaf()). */
bool stream_is_deaf(const struct stream_set *streams, uint32_t pane);

/* A sequence that does not end within this many bytes is given up: text follows. */
#define STREAM_SEQUENCE_MAX (128 * 1024)

bool stream_set_follows(const struct stream_set *streams);

const struct output_source_set *stream_sources(const struct stream_set *streams);

/*
 * The lease of a reader: for this time after the last call, output of the pane goes into its ring.
 * follows: the daemon also stays a client of tmux if the output needs one.
 */
#define STREAM_LEASE_SEC 300
void stream_lease(struct stream_set *streams, uint32_t pane, bool follows);

/* from is later than the wanted offset if bytes were forgotten or are missing. */
struct stream_slice {
	uint64_t from;
	uint64_t to;
	uint64_t end; /* the pane's current offset */
	bool has_gap;
	const char *gap_reason; /* a word, or NULL */
};
/* Returns the offset of the oldest byte in the ring, or the pane's offset without a ring. */
uint64_t stream_start(const struct stream_set *streams, uint32_t pane);
void stream_read(struct stream_set *streams, uint32_t pane, uint64_t offset, size_t max_bytes,
    struct buf *out, struct stream_slice *ret_slice);

/* Takes the output that the pane's pipe holds now. Returns false without a pipe. */
bool stream_drain(struct stream_set *streams, uint32_t pane);

/* A reader knows the present offset, so a gap is reported if the output begins after it. */
void stream_tell(struct stream_set *streams, uint32_t pane);

/*
 * A tap: raw output of one pane, as it arrives. A tap wants the output until it is removed, or
 * until the pane closes, which removes it before closed is called. output and gap must not remove
 * other taps of the pane.
 */
struct stream_tap {
	struct list link;
	/* A mark (OSC 133), before the output that contains it; may be NULL. */
	void (*mark)(struct stream_tap *tap, const struct token *token);
	/* Another OSC, before the output that contains it; may be NULL. */
	void (*osc)(struct stream_tap *tap, const struct token *token);
	/* May be NULL. */
	void (*output)(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len);
	/* Bytes are missing before offset; "not_watched": output begins here. May be NULL. */
	void (*gap)(struct stream_tap *tap, uint64_t offset, const char *reason);
	/* The pane, or its server, is gone. */
	void (*closed)(struct stream_tap *tap);
};
/* Returns 0, or -1 if there is no such pane. */
int stream_tap_add(struct stream_set *streams, uint32_t pane, struct stream_tap *tap);
void stream_tap_remove(struct stream_set *streams, uint32_t pane, struct stream_tap *tap);

/*
 * Adds a watch of the lines of a pane (pane_lines.h) for a pattern, which is lent. The watch wants
 * the output until it is removed, or the pane is closed. Returns 0, or -1 without such a pane.
 */
int stream_watch_add(
    struct stream_set *streams, uint32_t pane, struct line_watch *watch, struct pattern *pattern);
/* The watch may have ended. */
void stream_watch_remove(struct stream_set *streams, uint32_t pane, struct line_watch *watch);

/* Returns the input of a pane, made at the first call; NULL without such a pane. */
struct pane_input *stream_input(struct stream_set *streams, uint32_t pane);

/* For the next program, drops the typed line and an unfinished sequence. */
void stream_new_program(struct stream_set *streams, uint32_t pane);

bool stream_wants_all(const struct stream_set *streams);

struct stream_stats {
	uint64_t bytes;
	uint32_t rings;
	uint32_t interests;
	uint32_t piped; /* panes whose output comes by a pipe */
	size_t ring_bytes; /* memory held */
};
void stream_stats(const struct stream_set *streams, struct stream_stats *ret_stats);
