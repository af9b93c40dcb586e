/* SPDX-License-Identifier: ISC */
/*
 * The output of panes: a ring of the last bytes of each pane that somebody is interested
 * in, numbered by offset, and the events made from it (pane_output, pane_quiet, bell,
 * command_started, command_finished). Interest is counted; without any, tmux is not
 * asked for the pane's output.
 */
#ifndef DAEMON_TMUX_STREAM_H
#define DAEMON_TMUX_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"

struct config;
struct event_base;
struct event_log;
struct stream_set;
struct tmux;

struct stream_set *stream_set_new(struct event_base *base, const struct config *config,
    struct event_log *events, struct tmux *tmux);
void stream_set_free(struct stream_set *streams);

/* The reader that tmux gets: output and changes as the library reports them. */
void stream_set_output(struct stream_set *streams, uint32_t pane, const uint8_t *bytes, size_t len);
void stream_set_gap(struct stream_set *streams, uint32_t pane, uint64_t offset, const char *reason);
void stream_set_pane_created(struct stream_set *streams, uint32_t pane);
void stream_set_pane_closed(struct stream_set *streams, uint32_t pane);
void stream_set_server_lost(struct stream_set *streams);

/* Why somebody is interested in a pane's output; each costs something else. */
enum stream_interest {
	STREAM_RING, /* its bytes, to read later */
	STREAM_TEXT, /* pane_output events */
	STREAM_MARKS, /* bell, pane_quiet, command_started, command_finished */
	STREAM_INTEREST_COUNT_,
};

/*
 * Counted. pane MUXBUS_NO_ID means every pane there is or will be. Wanting a pane that
 * is not there (yet, or any more) does nothing.
 */
void stream_want(struct stream_set *streams, uint32_t pane, enum stream_interest interest, bool on);

/* A reader's lease: keeps the ring of a pane filled until this long after the last call. */
#define STREAM_LEASE_SEC 300
void stream_lease(struct stream_set *streams, uint32_t pane);

/*
 * Copies of what the ring holds from offset on, up to max bytes, into out (two pieces at
 * most are joined). from is where it really begins (later than asked if the ring has
 * forgotten, or has a gap); gap says that bytes before from are missing.
 */
struct stream_slice {
	uint64_t from;
	uint64_t to;
	uint64_t end; /* where the pane's output stands now */
	bool has_gap;
	const char *gap_reason; /* a word, or NULL */
};
struct buf;
/* The offset of the oldest byte that a ring holds; the pane's offset if it has none. */
uint64_t stream_start(const struct stream_set *streams, uint32_t pane);
void stream_read(struct stream_set *streams, uint32_t pane, uint64_t offset, size_t max_bytes,
    struct buf *out, struct stream_slice *ret_slice);

/*
 * Raw output of one pane, as it comes. For those who look into it (conditions, watches).
 * A tap wants the pane's output until it is removed, or the pane is closed, which removes
 * it before closed is called. From output and gap other taps of the pane must not be removed.
 */
struct stream_tap {
	struct list link;
	void (*output)(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len);
	/*
	 * Bytes are missing before offset; "not_watched" also says that output comes from here
	 * on. May be NULL.
	 */
	void (*gap)(struct stream_tap *tap, uint64_t offset, const char *reason);
	/* The pane, or its server, is gone. */
	void (*closed)(struct stream_tap *tap);
};
/* Returns 0, or -1 if there is no such pane. */
int stream_tap_add(struct stream_set *streams, uint32_t pane, struct stream_tap *tap);
void stream_tap_remove(struct stream_set *streams, uint32_t pane, struct stream_tap *tap);

/* Whether somebody wants something of every pane, also of those to come. */
bool stream_wants_all(const struct stream_set *streams);

/* Whether somebody wants bells and marks of a pane: then they come from its output. */
bool stream_has_marks(const struct stream_set *streams, uint32_t pane);

struct stream_stats {
	uint64_t bytes;
	uint32_t rings;
	uint32_t interests;
	size_t ring_bytes; /* memory held */
};
void stream_stats(const struct stream_set *streams, struct stream_stats *ret_stats);

#endif
