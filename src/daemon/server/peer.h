/* SPDX-License-Identifier: ISC */
/*
 * A program connected to the socket: its lines in, its responses and events out.
 *
 * Each request reserves its place when it is accepted. Responses of methods that do not
 * wait leave in that order; those of METHOD_WAITS leave when they are there. Sending never
 * frees a peer: one that cannot go on is marked and freed in a turn of its own.
 *
 * Past half of its limit of unread output a peer's events are dropped, visibly, and its
 * requests are not read; if it then takes nothing for stuck_ms while it wants more answered, it
 * is disconnected. Past the limit it is disconnected at once. Requests are
 * also left unread while PEER_ORDERED_MAX of them are being answered.
 *
 * End of input is not end of interest: after a half-close all that is open is answered,
 * and subscriptions go on, until the peer is really gone.
 */
#ifndef DAEMON_SERVER_PEER_H
#define DAEMON_SERVER_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

#define PEER_ORDERED_MAX 64 /* requests of one peer that are being answered, beside waits */

struct peer_pane;
struct peer;
struct server_parts;
struct subscription_set;

/* All peers have these in common. */
struct peer_shared {
	const struct server_parts *parts;
	void (*line)(void *data, struct peer *peer, const char *line, size_t len);
	void (*too_long)(void *data, struct peer *peer); /* a line, which was skipped */
	void *data;
	char *scratch; /* to read into: for as long as nothing else is called */
	size_t scratch_size;
};

/* Takes over fd. shared outlives it. */
struct peer *peer_new(struct peer_shared *shared, int fd, pid_t pid, uid_t uid);
/* Not from within something that the peer called; the server does it. */
void peer_free(struct peer *peer);

uint32_t peer_number(const struct peer *peer); /* counted from 1 since the daemon started */
pid_t peer_pid(const struct peer *peer);

/* The directory that its commands work in, NULL until it has one; set copies. */
const char *peer_cwd(const struct peer *peer);
void peer_set_cwd(struct peer *peer, const char *cwd);

bool peer_is_closing(const struct peer *peer);
/* Where the server keeps it in its row. */
struct list *peer_link(struct peer *peer);
struct peer *peer_of_link(struct list *link);

/* How many of its requests wait, and are open at all. */
size_t peer_wait_count(const struct peer *peer);
size_t peer_request_count(const struct peer *peer);

/* Which pane it sits in: found once, and again after peer_forget_pane(). */
const struct peer_pane *peer_pane_of(struct peer *peer);
void peer_forget_pane(struct peer *peer);
/*
 * It says that it speaks for this pane, which counts where its process does not tell surely;
 * MUXBUS_NO_ID takes that back.
 */
void peer_speak_for(struct peer *peer, uint32_t pane);

/*
 * A place in the row of responses; those that wait are in no order. gone is called if the
 * peer goes before peer_respond(); the place is gone then too.
 */
struct response_slot;
struct response_slot *peer_reserve(
    struct peer *peer, bool is_waiting, void (*gone)(void *data), void *data);
/*
 * Gives up the place with a line, or with none if line is empty. Its content may be taken
 * away. sent, if not NULL, is called when the line has its place in the output; sent_data
 * is memory of mem_alloc() that is freed.
 */
void peer_respond(struct response_slot *response_slot, struct buf *line,
    void (*sent)(struct peer *peer, void *data), void *sent_data);

/*
 * The data of an unanswered place that is_it() knows by key, or NULL. For cancelling.
 */
void *peer_find_open(
    struct peer *peer, bool (*is_it)(const void *data, const void *key), const void *key);

/* What a protocol keeps with the peer; finish is called with it when the peer is freed. */
void peer_attach(struct peer *peer, void *attachment, void (*finish)(void *attachment));
void *peer_attachment(const struct peer *peer); /* NULL: none yet */

/* A line that is no response to a request; false if the peer is too far behind. */
bool peer_send_line(struct peer *peer, const char *line, size_t len);

struct subscription_set *peer_subscriptions(struct peer *peer);

/* Writes what is there, waiting for it up to this moment of the monotonic clock. */
void peer_drain(struct peer *peer, int64_t until_ms);

#endif
