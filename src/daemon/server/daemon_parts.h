/* SPDX-License-Identifier: ISC */
/* The parts of the daemon that handlers of methods can reach. main.c fills them in, once. */
#pragma once

#include "base/base.h"

struct daemon {
	const struct server_parts *parts; /* the subset for peers and requests */
	const struct config *config;
	struct event_base *base;
	struct server *server; /* the socket and its peers */
	struct event_log *events; /* the one sequence of events */
	struct tmux *tmux; /* the tmux server that is followed */
	struct stream_set *streams; /* the output of its panes */
	struct queue *queue; /* of notifications */
	struct consumer_set *consumers; /* named readers of the queue */
	struct store_loop *store_loop; /* the store on disk */
	struct timer_set *timers;
	struct job_set *jobs;
	struct wait_set *waits;
	struct trail *trail; /* NULL: none is kept */
	struct history *history; /* the latest requests */
	struct rest_set *rests; /* what answers did not show */
	struct reporter_set *reporters; /* panes whose programs report in their output */
	struct presence_set *presences; /* agents, as they report themselves */
	struct screen_sign_set *signs; /* patterns for the screens of known agents */
	struct submit_set *submits; /* texts that are typed into panes */
	struct agent_set *agents; /* interactive programs kept alive */
	struct self_command_set *self_commands; /* commands typed into the requesting pane */
	struct puller_set *pullers; /* take notifications for a pane, so that nothing is typed */
	struct wake_policy_set *wake_policies; /* which notifications wake whom, and when */
	struct delivery_set *deliveries; /* notifications on their way into panes */
	struct on_notify *on_notify; /* the user's own program for notifications */
	struct promise_set *promises; /* ways that answers named */
	struct saved_set *saved; /* sessions, for muxbus restore */
	struct watch_set *watches; /* of files */
	struct tool_folder *tools; /* declared tools */
	struct tool_kept_set *kept_calls; /* calls of providers that nothing waits for */
	struct provide_set *provides; /* methods of peers, and servers of tools */
	struct counters *counters;
	struct meter *meter; /* turns that agents did not need */
	int64_t started_ms; /* of the monotonic clock */
	/* Stops the daemon normally, from the loop. */
	void (*stop)(struct daemon *daemon, const char *reason);
};
