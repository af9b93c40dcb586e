/* SPDX-License-Identifier: ISC */
/*
 * The output of a peer: the bytes that wait to be written to its socket. Also the events and
 * responses that wait to become output: the backlog and the row of responses.
 *
 * All peers share one stage, a piece of memory for short output that the socket takes at once.
 * Other output of a peer is in memory of its own, for example if another peer uses the stage, or if
 * the socket is full.
 */
#pragma once

#include "daemon/tmux/subscription.h"

#define OUTPUT_STAGE_BYTES ((size_t)16 * 1024)

struct output_stage {
	struct output *user; /* NULL: free */
	size_t len;
	char bytes[OUTPUT_STAGE_BYTES];
};

struct output {
	struct output_stage *stage;
	struct evbuffer *kept; /* bytes that follow those in stage; NULL: none */
	size_t len; /* number of all bytes */
	/* CLOCK_MONOTONIC when the socket last took bytes, or bytes began to wait */
	int64_t moved_ms;
};

/* Drops all bytes. The output may be used again. */
void output_finish(struct output *output);

/* Adds a copy of bytes. Returns 0, or -1 if memory runs out. */
int output_add(struct output *output, const void *bytes, size_t len);
/*
 * Adds the content of a buffer: copies short content, and takes long content over. Returns 0, or -1
 * if memory runs out.
 */
int output_add_buf(struct output *output, struct buf *line);

enum output_sent {
	OUTPUT_SENT_SOME, /* some or all bytes were written, or a signal came first */
	OUTPUT_SENT_FULL, /* the socket takes nothing now */
	OUTPUT_SENT_BROKEN, /* an error, mostly because the other end is closed */
};
/* Writes once to the socket fd. The output must not be empty. */
enum output_sent output_send(struct output *output, int fd);

/* The backlog: events that wait until a peer reads. Backlogs share the memory of an event. */

struct backlog {
	struct list items;
	size_t bytes; /* bytes of JSON of these events */
};

void backlog_init(struct backlog *backlog);
void backlog_finish(struct backlog *backlog); /* the backlog may be used again */

/* Appends an event for the subscription of this name, and takes a reference to the event. */
void backlog_put(struct backlog *backlog, const char *subscription, struct event_entry *event);
/* Takes the first event, with its reference; NULL: the backlog is empty. */
struct event_entry *backlog_take(
    struct backlog *backlog, char ret_subscription[SUBSCRIPTION_NAME_SIZE]);

/* Writes an event as the line that a subscribed peer gets. Returns 0, or -1 if memory runs out. */
int backlog_write(struct output *output, const char *subscription, struct event_entry *event);

/*
 * The row of responses that a peer still has to get. A request reserves a place (slot) for its
 * response. Responses of requests that do not wait leave in the order of the requests; a response
 * that is complete too early is held. The response of a waiting request leaves when it is complete.
 */

struct response_row {
	struct peer *peer;
	/* Takes a response when its turn has come. Returns false if the peer cannot get it. */
	bool (*emit)(struct peer *peer, struct buf *line);
	struct list slots; /* slots of responses that leave in order */
	size_t count; /* number of slots that are not answered */
	struct list waits; /* slots of waiting requests */
	size_t wait_count;
	size_t held_bytes; /* bytes of responses that wait for earlier ones */
};

void response_row_init(
    struct response_row *row, struct peer *peer, bool (*emit)(struct peer *peer, struct buf *line));

/* Reserves a slot. gone is called if the peer disconnects before the answer. */
struct response_slot *response_row_reserve(
    struct response_row *row, bool is_waiting, void (*gone)(void *data), void *data);
/* Returns the data of an open request for which is_it() is true, or NULL. */
void *response_row_find(const struct response_row *row,
    bool (*is_it)(const void *data, const void *key), const void *key);
struct peer *response_slot_peer(const struct response_slot *slot);

/*
 * Answers a slot. A line whose turn has not come is taken over and held. sent may be NULL; it is
 * called when the line leaves, unless the peer cannot get it. sent_data is freed in any case.
 */
void response_row_answer(struct response_slot *slot, struct buf *line,
    void (*sent)(struct peer *peer, void *data), void *sent_data);

/* Frees the slots of a list, and calls gone() of the open ones, which may answer other requests. */
void response_row_detach(struct list *slots);
