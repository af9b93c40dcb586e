/* SPDX-License-Identifier: ISC */
/*
 * The state of a sync, which its parts share. sync.c follows the server as a whole; each
 * of the other parts owns one thing and is called downwards from it:
 *
 *   follow    one connection to one session, and which panes' output flows on it
 *   lister    when the server is listed, and who waits for it
 *   publish   a new listing becomes the model; the differences become changes
 *   track     what is known of each pane beyond the model: output, exit, interest
 *   exits     the ends of panes' processes, told once and with their status
 *   reaper    the processes of panes, so that their end is seen without polling
 *   capture   pictures of panes that are exact to the byte
 *   finder    waiting for a server that is not there
 *   errand    commands whose effect is read back before they are answered
 *   audit     comparing the model with the server
 */
#ifndef LIB_STATE_H
#define LIB_STATE_H

#include <muxbus.h>

#include "base/list.h"
#include "base/map.h"
#include "lib/attach_delay.h"
#include "lib/attachment.h"
#include "lib/identity.h"
#include "lib/lister.h"
#include "lib/loop.h"
#include "lib/pane_pidfd.h"
#include "lib/reconnect.h"
#include "lib/seen_ids.h"
#include "lib/track.h"

struct muxbus_sync {
	struct muxbus_loop *loop;
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
	struct seen_ids_list mentions;
	struct lister lister;
	struct reaper reaper;
	struct finder finder;

	struct list attachments; /* struct follow */
	struct calm calm;
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

/* What a connection says to sync: it answers, it has gone, it hopped to another session. */
void sync_attachment_ready(
    struct muxbus_sync *sync, struct attachment *attachment, const struct muxbus_version *version);
void sync_attachment_closed(
    struct muxbus_sync *sync, struct attachment *attachment, int error, const char *reason);
void sync_event(
    struct muxbus_sync *sync, struct attachment *attachment, const struct muxbus_event *event);

/* A listing has become the model, and its changes are told. */
void sync_listed(struct muxbus_sync *sync);

#endif
