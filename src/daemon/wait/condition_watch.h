/* SPDX-License-Identifier: ISC */
/* The watch of a condition on a pane. */
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
	struct line_watch lines;
	bool has_lines;
	bool is_coming; /* output has not started yet, so its first gap is not reported */
	int64_t asked_ms; /* time of the request, CLOCK_MONOTONIC */
	struct event_log_listener listener;
	bool is_listening;
	struct agent_listener agent_listener;
	const struct agent *agent; /* of prompt: the kept agent in the pane; NULL: none */
	struct prompt_mark mark; /* of prompt */
	int exit_status; /* of prompt: last command that the shell marked done; -1: none */
	unsigned looks; /* of prompt: failed looks since the last output */
	struct loop_timer *timer;
	struct pattern *pattern;
	int64_t quiet_ms; /* of quiet_sec and prompt: required time without output */
	int64_t last_ms; /* last output, or arming; CLOCK_MONOTONIC */
	bool is_asking; /* tmux has yet to reply */
	bool is_gone; /* disarmed while is_asking: the reply frees the watch */
};

/* Returns NULL after failing the request. text names the pane. */
struct pane_watch *pane_watch_new(
    struct condition *condition, struct request *request, const char *text);
/* If tmux has yet to reply, the reply frees the watch. */
void pane_watch_disarm(struct condition *condition);

/* If the pane has closed since its lookup: fails the request, frees the watch, returns false. */
bool pane_watch_fail(struct pane_watch *watch, struct request *request);
/* output NULL: as in stream_tap. Returns false after failing the request and freeing the watch. */
bool pane_watch_tap(struct pane_watch *watch, struct request *request,
    void (*output)(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len));
/* Returns false after failing the request and freeing the watch. */
bool pane_watch_pattern(
    struct pane_watch *watch, struct request *request, const char *field, const char *regex);
void pane_watch_listen(struct pane_watch *watch,
    void (*event)(struct event_log_listener *listener, struct event_entry *event));
void pane_watch_lines_closed(struct line_watch *lines);

void pane_watch_put(struct condition *condition, struct json_writer *writer, uint32_t pane);
/* The taps of a closed pane are removed already. */
void pane_watch_gone(struct pane_watch *watch);
