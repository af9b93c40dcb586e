/* SPDX-License-Identifier: ISC */
/*
 * The state of a sync, which its parts share. sync.c calls the other parts, each of which has one
 * task. Parts call sync.c through struct sync_callbacks.
 *
 * attachment    one connection to one session, and the panes whose output it delivers
 * attach_delay  decides when a connection may be opened
 * detached      runs commands without a connection
 * lister        decides when the server is listed; calls the callers that wait for a listing
 * details       the fields of panes that tmux does not announce
 * detail_watch  asks for these fields once a second, while a caller wants them
 * announced     events whose own text changes the model
 * leaving       panes that are closing, or moving to another window
 * primary       the attachment that runs the commands
 * publish       makes a listing the model; reports the differences as changes
 * track         the data of each pane outside of the model: output, exit, subscriptions
 * pane_exit     reports the end of each pane's process once, with its status
 * pane_pidfd    watches the processes of panes without polling
 * pane_proc     command and directory of a pane, from /proc
 * capture       captures panes at an exact offset of their output
 * reconnect     waits for a server that does not run
 * seen_ids      the ids of objects in events, which a listing may have missed
 * audit         compares the model with the server
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

/* Calls from the parts to sync.c. */
struct sync_callbacks {
	void (*attachment_ready)(struct muxbus_sync *sync, struct attachment *attachment,
	    const struct muxbus_version *version);
	/* The connection has ended; the callback frees it. */
	void (*attachment_closed)(
	    struct muxbus_sync *sync, struct attachment *attachment, int error, const char *reason);
	void (*attachment_event)(struct muxbus_sync *sync, struct attachment *attachment,
	    const struct muxbus_event *event);
	/* The server of a detached sync has ended or does not answer. */
	void (*detached_lost)(struct muxbus_sync *sync, int error);
	/*
	 * Returns true if a list may begin beside the connection; otherwise the list begins later.
	 */
	bool (*may_run_beside)(struct muxbus_sync *sync);
	/* The server answers a ping while a list waits for the connection. */
	void (*connection_held)(struct muxbus_sync *sync);
	/* Makes a listing of parts the model, and owns it. Returns 0 or MUXBUS_ERR_NOMEM. */
	int (*listed)(struct muxbus_sync *sync, struct listing *listing, const struct parts *parts,
	    uint64_t number);
	/* A known window is missing in a listing, before any event. */
	void (*window_gone)(struct muxbus_sync *sync, uint32_t window);
	/* Marks the window that leaving.c holds, to be listed. Returns false if it holds none. */
	bool (*ask_leaving)(struct muxbus_sync *sync);
	/* A listing is now the model, and its changes are reported. */
	void (*published)(struct muxbus_sync *sync);
};

/* The state of lister.c. */
struct lister {
	struct loop_timeout timer; /* starts the next listing */
	bool is_running;
	struct attachment *source; /* runs the listing; replies of other attachments are ignored */
	bool is_publishing; /* changes are being reported: no listing begins until then */
	bool has_attached; /* a connection was opened since the last whole listing */
	struct parts dirty; /* parts that may have changed since they were listed */
	struct parts running; /* parts of the running or last listing */
	bool needs_names; /* the next whole listing reads commands and directories too */
	struct part_ids added; /* windows announced as new since they were listed last */
	struct parts claims; /* unannounced parts that callers of the running listing want fresh */
	struct parts known; /* unannounced parts that are right if tmux has run nothing since */
	uint64_t last_number; /* tmux's number of the last sentinel; 0: unknown */
	unsigned rounds; /* listings in a row after which more had to be listed */
	unsigned cuts; /* listings in a row with records that tmux cut off */
	unsigned refusals; /* failed listings of the whole server in a row */
	uint64_t begun; /* number of listings begun, and the number of the last one */
	uint64_t behind; /* the next listing waits for the end of list `behind` of sync->beside */
	uint64_t done; /* number of the last finished listing */
	uint64_t wholes; /* how many listings of the whole server have begun */
	uint64_t whole; /* number of the last finished listing of the whole server */
	uint64_t previous; /* value of whole before the last finished listing */
	int64_t begun_us;
	int64_t begun_sec; /* begun_us by CLOCK_REALTIME */
	int64_t whole_begun_us;
	int64_t details_us; /* when the last listing with these parts began; 0: never */
	int64_t tree_us;
	int64_t clients_us;
	int64_t cost_us; /* duration of a listing of the whole server */
	struct list waits;
};

/* The state of leaving.c. */
struct leaving {
	struct loop_timeout timer; /* limits the hold */
	bool is_held;
	bool is_asked; /* tmux was asked where the panes are */
	uint32_t window;
	uint32_t active; /* active pane from a later event; MUXBUS_NO_ID: none */
	char *layout; /* layout without the panes; NULL: the window is closed */
};

/* The state of attach_delay.c. */
struct attach_delay {
	struct loop_timeout timer; /* next check */
	int64_t disturbed_ms; /* when the server last changed; 0: never */
	int64_t waiting_ms; /* when a connection began to wait; 0: none waits */
	struct list runs; /* waiting commands */
};

struct muxbus_sync {
	struct muxbus_loop *loop;
	const struct sync_callbacks *callbacks;
	char *socket_path;
	char *tmux_path; /* NULL: the server's own binary */
	enum muxbus_way first_way; /* from the options */
	enum muxbus_way way; /* the last way that worked; at first first_way */
	bool all_output; /* deliver the output of every pane, including new panes */
	unsigned all_wanted; /* number of subscribers to all output */
	uint64_t all_since; /* number of listings begun at the first subscription */
	unsigned command_timeout_ms;
	struct muxbus_sync_handlers handlers;
	void *data;

	enum muxbus_sync_state state;
	bool is_started;
	bool is_detached; /* run without a connection */
	void (*attached)(void *data); /* to be called when attached; NULL: nothing to call */
	void *attached_data;
	uint64_t wholes_before; /* number of whole listings begun when is_detached changed */
	struct identity server;
	struct muxbus_version version;
	char version_text[32];

	struct muxbus_model *empty; /* the model while not LIVE */
	struct muxbus_model *model; /* never NULL */
	bool exit_unattached; /* from the last listing */
	unsigned people; /* users' clients in the last listing */
	struct map tracks; /* maps a pane id to its struct track */
	struct seen_ids seen_ids;
	struct lister lister;
	struct leaving leaving;
	int64_t distrust_until_ms; /* until this time the text of events is not trusted */
	struct pane_pidfd pane_pidfd;
	struct pane_pidfd server_pidfd; /* watches the server itself, as pane 0 */
	struct pane_proc pane_proc; /* the processes of the server */
	struct reconnect reconnect;
	struct ping ping; /* used while a server does not answer */

	struct list attachments; /* struct attachment */
	struct attach_delay attach_delay;
	struct attachment *primary; /* runs the commands; NULL: none */
	struct detached *beside; /* runs commands that may wait for a person; NULL: not used yet */
	bool beside_waits; /* beside waits until the connection is idle */
	int64_t hooked_ms; /* when a hook or person last delayed a list; 0: never */
	struct loop_timeout settle_timer; /* fires at the end of the turn */
	struct loop_timeout exit_timer; /* lists again after a process has ended */
	unsigned exit_delay_ms;
	struct loop_timeout grace_timer; /* limits the time without a connection */
	struct list captures; /* struct capture */
	unsigned capture_tries; /* tries before a capture pauses the pane; tests change it */
	struct loop_timeout details_timer;
	unsigned details_wanted;

	uint64_t announced; /* number of events that announced a change, and of lost connections */
	unsigned differences; /* differences in announced fields that the last listing found */
	char difference[128]; /* text of the first difference */
	uint64_t output_bytes;
	uint64_t reconnects;
	uint64_t freed; /* number of attachments freed so far */
	uint64_t audits;
	uint64_t drift;
	bool is_cut; /* was logged: the model is incomplete */
	bool is_full; /* was logged: not all sessions have a connection */
	bool is_lost; /* the server was lost; handled at the end of the turn */
	int lost_error;
	char lost_reason[256];
	int search_error; /* error of the last reported try */
	void (*stopped)(void *data);
	void *stopped_data;
};

/* Marks the server as lost. The end of the turn handles it. */
void sync_lose_later(struct muxbus_sync *sync, int error, const char *reason);

/* Makes the end of the turn settle sessions, output and closed connections. */
void sync_settle_later(struct muxbus_sync *sync);

/*
 * Returns true if tmux has announced that a window is closed. It stays in the model until it is
 * known that no other window has its panes: see leaving.h.
 */
bool sync_window_is_closed(const struct muxbus_sync *sync, uint32_t window);

/* Changes and reports the state. */
void sync_set_state(
    struct muxbus_sync *sync, enum muxbus_sync_state state, int error, const char *reason);
