/* SPDX-License-Identifier: ISC */
/* The watch of a pane: what a condition listens to, and how it ends if the pane is closed. */
#pragma once

#include "daemon/agent/agent.h"
#include "daemon/pane/prompt_sight.h"
#include "daemon/tmux/pane_lines.h"
#include "daemon/tmux/stream.h"
#include "daemon/wait/condition.h"

struct pane_watch {
	struct condition *condition;
	uint32_t pane;
	struct stream_tap tap;
	bool is_tapped;
	struct line_watch lines; /* of output */
	bool has_lines;
	bool is_coming; /* output has not started yet, so its first gap is not reported */
	int64_t asked_ms; /* when the request came, CLOCK_MONOTONIC */
	struct event_log_listener listener;
	bool is_listening;
	struct agent_listener agent_listener;
	const struct agent *agent; /* for prompt: the kept agent in the pane; NULL: none */
	struct prompt_mark mark; /* for prompt */
	int exit_status; /* for prompt: of the last command that the shell marked done; -1: none */
	unsigned looks; /* for prompt: failed looks since the last output; else all looks */
	struct loop_timer *timer;
	struct pattern *pattern;
	int64_t quiet_ms; /* for quiet_sec and prompt: required time without output */
	int64_t last_ms; /* last output, or arming; CLOCK_MONOTONIC */
	bool is_asking; /* a command to tmux has no reply yet */
	bool is_gone; /* disarmed while is_asking: the reply frees the watch */
};

/* Makes the watch of the pane that text names. On error, fails the request and returns NULL. */
struct pane_watch *pane_watch_new(
    struct condition *condition, struct request *request, const char *text);
/* Frees the watch; if tmux has yet to reply, the reply frees it. */
void pane_watch_disarm(struct condition *condition);

/* If the pane closed since it was looked up: fails the request, frees the watch, returns false. */
bool pane_watch_fail(struct pane_watch *watch, struct request *request);
/* Taps the output (NULL: as in stream_tap). On error, fails the request and frees the watch. */
bool pane_watch_tap(struct pane_watch *watch, struct request *request,
    void (*output)(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len));
/*
 * Compiles the pattern of a member. On error, fails the request, frees the watch and returns false.
 */
bool pane_watch_pattern(
    struct pane_watch *watch, struct request *request, const char *field, const char *regex);
/* Calls event for each event of the daemon. */
void pane_watch_listen(struct pane_watch *watch,
    void (*event)(struct event_log_listener *listener, struct event_entry *event));
void pane_watch_lines_closed(struct line_watch *lines);

/* Begins the details of a condition with its pane. */
void pane_watch_put(struct condition *condition, struct json_writer *writer, uint32_t pane);
/* Settles the condition as gone, since the pane is closed and its taps were removed. */
void pane_watch_gone(struct pane_watch *watch);
