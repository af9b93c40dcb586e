/* SPDX-License-Identifier: ISC */
/* The state of a sync, and the callbacks by which lower files of this folder call higher ones. */
#pragma once

#include "lib/connection/locate.h"
#include "lib/connection/ping.h"
#include "lib/sync/pane_pidfd.h"
#include "lib/sync/pane_proc.h"
#include "lib/sync/reconnect.h"
#include "lib/sync/seen_ids.h"

struct attachment;
struct listing;

struct sync_callbacks {
	void (*attachment_ready)(struct muxbus_sync *sync, struct attachment *attachment,
	    const struct muxbus_version *version);
	/* The connection has ended; the callback frees it. */
	void (*attachment_closed)(
	    struct muxbus_sync *sync, struct attachment *attachment, int error, const char *reason);
	void (*attachment_event)(struct muxbus_sync *sync, struct attachment *attachment,
	    const struct muxbus_event *event);
	/* A server that is used without a connection has ended or does not answer. */
	void (*detached_lost)(struct muxbus_sync *sync, int error);
	/* Returns true if a list may begin beside the connection; else it begins later. */
	bool (*may_run_beside)(struct muxbus_sync *sync);
	/* The server answers a ping while a list waits for the connection. */
	void (*connection_held)(struct muxbus_sync *sync);
	/* Makes the model of a listing the model of the sync. Returns 0 or MUXBUS_ERR_NOMEM. */
	int (*listed)(struct muxbus_sync *sync, struct listing *listing, const struct parts *parts,
	    uint64_t number);
	/* A listing shows that a known window is closed, before an event has announced this. */
	void (*window_gone)(struct muxbus_sync *sync, uint32_t window);
	/* See leaving_ask(). */
	bool (*ask_leaving)(struct muxbus_sync *sync);
	/* A listing has ended without an error, or an event has changed the model. */
	void (*published)(struct muxbus_sync *sync);
};

/*
 * The state of lister.c. Listings are numbered from 1. Unannounced parts (indexes, details, titles,
 * tree, layouts, clients) can change without an event from tmux.
 */
struct lister {
	struct list waits; /* struct lister_wait: the callers that wait for a listing */
	struct loop_timeout timer; /* begins the next listing */
	struct parts dirty; /* parts that the next listing must list; cleared when it begins */
	struct part_ids added; /* windows that were announced as new, but are not listed yet */
	bool has_attached; /* a connection was opened: when no other opens, list the whole server */
	bool is_publishing; /* changes are being reported; no listing begins meanwhile */
	bool lacks_hooks; /* at the last listing of sessions, our commands had no user hooks */
	bool needs_names; /* /proc lacked a pane: tmux lists the commands of panes instead */
	uint64_t behind; /* no listing begins until this list of sync->beside ended or is held */

	/* The last listing, which may still run: */
	uint64_t begun; /* number of the listing */
	int64_t begun_us; /* when it began, by CLOCK_MONOTONIC */
	int64_t begun_sec; /* the same moment by CLOCK_REALTIME */
	struct parts running; /* the parts that the listing lists */
	struct parts claims; /* the unannounced parts that the callers want */
	bool is_running; /* the reply has not come yet */
	struct attachment *source; /* runs the listing; replies of other attachments are ignored */

	/* The results of the listings so far: */
	uint64_t done; /* number of the last listing that ended without an error */
	uint64_t whole; /* number of the last listing of the whole server that became the model */
	uint64_t previous; /* value of whole before the last listing that was not torn or cut */
	uint64_t last_number; /* tmux's number of the last sentinel; 0: unknown */
	struct parts known; /* parts that are right if tmux ran nothing since the last listing */
	int64_t details_us; /* when the last listing began that read or proved all details; or 0 */
	int64_t tree_us; /* the same for all sessions and links */
	int64_t clients_us; /* the same for all clients */
	int64_t cost_us; /* how long the last listing of the whole server took */
	unsigned rounds; /* listings in a row that left more to list; torn and cut ones aside */
	unsigned cuts; /* listings in a row with records that tmux cut off */
	unsigned refusals; /* failed listings in a row; closed objects and hooks do not count */

	uint64_t wholes; /* how many listings of the whole server have begun */
	int64_t whole_begun_us; /* when the last of these began; 0: none on this connection */
};

/* The state of leaving.c, which holds at most one event. */
struct leaving {
	struct loop_timeout timer; /* ends the hold */
	bool is_held; /* an event is held; the members below are about it */
	bool is_asked; /* tmux was asked once in which windows the panes are */
	uint32_t window; /* the window of the event */
	uint32_t active; /* active pane by a later event; MUXBUS_NO_ID: no such event */
	char *layout; /* the new layout, without the panes that left; NULL: the window is closed */
};

/* The state of attach_delay.c. */
struct attach_delay {
	struct loop_timeout timer; /* settles the sync when the server may be quiet */
	int64_t disturbed_ms; /* when the server last changed, by a command or event; 0: never */
	int64_t waiting_ms; /* since when a connection waits to be opened; 0: none waits */
	struct list runs; /* struct delayed_run: lists of commands that wait */
};

struct muxbus_sync {
	/* These members do not change after muxbus_sync_new(): */
	struct muxbus_loop *loop;
	const struct sync_callbacks *callbacks;
	char *socket_path;
	char *tmux_path; /* NULL: the server's own binary */
	enum muxbus_way first_way;
	unsigned command_timeout_ms;
	struct muxbus_sync_handlers handlers;
	void *data; /* of the handlers */

	/* Requests of the program: */
	bool is_started; /* between muxbus_sync_start() and muxbus_sync_stop() */
	void (*stopped)(void *data); /* called after the stop; NULL: no stop is under way */
	void *stopped_data;
	bool is_detached; /* no connection shall be open: see muxbus_sync_set_attached() */
	void (*attached)(void *data); /* called when the sync is attached; NULL: no call */
	void *attached_data;
	uint64_t wholes_before; /* lister.wholes at the request; attached() waits for a later one */
	unsigned all_wanted; /* number of callers that want the output of every pane */
	bool all_output; /* all_wanted is not 0 */
	uint64_t all_since; /* lister.begun at the last change of all_output */
	unsigned details_wanted; /* number of callers that want the details at intervals */
	struct loop_timeout details_timer; /* lists the details */

	/* The server. */
	enum muxbus_sync_state state;
	enum muxbus_way way; /* the last way that worked; first_way again after a loss or stop */
	struct identity server; /* zeroes: none was found */
	struct muxbus_version version; /* as the last attachment read it */
	char version_text[32]; /* as the last listing of sessions read it */
	struct pane_proc pane_proc; /* the processes of the server */
	struct pane_pidfd server_pidfd; /* watches the process of the server, as pane 0 */
	struct reconnect reconnect; /* waits for a server that does not run */
	struct ping ping; /* runs while a server does not answer */
	int search_error; /* while SEARCHING: the error that was reported last */
	bool is_lost; /* the server was lost: the end of the turn handles this */
	int lost_error;
	char lost_reason[256];

	/* The model. */
	struct muxbus_model *empty; /* the model while the sync is not LIVE */
	struct muxbus_model *model; /* never NULL */
	bool exit_unattached; /* as last listed: the server exits with its last client */
	unsigned people; /* number of users' clients that are attached to sessions */
	bool is_cut; /* the model lacks objects, and this was logged */
	struct map tracks; /* maps a pane id to its struct track */
	struct seen_ids seen_ids;
	struct lister lister;
	struct leaving leaving;
	int64_t distrust_until_ms; /* until then, the text of an event changes nothing */
	struct pane_pidfd pane_pidfd; /* watches the processes of the panes */
	struct loop_timeout exit_timer; /* calls pane_exit_look_again() */
	unsigned exit_delay_ms; /* the present interval of exit_timer */
	struct list captures; /* struct capture */
	unsigned capture_tries; /* tries before a capture pauses the pane; tests change it */

	/* The connections. */
	struct list attachments; /* struct attachment */
	struct attachment *primary; /* runs the commands; NULL: none can */
	int spare; /* connection for the next attachment; -1: none */
	struct attach_delay attach_delay;
	bool is_full; /* there were too many sessions for our connections, and this was logged */
	struct detached *beside; /* runs lists beside the primary connection; NULL: none does */
	bool beside_waits; /* beside waits until the primary connection is idle */
	int64_t hooked_ms; /* when a hook or person last delayed a list; 0: never on this server */
	struct loop_timeout settle_timer; /* fires at the end of the turn: see on_settle() */
	struct loop_timeout grace_timer; /* without a connection: loses or lists the server */

	/* Counters. */
	uint64_t announced; /* counts announced changes, and times when an event may be lost */
	unsigned differences; /* changes of the last whole listing that events missed */
	char difference[128]; /* the first of these changes as text */
	uint64_t output_bytes;
	uint64_t reconnects; /* connections that replaced a lost one */
	uint64_t freed; /* attachments freed so far: shows to a loop that its list has changed */
	uint64_t audits; /* audits that ended without an error */
	uint64_t drift; /* differences that these audits have found */
};

/* Marks the server as lost. The end of the turn handles it. */
void sync_lose_later(struct muxbus_sync *sync, int error, const char *reason);

/* Schedules on_settle() of sync.c for the end of the turn. */
void sync_settle_later(struct muxbus_sync *sync);

/*
 * Returns true if tmux has announced that a window is closed, or the model lacks it. A closed
 * window stays in the model until leaving.c knows where its panes are.
 */
bool sync_window_is_closed(const struct muxbus_sync *sync, uint32_t window);

/* Sets the state, and reports a change of the state, or of the error while SEARCHING. */
void sync_set_state(
    struct muxbus_sync *sync, enum muxbus_sync_state state, int error, const char *reason);
