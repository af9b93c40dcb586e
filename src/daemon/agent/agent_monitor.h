/* SPDX-License-Identifier: ISC */
/*
 * A monitor watches the output of one agent's pane. When no output has come for AGENT_REST_MS, the
 * monitor reads the screen and reports the verdict (classify.h). A prompt or a question is reported
 * only when two looks agree and no output came between them. A silent program that has neither is
 * looked at again a few times, or regularly while a request waits. Output without a pause is
 * reported too.
 */
#pragma once

#include "daemon/agent/classify.h"
#include "daemon/core/pane_ref.h"

struct agent;
struct daemon;
struct pane_screen;
struct json_writer;
struct muxbus_pane;

struct agent_monitor_handlers {
	/*
	 * Called with a verdict. screen is NULL if the verdict is only that the program writes
	 * without a pause. The handler may call agent_monitor_aim(), _drop() and _look(), but must
	 * not free the monitor.
	 */
	void (*judged)(struct agent *agent, const struct agent_verdict *verdict,
	    const struct pane_screen *screen);
	/* Called when one look has seen a question; a second look must confirm it. */
	void (*asks)(struct agent *agent, const struct agent_facts *facts);
	/* Called when the pane or its tmux server has closed. Nothing is watched now. */
	void (*closed)(struct agent *agent);
	/* Called at a gap in the output, also at the start: the output is watched from there on. */
	void (*flows)(struct agent *agent);
	/* Called when output came. */
	void (*wrote)(struct agent *agent);
};

struct agent_monitor *agent_monitor_new(
    const struct daemon *parts, const struct agent_monitor_handlers *handlers, struct agent *agent);
void agent_monitor_free(struct agent_monitor *monitor);

/*
 * Watches a pane from now on, and keeps its output in a ring buffer. is_new: its program does not
 * run yet, so no output was missed, and the prompt learned before is forgotten. Returns false if
 * the pane does not exist.
 */
bool agent_monitor_aim(struct agent_monitor *monitor, const struct pane_ref *pane, bool is_new);
/* Call this after the program was started in the pane, which then has another first process. */
void agent_monitor_set_process(struct agent_monitor *monitor, const struct pane_ref *pane);
/* Stops watching the pane. */
void agent_monitor_drop(struct agent_monitor *monitor);

/*
 * Sets the pattern of the prompt; NULL: the prompt is learned. The caller keeps regex until the
 * next call or until the monitor is freed.
 */
void agent_monitor_set_regex(struct agent_monitor *monitor, struct pattern *regex);

/* Looks at the watched screen soon, and sets is_waiting as agent_monitor_set_waiting(). */
void agent_monitor_look(struct agent_monitor *monitor, bool is_waiting);

/* Sets whether a request waits. If so, a silent program without a prompt is looked at regularly. */
void agent_monitor_set_waiting(struct agent_monitor *monitor, bool is_waiting);

/* Judges a screen that the caller has read. Does not change the monitor. */
void agent_monitor_judge(const struct agent_monitor *monitor, const struct muxbus_pane *pane,
    const struct pane_screen *screen, struct agent_verdict *ret_verdict);

struct prompt_profile *agent_monitor_profile(struct agent_monitor *monitor);
/* Returns the output offset up to which the output was seen. */
uint64_t agent_monitor_end(const struct agent_monitor *monitor);
/* Returns the output offset of the last OSC 133 mark: begin of 'A' or end of 'C'; 0: none. */
uint64_t agent_monitor_mark(const struct agent_monitor *monitor, char mark);
/* Returns how many newlines the monitor has seen in output since it was made. */
uint64_t agent_monitor_newlines(const struct agent_monitor *monitor);
/* Returns true if the program waited for input at the last look. */
bool agent_monitor_is_reading(const struct agent_monitor *monitor);
/* Returns false if a line of a text is longer than the terminal accepts, as of the last look. */
bool agent_monitor_keeps(const struct agent_monitor *monitor, const char *text, size_t len);
/* Returns true if the program has switched bracketed paste on. */
bool agent_monitor_brackets(const struct agent_monitor *monitor);
/* Sets whether bracketed paste is on, if the program's first output was not seen. */
void agent_monitor_set_brackets(struct agent_monitor *monitor, bool brackets);

/* Writes the last verdict and its evidence as members of a JSON object. */
void agent_monitor_write(const struct agent_monitor *monitor, struct json_writer *writer);
