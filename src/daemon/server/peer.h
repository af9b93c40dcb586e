/* SPDX-License-Identifier: ISC */
/*
 * A peer: a program connected to the socket, with its input lines, responses and events.
 *
 * Sending does not free a peer: a failed peer is freed in a turn of its own.
 *
 * Limits of the bytes that wait for a peer. The small limit is half of PEER_IDLE_MAX, or half of
 * the limit unread_bytes if that is less.
 * - More than unread_bytes: the peer is disconnected.
 * - More than half of unread_bytes: the peer gets a gap in place of events. If the peer has not
 *   read for PEER_IDLE_MS, the small limit counts instead, and the waiting events are dropped.
 * - More than the small limit (for a provider: half of unread_bytes), or PEER_ORDERED_MAX open
 *   requests: requests of the peer are not read. If more than the small limit waits, and the peer
 *   sends requests but does not read, it is disconnected after stuck_ms.
 * - More than PEER_IDLE_MAX, and the peer does not read: it is disconnected after several times
 *   stuck_ms.
 * - More than PEERS_UNREAD_MAX for all peers that have not read for PEER_PRESSED_MS: the peer with
 *   the most bytes is disconnected.
 *
 * A peer may close its side for writing: its open requests are still answered, and its
 * subscriptions go on, until it disconnects.
 */
#pragma once

#include "daemon/server/method.h"

#define PEER_ORDERED_MAX 64 /* maximum number of open requests of one peer, besides waits */
#define PEER_IDLE_MS 1000 /* a peer that takes no waiting byte for so long does not read */
/* maximum bytes of a line on the read-only socket */
#define PEER_READER_LINE_MAX ((size_t)64 * 1024)
#define PEER_IDLE_MAX ((size_t)256 * 1024) /* bytes that may wait for a peer that does not read */
/* bytes that may wait for all peers that do not read */
#define PEERS_UNREAD_MAX ((size_t)32 * 1024 * 1024)
#define PEER_PRESSED_MS 200 /* replaces PEER_IDLE_MS for PEERS_UNREAD_MAX */

struct peer_origin;
struct response_row;
struct response_slot;
struct peer;
struct ucred;

struct peer_shared {
	struct daemon *parts;
	void (*line)(void *data, struct peer *peer, const char *line, size_t len);
	/* Called for a line that was too long and was skipped. lost: its id, if it was found. */
	void (*too_long)(void *data, struct peer *peer, const struct lost_id *lost);
	void *data;
	void (*grown)(void *data); /* called if more than PEERS_UNREAD_MAX waits for all peers */
	void *grown_data;
	char *scratch; /* buffer for the input of any peer; valid until the next read */
	size_t scratch_size;
	struct output_stage *stage;
	size_t count; /* number of all peers */
	size_t unread; /* bytes that wait for all peers, without events in backlogs */
};

/* Makes a peer. Takes over fd; copies who and origin. shared must outlive the peer. */
struct peer *peer_new(struct peer_shared *shared, int fd, const struct ucred *who,
    const struct peer_origin *origin, enum role role);
/* Frees a peer when the daemon ends. At other times, call peer_disconnect(). */
void peer_free(struct peer *peer);

/*
 * Returns how many bytes wait for the peer, without events in its backlog. *ret_idle_ms: for how
 * long the peer has taken no byte of its output; 0 if there is none.
 */
size_t peer_unread(const struct peer *peer, int64_t now_ms, int64_t *ret_idle_ms);
/* Frees the output of the peer now, and the peer itself later, from the event loop. */
void peer_disconnect(struct peer *peer, const char *reason);

uint32_t peer_number(const struct peer *peer); /* from 1; no later peer gets the same */
pid_t peer_pid(const struct peer *peer);
uid_t peer_uid(const struct peer *peer);
/* Returns the process of the peer and its ancestors, as they were when it connected. */
const struct peer_origin *peer_origin(const struct peer *peer);

/* peer_narrow() returns false if the peer already has a narrower role. */
enum role peer_role(const struct peer *peer);
bool peer_narrow(struct peer *peer, enum role role);

/* The directory in which execute_cli starts; NULL: not set. peer_set_cwd() copies the text. */
const char *peer_cwd(const struct peer *peer);
void peer_set_cwd(struct peer *peer, const char *cwd);

struct list *peer_link(struct peer *peer);
struct peer *peer_of_link(struct list *link);

size_t peer_wait_count(const struct peer *peer);

/*
 * Returns the pane of the peer's process, or the one that the peer speaks for. The pane is searched
 * once, and again after peer_forget_pane() or peer_speak_for().
 */
const struct peer_pane *peer_pane_of(struct peer *peer);
void peer_forget_pane(struct peer *peer);
/*
 * Sets the pane that the peer speaks for; MUXBUS_NO_ID: none. This pane counts unless the evidence
 * for another pane is strong. With a narrow role, only MUXBUS_NO_ID has an effect.
 */
void peer_speak_for(struct peer *peer, uint32_t pane);

struct response_row *peer_responses(struct peer *peer);
/*
 * Answers a slot with a line, whose content may be taken over; an empty line only frees the slot.
 * sent may be NULL; it is called when the line has its place in the output. sent_data is memory of
 * mem_alloc(), which is then freed.
 */
void peer_respond(struct response_slot *response_slot, struct buf *line,
    void (*sent)(struct peer *peer, void *data), void *sent_data);

/* Attaches data of a dialect to the peer. finish is called when the peer is freed. */
void peer_attach(struct peer *peer, void *attachment, void (*finish)(void *attachment));
void *peer_attachment(const struct peer *peer); /* NULL: none yet */

/*
 * Makes the peer a provider. ended is called once: after the last line of the input, or when the
 * peer has closed its connection or is freed. A provider may write an answer before it reads its
 * next calls, so its input is read until half of unread_bytes waits for it. ended NULL: the peer is
 * no provider.
 */
void peer_set_ended(struct peer *peer, void (*ended)(void *data), void *data);

/* Returns the maximum bytes of a line of the peer; the caller may change it. */
size_t *peer_line_max(struct peer *peer);

/* Sends a line that is not a response. Returns false if too many bytes wait for the peer. */
bool peer_send_line(struct peer *peer, const char *line, size_t len);

/*
 * Sets the function that is called when there is room again, after a line or an event was dropped.
 * NULL: none.
 */
void peer_set_room(struct peer *peer, void (*room)(struct peer *peer, void *data), void *data);

struct subscription_set *peer_subscriptions(struct peer *peer);

/* Writes the pending output. Blocks at most until this time of CLOCK_MONOTONIC. */
void peer_drain(struct peer *peer, int64_t until_ms);
