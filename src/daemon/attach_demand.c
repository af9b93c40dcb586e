/* SPDX-License-Identifier: ISC */
#include "daemon/attach_demand.h"

#include "daemon/agent/agent.h"
#include "daemon/core/config.h"
#include "daemon/deliver/delivery.h"
#include "daemon/deliver/self_command.h"
#include "daemon/pane/reporter.h"
#include "daemon/queue/queue.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/server.h"
#include "daemon/tmux/stream.h"
#include "daemon/tmux/subscription.h"
#include "daemon/tmux/tmux.h"
#include "daemon/wait/wait.h"
#include "io/loop_timer.h"

enum { LOOK_MS = 1000, PEOPLE_MAX_MS = 60000 };

struct attach_demand {
	struct daemon *daemon;
	struct loop_timer *timer;
	struct queue_listener listener;
	int64_t last_ms; /* last demand, CLOCK_MONOTONIC */
	int64_t people_ms; /* next listing of people, CLOCK_MONOTONIC */
	int64_t people_wait_ms; /* time from the next listing to the one after */
};

/* No event reports the end of typing, so attach_demand_settle() is called again later. */
static bool is_typing(const struct daemon *daemon)
{
	return !delivery_set_is_idle(daemon->deliveries) ||
	    !self_command_set_is_idle(daemon->self_commands) ||
	    !submit_set_is_idle(daemon->submits);
}

static bool follows(const struct daemon *daemon, bool by_pipe)
{
	return subscription_any_follows(by_pipe) || tmux_is_attaching(daemon->tmux) ||
	    wait_set_follows(daemon->waits) || stream_set_follows(daemon->streams);
}

/*
 * Lists the tmux clients now and then: while the daemon is not attached, no event reports that a
 * person attaches. After an error, the timer will list again.
 */
static void list_people(struct attach_demand *demand)
{
	struct tmux *tmux = demand->daemon->tmux;
	int64_t now_ms = clock_mono_ms();
	if (!tmux_is_live(tmux) || !tmux_is_resting(tmux) || now_ms < demand->people_ms)
		return;
	demand->people_ms = now_ms + demand->people_wait_ms;
	if (demand->people_wait_ms < PEOPLE_MAX_MS)
		demand->people_wait_ms *= 2;
	(void)muxbus_sync_refresh(tmux_sync(tmux), MUXBUS_PART_CLIENTS, 0, NULL, NULL);
}

void attach_demand_settle(void *data)
{
	struct attach_demand *demand = data;
	const struct daemon *daemon = demand->daemon;
	struct tmux *tmux = daemon->tmux;
	bool by_pipe = config_pipes(daemon->config);
	bool delivers = by_pipe && delivery_set_has_mail(daemon->deliveries);
	bool has_agents = daemon->agents->count > 0 || !reporter_set_is_idle(daemon->reporters);
	bool is_working = !by_pipe && (is_typing(daemon) || has_agents);
	bool is_now = is_working || follows(daemon, by_pipe);
	int64_t now_ms = clock_mono_ms(), rest_ms;
	if (daemon->config->attach == ATTACH_NEVER)
		is_now = false;
	if (is_now)
		demand->last_ms = now_ms;
	rest_ms = demand->last_ms + ATTACH_REST_MS - now_ms;
	if (is_now && tmux_is_resting(tmux))
		tmux_attach(tmux, NULL, NULL);
	else if (!is_now && rest_ms <= 0 && !tmux_is_resting(tmux)) {
		stream_end_leases(daemon->streams);
		tmux_rest(tmux);
	}
	if (delivers)
		list_people(demand);
	if (is_working)
		loop_timer_arm(demand->timer, LOOK_MS);
	else if (!is_now && rest_ms > 0)
		loop_timer_arm(demand->timer, rest_ms);
	else if (delivers)
		loop_timer_arm(demand->timer,
		    demand->people_ms > now_ms ? demand->people_ms - now_ms : LOOK_MS);
}

void attach_demand_look(void *data)
{
	struct attach_demand *demand = data;
	if (demand != NULL)
		loop_timer_arm(demand->timer, 0);
}

static void on_posted(struct queue_listener *listener, const struct notification *note UNUSED)
{
	struct attach_demand *demand = list_entry(listener, struct attach_demand, listener);
	demand->people_ms = 0;
	demand->people_wait_ms = LOOK_MS;
	attach_demand_look(demand);
}

struct attach_demand *attach_demand_new(struct daemon *daemon)
{
	struct attach_demand *demand = xcalloc(1, sizeof *demand);
	demand->daemon = daemon;
	demand->last_ms = clock_mono_ms() - ATTACH_REST_MS;
	demand->people_wait_ms = LOOK_MS;
	demand->timer = loop_timer_new(daemon->base, attach_demand_settle, demand);
	demand->listener.posted = on_posted;
	queue_listen(daemon->queue, &demand->listener);
	dispatch_hooks(server_dispatch(daemon->server))->handled = attach_demand_look;
	dispatch_hooks(server_dispatch(daemon->server))->handled_data = demand;
	return demand;
}

void attach_demand_free(struct attach_demand *demand)
{
	if (demand == NULL)
		return;
	list_remove(&demand->listener.link);
	loop_timer_free(demand->timer);
	mem_free(demand);
}
