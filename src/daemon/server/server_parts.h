/* SPDX-License-Identifier: ISC */
/* The parts of the daemon that peers and requests can reach. main.c fills them in, once. */
#pragma once

struct server_parts {
	const struct config *config;
	struct event_base *base;
	struct event_log *events;
	struct tmux *tmux; /* NULL: requests that need tmux are refused */
	struct stream_set *streams; /* NULL: no output of panes */
	struct queue *queue; /* NULL: nothing outlives the daemon */
	struct reporter_set *reporters; /* NULL: no reports of programs */
	struct maker_set *makers; /* NULL: of no pane it is known */
	struct once_set *onces; /* NULL: keys of requests mean nothing */
	struct trail *trail; /* NULL: none is kept */
	struct history *history; /* NULL: none is kept */
	struct counters *counters;
	struct meter *meter; /* NULL: waits are not counted */
	struct daemon *daemon; /* for the handlers of methods; not read in this room */
};
