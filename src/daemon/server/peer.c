/* SPDX-License-Identifier: ISC */
/*
 * Peers. The socket of a peer is watched edge-triggered, since a half-closed connection would
 * otherwise wake the daemon forever. So input is read until there is no more, or until the peer's
 * share of this turn of the loop is used up.
 *
 * While output is unread, libevent reports the end of a connection as input, so a read may miss the
 * end. A later write finds the end. If there is nothing to write, the input is read once more.
 */
#include "daemon/server/peer.h"

#include <event2/event_struct.h>
#include <poll.h>
#include <sys/socket.h>

#include "daemon/core/config.h"
#include "daemon/core/counters.h"
#include "daemon/event/event_log.h"
#include "daemon/server/output.h"
#include "daemon/server/peer_pane.h"
#include "daemon/tmux/tmux.h"
#include "io/loop_timer.h"

#define TURN_LINES 64 /* maximum lines of one peer before other peers have their turn */
#define TURN_US 200 /* no further line begins after so many microseconds */
#define TURN_READS 16
#define OUTPUT_BYTES ((size_t)64 * 1024) /* with more bytes of output, events wait in the backlog */
#define GONE_AFTER 6 /* more than PEER_IDLE_MAX may stay unread for so many times stuck_ms */

struct peer {
	struct list link;
	struct peer_shared *shared;
	struct daemon *parts;
	uint32_t number;
	pid_t pid;
	uid_t uid;
	enum role role;
	struct peer_origin *origin; /* owned; allocated for origin->count processes */
	int fd;
	struct event input_event; /* for input, and its end; edge-triggered */
	struct event write_event; /* active while the socket is full */
	struct loop_timer *turn; /* calls on_turn() for the rest of the work */

	struct line_input input;
	bool is_readable; /* the socket may have more input */
	bool is_closing; /* the peer has closed its side: read until the end */
	/* the last read may have missed the end of the input, and nothing was written since */
	bool is_end_hidden;
	bool is_input_ended;
	bool is_gone; /* the peer does not read any more: output is dropped */
	bool is_ended; /* the peer is freed at its next turn */
	bool is_working; /* work() runs, and checks everything at its end */
	bool is_turn_due;
	struct output output;
	struct backlog backlog; /* the events that come after the output */
	struct response_row responses;
	size_t counted_bytes; /* the part of this peer in shared->unread */

	struct subscription_set *subscriptions;
	char *cwd;
	bool is_behind; /* events or lines were dropped: the peer gets a gap later */
	void (*room)(struct peer *peer, void *data); /* NULL: none */
	void *room_data;
	void (*ended)(void *data); /* NULL: none */
	void *ended_data;
	bool has_pane;
	struct peer_pane peer_pane;
	struct peer_said said; /* set by peer_speak_for() */
	void *attachment;
	void (*finish_attachment)(void *attachment);
};

static void tell_end(struct peer *peer)
{
	void (*ended)(void *data) = peer->ended;
	peer->ended = NULL;
	if (ended != NULL)
		ended(peer->ended_data);
}

void peer_free(struct peer *peer)
{
	log_debug("peer %u: gone", peer->number);
	subscription_set_free(peer->subscriptions);
	peer->is_ended = true;
	tell_end(peer);
	response_row_detach(&peer->responses.slots);
	response_row_detach(&peer->responses.waits);
	if (peer->attachment != NULL)
		peer->finish_attachment(peer->attachment);
	(void)event_del(&peer->input_event);
	(void)event_del(&peer->write_event);
	loop_timer_free(peer->turn);
	output_finish(&peer->output);
	backlog_finish(&peer->backlog);
	line_input_finish(&peer->input);
	peer->shared->count--;
	peer->shared->unread -= peer->counted_bytes;
	list_remove(&peer->link);
	(void)close(peer->fd);
	mem_free(peer->cwd);
	mem_free(peer->origin);
	mem_free(peer);
}

uint32_t peer_number(const struct peer *peer)
{
	return peer->number;
}

pid_t peer_pid(const struct peer *peer)
{
	return peer->pid;
}

uid_t peer_uid(const struct peer *peer)
{
	return peer->uid;
}

const struct peer_origin *peer_origin(const struct peer *peer)
{
	return peer->origin;
}

enum role peer_role(const struct peer *peer)
{
	return peer->role;
}

bool peer_narrow(struct peer *peer, enum role role)
{
	if (role < peer->role)
		return false;
	peer->role = role;
	return true;
}

const char *peer_cwd(const struct peer *peer)
{
	return peer->cwd;
}

void peer_set_cwd(struct peer *peer, const char *cwd)
{
	mem_free(peer->cwd);
	peer->cwd = xstrdup(cwd);
}

struct list *peer_link(struct peer *peer)
{
	return &peer->link;
}

struct peer *peer_of_link(struct list *link)
{
	return list_entry(link, struct peer, link);
}

size_t peer_wait_count(const struct peer *peer)
{
	return peer->responses.wait_count;
}

struct subscription_set *peer_subscriptions(struct peer *peer)
{
	return peer->subscriptions;
}

const struct peer_pane *peer_pane_of(struct peer *peer)
{
	struct daemon *parts = peer->parts;
	if (!peer->has_pane) {
		const struct muxbus_model *model = tmux_model(parts->tmux);
		peer_pane_find(peer->origin, model, parts->config->tmux_socket,
		    tmux_server_pid(parts->tmux), &peer->peer_pane);
		peer_pane_hear(&peer->peer_pane, model, &peer->said, peer->role != ROLE_FULL);
		peer->has_pane = true;
	}
	return &peer->peer_pane;
}

void peer_forget_pane(struct peer *peer)
{
	peer->has_pane = false;
}

void peer_speak_for(struct peer *peer, uint32_t pane)
{
	if (peer->role != ROLE_FULL && pane != MUXBUS_NO_ID)
		return;
	peer->said = (struct peer_said){.pane = pane};
	peer->has_pane = false;
}

void peer_attach(struct peer *peer, void *attachment, void (*finish)(void *attachment))
{
	peer->attachment = attachment;
	peer->finish_attachment = finish;
}

void *peer_attachment(const struct peer *peer)
{
	return peer->attachment;
}

static void want_turn(struct peer *peer)
{
	if (peer->is_working || peer->is_turn_due)
		return;
	peer->is_turn_due = true;
	/* on_turn() will run in this turn of the loop, after the present callback. */
	loop_timer_wake(peer->turn);
}

static size_t unread_bytes(const struct peer *peer)
{
	return peer->output.len + peer->responses.held_bytes + peer->backlog.bytes;
}

static size_t unread_max(const struct peer *peer)
{
	return (size_t)peer->parts->config->limits.unread_bytes;
}

size_t peer_unread(const struct peer *peer, int64_t now_ms, int64_t *ret_idle_ms)
{
	*ret_idle_ms = peer->output.len > 0 ? now_ms - peer->output.moved_ms : 0;
	if (peer->is_ended || peer->is_gone)
		return 0;
	return unread_bytes(peer) - peer->backlog.bytes;
}

/* Returns true if the peer has read nothing for PEER_IDLE_MS, although output waits. */
static bool is_idle(const struct peer *peer)
{
	int64_t idle_ms;
	(void)peer_unread(peer, clock_mono_ms(), &idle_ms);
	return idle_ms >= PEER_IDLE_MS;
}

/* Returns the small limit of unread bytes (peer.h). */
static size_t accept_max(const struct peer *peer)
{
	size_t max = unread_max(peer) / 2;
	return max < PEER_IDLE_MAX / 2 ? max : PEER_IDLE_MAX / 2;
}

/* Returns the number of unread bytes beyond which events and other lines are dropped. */
static size_t lines_max(const struct peer *peer)
{
	return is_idle(peer) ? accept_max(peer) : unread_max(peer) / 2;
}

static void discard_output(struct peer *peer)
{
	backlog_finish(&peer->backlog);
	output_finish(&peer->output);
	(void)event_del(&peer->write_event);
	want_turn(peer);
}

void peer_disconnect(struct peer *peer, const char *reason)
{
	if (peer->is_ended)
		return;
	peer->parts->counters->disconnected++;
	log_warning(
	    "peer %u (process %ld): disconnected: %s", peer->number, (long)peer->pid, reason);
	peer->is_ended = true;
	discard_output(peer);
}

/* Notes that the peer does not read any more. Requests in its input are still done. */
static void set_gone(struct peer *peer)
{
	if (peer->is_gone)
		return;
	peer->is_gone = true;
	discard_output(peer);
}

static bool emit(struct peer *peer, struct buf *line)
{
	if (peer->is_gone || peer->is_ended || line->len == 0)
		return !peer->is_gone && !peer->is_ended;
	if (output_add_buf(&peer->output, line) < 0)
		peer_disconnect(peer, "out of memory");
	else if (unread_bytes(peer) > unread_max(peer))
		peer_disconnect(peer, "it does not read its output (limit unread_bytes)");
	want_turn(peer);
	return !peer->is_ended;
}

static void write_event(struct peer *peer, const char *subscription, struct event_entry *event)
{
	if (backlog_write(&peer->output, subscription, event) < 0)
		peer_disconnect(peer, "out of memory");
}

static bool send_event(void *data, const char *subscription, struct event_entry *event)
{
	struct peer *peer = data;
	struct counters *counters = peer->parts->counters;
	if (peer->is_gone || peer->is_ended)
		return true;
	if (unread_bytes(peer) + event->json_len > lines_max(peer)) {
		peer->is_behind = true;
		counters->events_dropped++;
		return false;
	}
	counters->events_sent++;
	if (list_is_empty(&peer->backlog.items) && peer->output.len < OUTPUT_BYTES)
		write_event(peer, subscription, event);
	else
		backlog_put(&peer->backlog, subscription, event);
	want_turn(peer);
	return true;
}

/* Moves events from the backlog to the output, except those of subscriptions that have ended. */
static void refill(struct peer *peer)
{
	while (peer->output.len < OUTPUT_BYTES) {
		char subscription[SUBSCRIPTION_NAME_SIZE];
		struct event_entry *event = backlog_take(&peer->backlog, subscription);
		if (event == NULL)
			return;
		if (subscription_set_has(peer->subscriptions, subscription))
			write_event(peer, subscription, event);
		event_entry_unref(event);
	}
}

/* Drops the events of a peer that does not read. The peer gets a gap when it reads again. */
static void drop_backlog(struct peer *peer)
{
	char subscription[SUBSCRIPTION_NAME_SIZE];
	struct event_entry *event;
	while ((event = backlog_take(&peer->backlog, subscription)) != NULL) {
		subscription_set_dropped(peer->subscriptions, subscription, event->seq);
		peer->parts->counters->events_dropped++;
		peer->is_behind = true;
		event_entry_unref(event);
	}
}

static bool send_gap(
    void *data, const char *subscription, uint64_t from, uint64_t to, const char *reason)
{
	struct peer *peer = data;
	struct buf line = BUF(1024);
	bool is_sent;
	(void)buf_printf(&line,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{\"subscription\":\"%s\",",
	    subscription);
	event_gap_format(&line, from, to, reason);
	(void)buf_append_str(&line, "}}\n");
	is_sent = peer_send_line(peer, (const char *)line.data, line.len);
	buf_finish(&line);
	return is_sent;
}

void peer_set_ended(struct peer *peer, void (*ended)(void *data), void *data)
{
	peer->ended = ended;
	peer->ended_data = data;
}

size_t *peer_line_max(struct peer *peer)
{
	return &peer->input.max_bytes;
}

bool peer_send_line(struct peer *peer, const char *line, size_t len)
{
	if (peer->is_gone || peer->is_ended)
		return true;
	if (unread_bytes(peer) + len > lines_max(peer)) {
		peer->is_behind = true;
		return false;
	}
	if (output_add(&peer->output, line, len) < 0)
		peer_disconnect(peer, "out of memory");
	want_turn(peer);
	return true;
}

void peer_set_room(struct peer *peer, void (*room)(struct peer *peer, void *data), void *data)
{
	peer->room = room;
	peer->room_data = data;
}

static void flush(struct peer *peer)
{
	for (refill(peer); peer->output.len > 0; refill(peer)) {
		switch (output_send(&peer->output, peer->fd)) {
		case OUTPUT_SENT_SOME:
			peer->is_end_hidden = false;
			break;
		case OUTPUT_SENT_FULL:
			(void)event_add(&peer->write_event, NULL);
			return;
		case OUTPUT_SENT_BROKEN:
			set_gone(peer);
			return;
		}
	}
}

void peer_drain(struct peer *peer, int64_t until_ms)
{
	struct pollfd writable = {.fd = peer->fd, .events = POLLOUT};
	int64_t left_ms;
	flush(peer);
	while (
	    peer->output.len > 0 && !peer->is_ended && (left_ms = until_ms - clock_mono_ms()) > 0) {
		(void)poll(&writable, 1, (int)left_ms);
		flush(peer);
	}
}

struct response_row *peer_responses(struct peer *peer)
{
	return &peer->responses;
}

void peer_respond(struct response_slot *response_slot, struct buf *line,
    void (*sent)(struct peer *peer, void *data), void *sent_data)
{
	struct peer *peer = response_slot_peer(response_slot);
	response_row_answer(response_slot, line, sent, sent_data);
	if (unread_bytes(peer) > unread_max(peer))
		peer_disconnect(peer, "its responses pile up (limit unread_bytes)");
	want_turn(peer);
}

static bool can_accept(const struct peer *peer)
{
	/* Calls to a provider may fill half of unread_bytes. */
	size_t max = peer->ended != NULL ? unread_max(peer) / 2 : accept_max(peer);
	return !peer->is_ended && peer->responses.count < PEER_ORDERED_MAX &&
	    unread_bytes(peer) <= max;
}

static bool has_hung_up(const struct peer *peer)
{
	struct pollfd ends = {.fd = peer->fd};
	return poll(&ends, 1, 0) > 0 && ends.revents & (POLLHUP | POLLERR);
}

static bool read_some(struct peer *peer)
{
	/* There is no room for control data, so the peer cannot pass a descriptor to us. */
	struct iovec room = {peer->shared->scratch, peer->shared->scratch_size};
	struct msghdr message = {.msg_iov = &room, .msg_iovlen = 1};
	ssize_t n = recvmsg(peer->fd, &message, MSG_DONTWAIT);
	/* A tmux client that connects here sends a binary number first, and would wait forever. */
	bool is_binary =
	    n > 1 && peer->shared->scratch[1] == '\0' && !line_input_is_pending(&peer->input);
	if (n > 0 && !is_binary) {
		/* A read ends at a passed descriptor, even if more bytes follow. */
		bool is_all = (size_t)n < room.iov_len && !(message.msg_flags & MSG_CTRUNC);
		line_input_add(&peer->input, room.iov_base, (size_t)n);
		peer->is_readable = !is_all || peer->is_closing;
		peer->is_end_hidden = !peer->is_readable;
		return true;
	}
	if (n < 0 && errno == EINTR)
		return true;
	peer->is_readable = false;
	peer->is_end_hidden = false;
	if (n < 0 && errno == EAGAIN)
		return false;
	peer->is_input_ended = true;
	if (n != 0 || has_hung_up(peer))
		set_gone(peer);
	return true;
}

static bool handle_line(struct peer *peer)
{
	const struct peer_shared *shared = peer->shared;
	const char *line;
	size_t len;
	enum line_result result = peer->is_input_ended ? line_input_end(&peer->input, &line, &len)
						       : line_input_next(&peer->input, &line, &len);
	if (result == LINE_FOUND)
		shared->line(shared->data, peer, line, len);
	else if (result == LINE_TOO_LONG)
		shared->too_long(shared->data, peer, peer->input.lost);
	return result != LINE_NONE;
}

static void take_requests(struct peer *peer)
{
	int lines_left = TURN_LINES;
	int reads_left = TURN_READS;
	int64_t until_us = clock_mono_us() + TURN_US;
	while (can_accept(peer)) {
		if (handle_line(peer)) {
			if (--lines_left == 0 || clock_mono_us() > until_us)
				return;
		} else if (!peer->is_readable || reads_left-- == 0 || !read_some(peer)) {
			return;
		}
	}
}

static bool is_finished(const struct peer *peer)
{
	if (!peer->is_input_ended || line_input_is_pending(&peer->input) ||
	    peer->responses.count > 0)
		return false;
	return peer->is_gone ||
	    (peer->responses.wait_count == 0 && peer->output.len == 0 &&
		subscription_set_count(peer->subscriptions) == 0);
}

static bool has_input(const struct peer *peer)
{
	return peer->is_input_ended ? line_input_is_pending(&peer->input)
				    : peer->is_readable || line_input_has_unseen(&peer->input);
}

static int64_t patience_ms(const struct peer *peer)
{
	int64_t stuck_ms = peer->parts->config->limits.stuck_ms;
	if (unread_bytes(peer) > accept_max(peer) && has_input(peer))
		return stuck_ms;
	return unread_bytes(peer) > PEER_IDLE_MAX ? GONE_AFTER * stuck_ms : INT64_MAX;
}

/* Counts the peer's unread bytes. Calls grown() if all peers together have too many. */
static void count_unread(struct peer *peer)
{
	struct peer_shared *shared = peer->shared;
	size_t bytes = peer->output.len + peer->responses.held_bytes;
	shared->unread += bytes - peer->counted_bytes;
	peer->counted_bytes = bytes;
	if (shared->unread > PEERS_UNREAD_MAX && bytes > 0)
		shared->grown(shared->grown_data);
}

static void watch_idle(struct peer *peer)
{
	int64_t now_ms = clock_mono_ms(), idle_ms, next_ms, patience;
	(void)peer_unread(peer, now_ms, &idle_ms);
	if (peer->output.len == 0)
		return;
	if (idle_ms >= PEER_IDLE_MS)
		drop_backlog(peer);
	patience = patience_ms(peer);
	if (idle_ms >= patience)
		peer_disconnect(peer, "it does not read the responses (limit stuck_ms)");
	next_ms = idle_ms < PEER_PRESSED_MS ? PEER_PRESSED_MS
	    : idle_ms < PEER_IDLE_MS        ? PEER_IDLE_MS
					    : patience;
	next_ms = next_ms < patience ? next_ms : patience;
	if (next_ms < INT64_MAX && !peer->is_ended)
		loop_timer_arm(peer->turn, next_ms - idle_ms);
}

/* Does all work of a peer. May free the peer, so only callbacks of the event loop call this. */
static void work(struct peer *peer)
{
	if (peer->is_turn_due)
		loop_timer_disarm(peer->turn);
	peer->is_turn_due = false;
	peer->is_working = true;
	take_requests(peer);
	if (peer->is_gone || (peer->is_input_ended && !line_input_is_pending(&peer->input)))
		tell_end(peer);
	flush(peer);
	if (peer->is_end_hidden && peer->responses.count == 0 && can_accept(peer))
		(void)read_some(peer);
	if (peer->is_behind && list_is_empty(&peer->backlog.items) &&
	    unread_bytes(peer) <= PEER_IDLE_MAX / 4) {
		peer->is_behind = false;
		subscription_set_catch_up(peer->subscriptions);
		if (peer->room != NULL)
			peer->room(peer, peer->room_data);
		flush(peer);
	}
	if (peer->is_gone) {
		peer->responses.wait_count = 0;
		response_row_detach(&peer->responses.waits);
	}
	peer->is_working = false;

	count_unread(peer);
	if (is_finished(peer))
		peer->is_ended = true;
	if (peer->is_ended)
		peer_free(peer);
	else if (can_accept(peer) && has_input(peer))
		loop_timer_arm(peer->turn, 0); /* other peers have their turn first */
	else
		watch_idle(peer);
}

static void on_input(evutil_socket_t fd UNUSED, short events, void *data)
{
	struct peer *peer = data;
	/* libevent may report an error in place of EV_CLOSED */
	peer->is_closing = peer->is_closing || events & EV_CLOSED;
	if (!peer->is_input_ended)
		peer->is_readable = true;
	else if (has_hung_up(peer))
		set_gone(peer);
	work(peer);
}

static void on_writable(evutil_socket_t fd UNUSED, short events UNUSED, void *data)
{
	work(data);
}

static void on_turn(void *data)
{
	struct peer *peer = data;
	if (!peer->is_ended)
		work(peer);
	else
		peer_free(peer);
}

struct peer *peer_new(struct peer_shared *shared, int fd, const struct ucred *who,
    const struct peer_origin *origin, enum role role)
{
	struct daemon *parts = shared->parts;
	static uint32_t last_number;
	struct peer *peer = xalloc(sizeof *peer);
	*peer = (struct peer){.shared = shared,
	    .parts = parts,
	    .number = ++last_number,
	    .pid = who->pid,
	    .uid = who->uid,
	    .role = role,
	    .origin = xmemdup(origin,
		offsetof(struct peer_origin, processes) +
		    origin->count * sizeof origin->processes[0]),
	    .fd = fd,
	    .said = {.pane = MUXBUS_NO_ID}};
	shared->count++;
	list_init(&peer->link);
	response_row_init(&peer->responses, peer, emit);
	backlog_init(&peer->backlog);
	line_input_init(&peer->input, (size_t)parts->config->limits.line_bytes);
	peer->input.wants_id = true;
	peer->turn = loop_timer_new(parts->base, on_turn, peer);
	peer->output.stage = shared->stage;
	if (event_assign(&peer->input_event, parts->base, fd,
		EV_READ | EV_CLOSED | EV_ET | EV_PERSIST, on_input, peer) < 0 ||
	    event_assign(&peer->write_event, parts->base, fd, EV_WRITE | EV_ET, on_writable, peer) <
		0 ||
	    event_add(&peer->input_event, NULL) < 0) {
		log_error("peer %u: cannot watch its socket: %s", peer->number, strerror(errno));
		peer->is_ended = true;
	}
	peer->subscriptions = subscription_set_new(
	    parts, &(struct subscription_sink){.event = send_event, .gap = send_gap, .data = peer});
	log_debug("peer %u: connected, process %ld, user %u, role %s", peer->number, (long)who->pid,
	    (unsigned)who->uid, role_names[role]);
	return peer;
}
