/* SPDX-License-Identifier: ISC */
/*
 * The responses that a peer is owed. Each request reserves a place for its response. Responses of
 * requests that do not wait leave in the order of the requests; one that is complete too early is
 * held. The response of a waiting request leaves when it is complete.
 */
#ifndef DAEMON_SERVER_RESPONSE_ROW_H
#define DAEMON_SERVER_RESPONSE_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"

struct buf;
struct peer;
struct response_slot;

struct response_row {
	struct peer *peer;
	/* Takes a line whose turn it is; false if no reader is left. */
	bool (*emit)(struct peer *peer, struct buf *line);
	struct list slots; /* of responses that leave in order */
	size_t count; /* of these, not answered */
	struct list waits; /* slots of waiting requests */
	size_t wait_count;
	size_t held_bytes; /* of responses that wait for earlier ones */
};

void response_row_init(
    struct response_row *row, struct peer *peer, bool (*emit)(struct peer *peer, struct buf *line));

struct response_slot *response_row_reserve(
    struct response_row *row, bool is_waiting, void (*gone)(void *data), void *data);
/* The data of the first open request for which is_it() is true; NULL: none. */
void *response_row_find(const struct response_row *row,
    bool (*is_it)(const void *data, const void *key), const void *key);
struct peer *response_slot_peer(const struct response_slot *slot);

/*
 * Fills a slot. Its line, and those that were held behind it, go to emit(); or the line is taken
 * over and held. sent (NULL: none) is called once the line is out; sent_data is freed.
 */
void response_row_answer(struct response_slot *slot, struct buf *line,
    void (*sent)(struct peer *peer, void *data), void *sent_data);

/* Calls gone() of all open requests of a list; stoppable ones are stopped, and may answer others. */
void response_row_detach(struct list *slots);

#endif
