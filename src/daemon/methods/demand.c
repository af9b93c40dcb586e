/* SPDX-License-Identifier: ISC */
/* Demand: whether any part of the daemon needs tmux. */
#include "daemon/methods/demand.h"

#include "base/clock.h"
#include "base/xalloc.h"
#include "daemon/agent/agent.h"
#include "daemon/core/loop_timer.h"
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
#include "daemon/tmux/subscription.h"
#include "daemon/tmux/tmux.h"

enum { LOOK_MS = 1000 };

struct demand {
	struct daemon *daemon;
	struct loop_timer *timer;
	struct queue_listener listener;
	int64_t last_ms; /* when there was demand (CLOCK_MONOTONIC) */
};

static bool has_busy_peer(const struct daemon *daemon)
{
	struct peer *peer = NULL;
	while ((peer = server_next_peer(daemon->server, peer)) != NULL) {
		if (subscription_set_count(peer_subscriptions(peer)) > 0 ||
		    peer_has_open_requests(peer))
			return true;
	}
	return false;
}

static bool is_wanted(const struct daemon *daemon)
{
	return has_busy_peer(daemon) || dispatch_has_parked(server_dispatch(daemon->server)) ||
	    !wait_set_is_idle(daemon->waits) || !delivery_set_is_idle(daemon->deliveries) ||
	    !self_command_set_is_idle(daemon->self_commands) ||
	    !submit_set_is_idle(daemon->submits) || agent_next(daemon->agents, NULL) != NULL ||
	    !reporter_set_is_idle(daemon->reporters);
}

bool demand_settle(struct demand *demand)
{
	struct tmux *tmux = demand->daemon->tmux;
	bool is_now = is_wanted(demand->daemon);
	int64_t now_ms = clock_mono_ms();
	if (is_now)
		demand->last_ms = now_ms;
	if (is_now && tmux_is_resting(tmux))
		(void)tmux_want(tmux);
	else if (!is_now && now_ms - demand->last_ms >= DEMAND_REST_MS)
		tmux_rest(tmux);
	if (!tmux_is_resting(tmux))
		loop_timer_arm(demand->timer, LOOK_MS);
	return is_now;
}

static void on_timer(void *data)
{
	(void)demand_settle(data);
}

/* A request counts as demand for a while, so that the next one finds the daemon attached. */
static void on_handled(void *data, bool looked)
{
	struct demand *demand = data;
	if (looked && !tmux_is_resting(demand->daemon->tmux))
		demand->last_ms = clock_mono_ms();
	loop_timer_arm(demand->timer, 0);
}

static void on_posted(struct queue_listener *listener, const struct notification *note)
{
	struct demand *demand = list_entry(listener, struct demand, listener);
	(void)note;
	loop_timer_arm(demand->timer, 0);
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
