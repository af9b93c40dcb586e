/* SPDX-License-Identifier: ISC */
/*
 * The watch of a pane for a condition: the parts of the pane that the condition listens to, and
 * its end when the pane is gone.
 */
#pragma once

#include "daemon/agent/agent.h"
#include "daemon/pane/prompt_sight.h"
#include "daemon/tmux/pane_lines.h"
#include "daemon/tmux/stream.h"
#include "daemon/wait/condition.h"

/* The watch of a pane for a condition. The kind decides which parts are used. */
struct pane_watch {
	struct condition *condition;
	uint32_t pane;
	struct stream_tap tap;
	bool is_tapped;
	struct line_watch lines; /* output */
	bool has_lines;
	bool is_coming; /* the output of the pane has not begun: it begins with a gap */
	int64_t asked_ms; /* CLOCK_MONOTONIC: when its request came */
	struct event_log_listener listener;
	bool is_listening;
	struct agent_listener agent_listener;
	const struct agent *agent; /* prompt: of an agent; NULL: of a pane alone */
	struct prompt_mark mark; /* prompt */
	int exit_status; /* prompt: of the last command that the shell marked as done; -1: none */
	unsigned looks; /* prompt: without success since the last output; exited: since it began */
	struct loop_timer *timer;
	struct pattern *pattern;
	int64_t quiet_ms; /* quiet_sec, prompt: so much must pass */
	int64_t last_ms; /* CLOCK_MONOTONIC: the last output, or arming */
	bool is_asking; /* tmux owes an answer */
	bool is_gone; /* disarmed meanwhile: the answer frees it */
};

/* Makes the watch of a condition on the pane that text names; NULL after failing the request. */
struct pane_watch *pane_watch_new(
    struct condition *condition, struct request *request, const char *text);
/* Frees the watch, or leaves that to the answer that tmux owes. */
void pane_watch_disarm(struct condition *condition);

/* The pane went between two look-ups: fails the request, and frees the watch. Returns false. */
bool pane_watch_fail(struct pane_watch *watch, struct request *request);
/*
 * Taps the pane's output, for the function or NULL (stream_tap). False after failing the request,
 * and freeing the watch.
 */
bool pane_watch_tap(struct pane_watch *watch, struct request *request,
    void (*output)(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len));
/* Compiles a pattern. False after failing the request, and freeing the watch. */
bool pane_watch_pattern(struct pane_watch *watch, struct request *request, const char *regex);
/* Listens to all events. */
void pane_watch_listen(struct pane_watch *watch,
    void (*event)(struct event_log_listener *listener, struct event_entry *event));
void pane_watch_lines_closed(struct line_watch *lines);

/* Begins the details of a condition with its pane; the caller ends the object. */
void pane_watch_put(struct condition *condition, struct json_writer *writer, uint32_t pane);
/* The pane is gone, and its taps with it. */
void pane_watch_gone(struct pane_watch *watch);
