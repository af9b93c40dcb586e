/* SPDX-License-Identifier: ISC */
/*
 * A peer: a program connected to the socket, its input lines, responses and events.
 *
 * Each accepted request reserves a slot. Responses of methods that do not wait leave in that
 * order; those of METHOD_WAITS leave when they are complete. Sending never frees a peer: a
 * failed peer is marked and freed in a turn of its own.
 *
 * Beyond half of its limit of unread output a peer loses events, visibly; beyond the limit it is
 * disconnected. A peer that has not read for PEER_IDLE_MS keeps at most PEER_IDLE_MAX bytes: events
 * beyond half of that are dropped, requests are not read beyond half of that, and if more of
 * responses waits, the peer is disconnected after stuck_ms if it sends requests, after six times
 * stuck_ms else. Peers that do not read cost PEERS_UNREAD_MAX bytes together: beyond that the one
 * with the most is disconnected. Requests are also not read while PEER_ORDERED_MAX of them are open.
 *
 * After a half-close all open requests are answered, and subscriptions continue, until the peer
 * disconnects.
 */
#pragma once

#include "daemon/server/method.h"

#define PEER_ORDERED_MAX 64 /* open requests of one peer, beside waits */
#define PEER_IDLE_MS 1000 /* a peer that has not taken a byte for so long does not read */
#define PEER_READER_LINE_MAX ((size_t)64 * 1024) /* bytes of a line of the read-only socket */
#define PEER_IDLE_MAX ((size_t)256 * 1024) /* bytes that wait for a peer that does not read */
#define PEERS_UNREAD_MAX ((size_t)32 * 1024 * 1024) /* bytes that wait for such peers together */
#define PEER_PRESSED_MS 200 /* beyond PEERS_UNREAD_MAX, in place of PEER_IDLE_MS */

struct peer_origin;
struct peer;
struct ucred;

/* All peers have these in common. */
struct peer_shared {
	struct daemon *parts;
	void (*line)(void *data, struct peer *peer, const char *line, size_t len);
	/* A line was skipped. */
	void (*too_long)(void *data, struct peer *peer, const struct lost_id *lost);
	void *data;
	void (*grown)(void *data); /* more than PEERS_UNREAD_MAX waits: look at all of them */
	void *grown_data;
	char *scratch; /* for reading, until another function is called */
	size_t scratch_size;
	struct output_stage *stage; /* for writing */
	size_t count; /* of peers */
	size_t unread; /* bytes that wait for all peers, whether they read or not */
};

/* Takes over fd, copies the rest. shared outlives it. */
struct peer *peer_new(struct peer_shared *shared, int fd, const struct ucred *who,
    const struct peer_origin *origin, enum role role);
/* Not from a callback of the peer; the server calls it. */
void peer_free(struct peer *peer);

/* The bytes that wait for the peer, and for how long it has taken none of them. */
size_t peer_unread(const struct peer *peer, int64_t now_ms, int64_t *ret_idle_ms);
/* Disconnects it in a turn of its own, and frees its output now. */
void peer_disconnect(struct peer *peer, const char *reason);

pid_t peer_pid(const struct peer *peer);
uid_t peer_uid(const struct peer *peer);
/* Its process and the ancestors of that, when it connected: they stay what they were. */
const struct peer_origin *peer_origin(const struct peer *peer);

/* Its role, which can only become less. False: it may less already. */
enum role peer_role(const struct peer *peer);
bool peer_narrow(struct peer *peer, enum role role);

/* The working directory for its commands, NULL if unset; set copies. */
const char *peer_cwd(const struct peer *peer);
void peer_set_cwd(struct peer *peer, const char *cwd);

/* The peer's link in the server's list. */
struct list *peer_link(struct peer *peer);
struct peer *peer_of_link(struct list *link);

/* How many of its requests wait. */
size_t peer_wait_count(const struct peer *peer);

/*
 * The pane that its process was in when it connected: found once, and again after
 * peer_forget_pane().
 */
const struct peer_pane *peer_pane_of(struct peer *peer);
void peer_forget_pane(struct peer *peer);
/*
 * Sets the pane that the peer speaks for, which is used if its process is not clearly in a
 * pane; not once its role is narrowed. MUXBUS_NO_ID clears it.
 */
void peer_speak_for(struct peer *peer, uint32_t pane);

/*
 * A response slot: the reserved place of a response; waiting slots have no order. gone is
 * called if the peer goes before peer_respond(); the slot is freed then too.
 */
struct response_slot *peer_reserve(
    struct peer *peer, bool is_waiting, void (*gone)(void *data), void *data);
/*
 * Fills the slot with a line, or frees it without one if line is empty. The content of line may
 * be taken over. sent, if not NULL, is called when the line has its place in the output;
 * sent_data is memory of mem_alloc() that is freed.
 */
void peer_respond(struct response_slot *response_slot, struct buf *line,
    void (*sent)(struct peer *peer, void *data), void *sent_data);

/* Finds the data of an open slot for which is_it() is true, or NULL. For cancelling. */
void *peer_find_open(
    struct peer *peer, bool (*is_it)(const void *data, const void *key), const void *key);

/* State of a dialect for this peer; finish is called with it when the peer is freed. */
void peer_attach(struct peer *peer, void *attachment, void (*finish)(void *attachment));
void *peer_attachment(const struct peer *peer); /* NULL: none yet */

/*
 * Calls ended once: when the input has ended, with all of its lines handled, or when the peer is
 * freed. NULL: nothing.
 */
void peer_set_ended(struct peer *peer, void (*ended)(void *data), void *data);

/* How many bytes a line of the peer may have; it may be changed. */
size_t *peer_line_max(struct peer *peer);

/* Sends a line other than a response; false if the peer is too far behind. */
bool peer_send_line(struct peer *peer, const char *line, size_t len);

/* Calls room when lines that peer_send_line() refused would be taken again. NULL: nothing. */
void peer_set_room(struct peer *peer, void (*room)(struct peer *peer, void *data), void *data);

struct subscription_set *peer_subscriptions(struct peer *peer);

/* Writes the pending output, waiting up to this time of the monotonic clock. */
void peer_drain(struct peer *peer, int64_t until_ms);
