/* SPDX-License-Identifier: ISC */
/*
 * The parts of the daemon, which main.c makes. The parts and the handlers of methods reach each
 * other through this struct.
 */
#pragma once

#include "base/base.h"

struct muxbus_pane;
struct pane_ref;
struct pane_screen;

struct daemon {
	const struct config *config;
	struct event_base *base;
	struct server *server; /* the socket and its peers */
	struct event_log *events; /* the one sequence of events */
	struct tmux *tmux; /* the tmux server that is followed; NULL: none, as in a fleet */
	struct stream_set *streams; /* the output of tmux's panes */
	struct queue *queue;
	struct once_set *onces; /* keys of requests, so that a repeated request runs once */
	struct consumer_set *consumers; /* named readers of the queue */
	struct store_loop *store_loop; /* the store on disk */
	const struct boot_clock *clock; /* the clock of stored deadlines */
	struct timer_set *timers;
	struct job_set *jobs;
	struct wait_set *waits;
	struct audit_log *audit; /* NULL: off */
	struct history *history; /* the latest requests */
	struct rest_set *rests; /* texts of which a response showed only a part */
	struct reporter_set *reporters; /* panes whose programs report in their output */
	struct presence_set *presences; /* agents, as they report themselves */
	struct maker_set *makers; /* which programs made which panes */
	struct screen_sign_set *signs; /* patterns for the screens of known agents */
	struct submit_set *submits; /* texts that are typed into panes */
	struct agent_set *agents; /* interactive programs kept alive */
	struct self_command_set *self_commands; /* commands typed into the requesting pane */
	struct puller_set *pullers; /* followers and hooks that take the notifications of a pane */
	struct wake_policy_set *wake_policies; /* which notifications wake whom, and when */
	struct delivery_set *deliveries; /* notifications on their way into panes */
	struct on_notify *on_notify; /* the user's own program for notifications */
	struct way_promises *promises; /* ways of delivery that responses have named */
	struct saved_set *saved; /* sessions, for muxbus restore */
	struct watch_set *watches; /* watches of files */
	struct tool_folder *tools; /* declared tools */
	struct tool_kept_set *kept_calls; /* calls to providers for which no request waits */
	struct provide_set *provides; /* peers that offer methods, and servers of tools */
	struct counters *counters;
	struct meter *meter; /* counts turns that agents have saved */
	int64_t started_ms; /* CLOCK_MONOTONIC */
	/*
	 * Returns true if a kept agent (ensure_agent) is in the pane. These are pointers, as a room
	 * must not call functions of a later room.
	 */
	bool (*is_kept)(const struct daemon *daemon, uint32_t pane);
	/* Returns true if the screen shows the pane's kept agent at its prompt. */
	bool (*is_at_prompt)(const struct daemon *daemon, const struct muxbus_pane *pane,
	    const struct pane_screen *screen);
	/* Returns true if a timer, job, watch or similar source may still notify the address. */
	bool (*is_pending)(const struct daemon *daemon, const struct pane_ref *address);
	/* Begins a normal stop of the daemon; the event loop ends later. */
	void (*stop)(struct daemon *daemon, const char *reason);
};
