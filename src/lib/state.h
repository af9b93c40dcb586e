/* SPDX-License-Identifier: ISC */
/*
 * The state of a sync, which its parts share. sync.c follows the server as a whole; each
 * of the other parts owns one thing and is called downwards from it. Calls upwards go
 * through struct sync_callbacks.
 *
 *   attachment    one connection to one session, and the panes whose output it carries
 *   attach_delay  when a connection may be opened
 *   lister        when the server is listed, and the callers that wait for a listing
 *   publish       a new listing becomes the model; the differences become changes
 *   track         what is known of each pane beyond the model: output, exit, interest
 *   pane_exit     the ends of panes' processes: each reported once, with its status
 *   pane_pidfd    the processes of panes, watched without polling
 *   capture       pictures of panes that are exact to the byte
 *   reconnect     waiting for a server that does not run
 *   read_back     commands whose reply waits until a listing shows their effect
 *   audit         comparing the model with the server
 */
#ifndef LIB_STATE_H
#define LIB_STATE_H

#include <muxbus.h>

#include "base/list.h"
#include "base/map.h"
#include "lib/locate.h"
#include "lib/loop.h"
#include "lib/pane_pidfd.h"
#include "lib/reconnect.h"
#include "lib/seen_ids.h"

struct attachment;
struct listing;

/* Calls of the parts to sync.c, which is above them. */
struct sync_callbacks {
	void (*attachment_ready)(struct muxbus_sync *sync, struct attachment *attachment,
	    const struct muxbus_version *version);
	/* The connection has ended; the callback frees the connection. */
	void (*attachment_closed)(
	    struct muxbus_sync *sync, struct attachment *attachment, int error, const char *reason);
	void (*attachment_event)(struct muxbus_sync *sync, struct attachment *attachment,
	    const struct muxbus_event *event);
	/* A new listing, which is used up. Returns 0 or MUXBUS_ERR_NOMEM. */
	int (*listed)(struct muxbus_sync *sync, struct listing *listing, uint64_t number);
	/* The listing has become the model, and its changes were reported. */
	void (*published)(struct muxbus_sync *sync);
};

/* When the server is listed: see lister.h. */
struct lister {
	struct loop_timer timer; /* the next listing is due */
	bool is_running;
	bool is_publishing; /* the next one waits until all is told */
	bool is_dirty; /* something changed since the running listing began */
	uint64_t begun; /* listings begun; the number of the running one */
	uint64_t done; /* the last one that became the model */
	uint64_t previous; /* the one before that */
	int64_t begun_us;
	int64_t done_begun_us; /* when the one that became the model was begun */
	int64_t cost_us;
	struct list waits;
};

/* When a connection may be opened: see attach_delay.h. */
struct attach_delay {
	struct loop_timer timer; /* the next look */
	int64_t disturbed_ms; /* when something happened last; 0: never */
	int64_t waiting_ms; /* since when a connection waits; 0: none does */
	struct list runs; /* commands that wait */
};

struct muxbus_sync {
	struct muxbus_loop *loop;
	const struct sync_callbacks *callbacks;
	char *socket_path;
	char *tmux_path; /* NULL: the server's own */
	bool all_output; /* of every pane, also of those to come */
	unsigned all_wanted; /* how many want that */
	uint64_t all_since; /* listings begun when the first did */
	unsigned command_timeout_ms;
	struct muxbus_sync_handlers handlers;
	void *data;

	enum muxbus_sync_state state;
	bool is_started;
	struct identity server;
	struct muxbus_version version;
	char version_text[32];

	struct muxbus_model *empty; /* what the model is unless LIVE */
	struct muxbus_model *model; /* never NULL */
	bool exit_unattached; /* of the last listing */
	unsigned people; /* clients that are people, in the last listing */
	struct map tracks; /* struct track by pane id */
	struct seen_ids seen_ids;
	struct lister lister;
	struct pane_pidfd pane_pidfd;
	struct reconnect reconnect;

	struct list attachments; /* struct attachment */
	struct attach_delay attach_delay;
	struct attachment *primary; /* where commands run; NULL while there is none */
	struct loop_timer settle_timer; /* runs what is due at the end of the turn */
	struct loop_timer exit_timer; /* lists again while a process has ended and its pane not */
	unsigned exit_delay_ms;
	struct loop_timer grace_timer; /* how long a living server may be without connection */
	struct list captures; /* struct capture */
	unsigned capture_tries; /* before the last resort: CAPTURE_TRIES but in tests */
	struct loop_timer details_timer;
	unsigned details_wanted;

	uint64_t announced; /* events that said that something changed */
	unsigned differences; /* which the last listing had and tmux announces */
	char difference[128]; /* the first of them */
	uint64_t output_bytes;
	uint64_t reconnects;
	uint64_t audits;
	uint64_t drift;
	bool is_cut; /* the log knows that the model is not all */
	bool is_full; /* it knows that not all sessions are followed */
	bool is_lost; /* the server is; it is seen to at the end of the turn */
	int lost_error;
	char lost_reason[256];
	int search_error; /* of the last try that was told */
	void (*stopped)(void *data);
	void *stopped_data;
};

/* Has what is due done at the end of the turn: sessions, output, closed connections. */
void sync_settle_later(struct muxbus_sync *sync);

/* Publishes another state. */
void sync_set_state(
    struct muxbus_sync *sync, enum muxbus_sync_state state, int error, const char *reason);

#endif
