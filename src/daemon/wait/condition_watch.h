/* SPDX-License-Identifier: ISC */
/* The parts that most conditions on panes share. */
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
	bool is_coming; /* the output is not followed yet: an early gap is not reported */
	int64_t asked_ms; /* CLOCK_MONOTONIC of the request */
	struct event_log_listener listener;
	bool is_listening;
	struct agent_listener agent_listener;
	const struct agent *agent; /* for prompt and ready: the kept agent; NULL: none */
	struct prompt_mark mark; /* for prompt: the last mark of the shell */
	/* for prompt: exit status of the last command that the shell marked as done; -1: none */
	int exit_status;
	unsigned looks; /* number of looks; for prompt, those since the last output */
	struct loop_timer *timer;
	struct pattern *pattern;
	int64_t quiet_ms; /* for quiet_sec and prompt: required time without output */
	int64_t last_ms; /* CLOCK_MONOTONIC when output last came or may have come, or of arming */
	bool is_asking; /* a reply of tmux is pending */
	bool is_gone; /* disarmed while is_asking: the reply frees the watch */
};

/* Makes a watch of the pane that target_pane() finds for text. NULL: it has returned false. */
struct pane_watch *pane_watch_new(
    struct condition *condition, struct request *request, const char *text);
/* Frees the watch. If a reply of tmux is pending, the reply will free it. */
void pane_watch_disarm(struct condition *condition);

/* Fails the request, as the pane has closed. Frees the watch, and returns false. */
bool pane_watch_fail(struct pane_watch *watch, struct request *request);
/*
 * Follows the output of the pane. output may be NULL, as in stream_tap. Returns false after failing
 * the request and freeing the watch.
 */
bool pane_watch_tap(struct pane_watch *watch, struct request *request,
    void (*output)(struct stream_tap *tap, uint64_t offset, const uint8_t *bytes, size_t len));
/* Compiles the pattern. Returns false after failing the request and freeing the watch. */
bool pane_watch_pattern(
    struct pane_watch *watch, struct request *request, const char *field, const char *regex);
void pane_watch_listen(struct pane_watch *watch,
    void (*event)(struct event_log_listener *listener, struct event_entry *event));
void pane_watch_lines_closed(struct line_watch *lines);

void pane_watch_put(struct condition *condition, struct json_writer *writer, uint32_t pane);
/* Call this when the pane or its server has closed; the taps are removed already. */
void pane_watch_gone(struct pane_watch *watch);
