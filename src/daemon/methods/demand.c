/* SPDX-License-Identifier: ISC */
/* Demand: whether any part of the daemon needs tmux. */
#include "daemon/methods/demand.h"

#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/agent/agent.h"
#include "daemon/deliver/delivery.h"
#include "daemon/deliver/self_command.h"
#include "daemon/input/submit.h"
#include "daemon/methods/daemon_parts.h"
#include "daemon/pane/reporter.h"
#include "daemon/queue/queue.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/peer.h"
#include "daemon/server/server.h"
#include "daemon/source/wait.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/subscription.h"
#include "daemon/tmux/tmux.h"
#include "io/loop_timer.h"

enum { LOOK_MS = 1000 };

struct demand {
	struct daemon *daemon;
	struct loop_timer *timer;
	struct queue_listener listener;
	int64_t last_ms; /* when there was demand (CLOCK_MONOTONIC) */
};

static bool has_following_peer(const struct daemon *daemon)
{
	struct peer *peer = NULL;
	while ((peer = server_next_peer(daemon->server, peer)) != NULL) {
		if (subscription_set_follows(peer_subscriptions(peer)))
			return true;
	}
	return false;
}

/* Parts that do not say when they end. */
static bool has_work(const struct daemon *daemon)
{
	return !delivery_set_is_idle(daemon->deliveries) ||
	    !self_command_set_is_idle(daemon->self_commands) ||
	    !submit_set_is_idle(daemon->submits) || agent_next(daemon->agents, NULL) != NULL ||
	    !reporter_set_is_idle(daemon->reporters);
}

static bool follows(const struct daemon *daemon)
{
	return has_following_peer(daemon) || tmux_is_attaching(daemon->tmux) ||
	    wait_set_follows(daemon->waits) || stream_set_follows(daemon->streams);
}

void demand_settle(struct demand *demand)
{
	struct tmux *tmux = demand->daemon->tmux;
	bool is_working = has_work(demand->daemon);
	bool is_now = is_working || follows(demand->daemon);
	int64_t now_ms = clock_mono_ms(), rest_ms;
	if (is_now)
		demand->last_ms = now_ms;
	rest_ms = demand->last_ms + DEMAND_REST_MS - now_ms;
	if (is_now && tmux_is_resting(tmux))
		tmux_attach(tmux, NULL, NULL);
	else if (!is_now && rest_ms <= 0)
		tmux_rest(tmux);
	if (is_working)
		loop_timer_arm(demand->timer, LOOK_MS);
	else if (!is_now && rest_ms > 0)
		loop_timer_arm(demand->timer, rest_ms);
}

void demand_look(struct demand *demand)
{
	if (demand != NULL)
		loop_timer_arm(demand->timer, 0);
}

static void on_timer(void *data)
{
	demand_settle(data);
}

static void on_handled(void *data)
{
	demand_look(data);
}

static void on_posted(struct queue_listener *listener, const struct notification *note)
{
	struct demand *demand = list_entry(listener, struct demand, listener);
	(void)note;
	demand_look(demand);
}

struct demand *demand_new(struct daemon *daemon)
{
	struct demand *demand = xcalloc(1, sizeof *demand);
	demand->daemon = daemon;
	demand->last_ms = clock_mono_ms() - DEMAND_REST_MS;
	demand->timer = loop_timer_new(daemon->base, on_timer, demand);
	demand->listener.posted = on_posted;
	queue_listen(daemon->queue, &demand->listener);
	dispatch_set_handled(server_dispatch(daemon->server), on_handled, demand);
	return demand;
}

void demand_free(struct demand *demand)
{
	if (demand == NULL)
		return;
	queue_unlisten(demand->daemon->queue, &demand->listener);
	loop_timer_free(demand->timer);
	mem_free(demand);
}
