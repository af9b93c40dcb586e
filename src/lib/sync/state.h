/* SPDX-License-Identifier: ISC */
/*
 * The state of a sync, which its parts share. sync.c calls the other parts, and each part owns
 * one task. Calls upwards go through struct sync_callbacks.
 *
 *   attachment    one connection to one session, and the panes whose output it carries
 *   attach_delay  when a connection may be opened
 *   detached      commands without a connection
 *   lister        when the server is listed, and the callers that wait for a listing
 *   details       the fields of panes that tmux does not announce
 *   announced     events whose own text changes the model
 *   leaving       panes that are closing, or moving to another window
 *   primary       the attachment that runs the commands
 *   publish       a new listing becomes the model; the differences become changes
 *   track         the data of each pane beyond the model: output, exit, subscriptions
 *   pane_exit     the ends of panes' processes: each reported once, with its status
 *   pane_pidfd    the processes of panes, watched without polling
 *   capture       pictures of panes that are exact to the byte
 *   reconnect     waiting for a server that does not run
 *   read_back     commands whose reply waits until a listing shows their effect
 *   audit         comparing the model with the server
 */
#pragma once

#include "lib/connection/locate.h"
#include "lib/connection/ping.h"
#include "lib/sync/pane_pidfd.h"
#include "lib/sync/pane_proc.h"
#include "lib/sync/reconnect.h"
#include "lib/sync/seen_ids.h"

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
	/* The server of a detached sync is gone, or does not answer. */
	void (*detached_lost)(struct muxbus_sync *sync, int error);
	/* Whether a list may begin beside the connection; if not, it begins when it may. */
	bool (*may_run_beside)(struct muxbus_sync *sync);
	/* A new model, which is used up, by a listing of these parts. 0 or MUXBUS_ERR_NOMEM. */
	int (*listed)(struct muxbus_sync *sync, struct listing *listing, const struct parts *parts,
	    uint64_t number);
	/* A listed window of the model is gone, which no event has announced yet. */
	void (*window_gone)(struct muxbus_sync *sync, uint32_t window);
	/* The listing has become the model, and its changes were reported. */
	void (*published)(struct muxbus_sync *sync);
};

/* When the server is listed: see lister.h. */
struct lister {
	struct loop_timeout timer; /* starts the next listing */
	bool is_running;
	struct attachment *source; /* of the running listing; another's late reply is ignored */
	bool is_publishing; /* the next listing waits until all changes are reported */
	bool has_attached; /* connections are new since the last whole listing */
	struct parts dirty; /* changed, or may have changed, since they were listed */
	struct parts running; /* of the running or last listing */
	bool needs_names; /* tmux must say the commands of panes: not all can be read here */
	struct part_ids added; /* new windows among these, by an event that announced a link */
	struct parts claims; /* these, of those that stand for all, its callers need fresh */
	struct parts known; /* these are as tmux has them, unless it ran something since */
	uint64_t last_number; /* tmux's number of the last sentinel; 0: not known */
	unsigned rounds; /* listings in a row that found more to list */
	unsigned cuts; /* listings in a row with records that were cut off */
	unsigned refusals; /* listings of the whole server in a row that tmux did not answer */
	uint64_t begun; /* listings begun; the number of the running one */
	uint64_t behind; /* the list beside the connection behind which the next one comes */
	uint64_t done; /* the last finished listing */
	uint64_t wholes; /* listings of the whole server begun */
	uint64_t whole; /* the last finished one of the whole server */
	uint64_t previous; /* the one of the whole server before done */
	int64_t begun_us;
	int64_t begun_sec; /* CLOCK_REALTIME */
	int64_t whole_begun_us;
	int64_t details_us; /* when the last listing of these began; 0: never */
	int64_t tree_us;
	int64_t clients_us;
	int64_t cost_us; /* of the whole server */
	struct list waits;
};

/* Panes that are closing, or moving to another window: see leaving.h. */
struct leaving {
	struct loop_timeout timer; /* limits the doubt */
	bool is_held;
	uint32_t window;
	uint32_t active; /* its active pane by a later event; MUXBUS_NO_ID: none came */
	char *layout; /* without the panes; NULL: the window is closed */
};

/* When a connection may be opened: see attach_delay.h. */
struct attach_delay {
	struct loop_timeout timer; /* the next check */
	int64_t disturbed_ms; /* the last change of the server; 0: none */
	int64_t waiting_ms; /* when a connection began to wait; 0: none waits */
	struct list runs; /* waiting commands */
};

struct muxbus_sync {
	struct muxbus_loop *loop;
	const struct sync_callbacks *callbacks;
	char *socket_path;
	char *tmux_path; /* NULL: the server's own */
	enum muxbus_way first_way; /* of the options */
	enum muxbus_way way; /* the way that the server took last, or the first */
	bool all_output; /* of every pane, now and in the future */
	unsigned all_wanted; /* its subscribers */
	uint64_t all_since; /* listings begun at its first subscription */
	unsigned command_timeout_ms;
	struct muxbus_sync_handlers handlers;
	void *data;

	enum muxbus_sync_state state;
	bool is_started;
	bool is_detached; /* no connection is wanted */
	void (*attached)(void *data); /* is due; NULL: nothing is */
	void *attached_data;
	uint64_t wholes_before; /* whole listings begun when that became so */
	struct identity server;
	struct muxbus_version version;
	char version_text[32];

	struct muxbus_model *empty; /* the model unless LIVE */
	struct muxbus_model *model; /* never NULL */
	bool exit_unattached; /* of the last listing */
	unsigned people; /* users' clients in the last listing */
	struct map tracks; /* struct track by pane id */
	struct seen_ids seen_ids;
	struct lister lister;
	struct leaving leaving;
	int64_t distrust_until_ms; /* until then the text of events is not believed */
	struct pane_pidfd pane_pidfd;
	struct pane_pidfd server_pidfd; /* the server itself, as pane 0 */
	struct pane_proc pane_proc; /* the processes of the server */
	struct reconnect reconnect;
	struct ping ping; /* waits while a server does not answer */

	struct list attachments; /* struct attachment */
	struct attach_delay attach_delay;
	struct attachment *primary; /* runs the commands; NULL: none */
	struct detached *beside; /* those of them that may wait for a person; NULL: not used yet */
	bool beside_waits; /* for the answers of the connection */
	struct loop_timeout settle_timer; /* runs at the end of the turn */
	struct loop_timeout exit_timer; /* lists again after the end of a process */
	unsigned exit_delay_ms;
	struct loop_timeout grace_timer; /* limits the time without a connection */
	struct list captures; /* struct capture */
	unsigned capture_tries; /* before the last resort; tests change it */
	struct loop_timeout details_timer;
	unsigned details_wanted;

	uint64_t announced; /* events that announced a change, and lost connections */
	unsigned differences; /* in the last listing, of fields that tmux announces */
	char difference[128]; /* the first difference */
	uint64_t output_bytes;
	uint64_t reconnects;
	uint64_t freed; /* attachments so far */
	uint64_t audits;
	uint64_t drift;
	bool is_cut; /* logged: the model is not complete */
	bool is_full; /* logged: not all sessions are followed */
	bool is_lost; /* the server is lost; handled at the end of the turn */
	int lost_error;
	char lost_reason[256];
	int search_error; /* of the last reported try */
	void (*stopped)(void *data);
	void *stopped_data;
};

/* The server counts as lost; the end of the turn handles it. */
void sync_lose_later(struct muxbus_sync *sync, int error, const char *reason);

/* Settles sessions, output and closed connections at the end of the turn. */
void sync_settle_later(struct muxbus_sync *sync);

/*
 * Whether tmux has announced that a window is closed. The window is in the model until it is known
 * that its panes are in no other window: see leaving.h.
 */
bool sync_window_is_closed(const struct muxbus_sync *sync, uint32_t window);

/* Changes the state, and reports it. */
void sync_set_state(
    struct muxbus_sync *sync, enum muxbus_sync_state state, int error, const char *reason);
