/* SPDX-License-Identifier: ISC */
/*
 * A monitor watches one pane, and reports what its program is doing. It watches the pane's output,
 * looks at the screen when the output rests, and reports each verdict (classify.h). A prompt or a
 * question is reported when two looks agree and no output came between them. Without output and
 * without a waiting request, the monitor stops after a few looks.
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
	 * Reports a verdict. screen NULL: the program writes, and no screen was read. The callback
	 * may aim, drop or ask for another look, but must not free the monitor.
	 */
	void (*judged)(struct agent *agent, const struct agent_verdict *verdict,
	    const struct pane_screen *screen);
	/* One look has seen a question, another one must confirm it. */
	void (*asks)(struct agent *agent, const struct agent_facts *facts);
	/* The pane or its server has closed; the monitor watches nothing now. */
	void (*closed)(struct agent *agent);
	/* The output is watched from now on, without gaps. */
	void (*flows)(struct agent *agent);
	/* Output has come. */
	void (*wrote)(struct agent *agent);
};

struct agent_monitor *agent_monitor_new(
    const struct daemon *parts, const struct agent_monitor_handlers *handlers, struct agent *agent);
void agent_monitor_free(struct agent_monitor *monitor);

/*
 * Watches a pane from now on, and keeps its output in a ring. is_new: its program is not started
 * yet, so no output was missed, and the learned prompt is dropped. Returns false if there is no
 * such pane.
 */
bool agent_monitor_aim(struct agent_monitor *monitor, const struct pane_ref *pane, bool is_new);
/* Call this when the program of the pane was started: the pane has another first process. */
void agent_monitor_set_process(struct agent_monitor *monitor, const struct pane_ref *pane);
void agent_monitor_drop(struct agent_monitor *monitor);

/* Sets the pattern of the prompt, lent until the next call. NULL: the prompt is learned. */
void agent_monitor_set_regex(struct agent_monitor *monitor, struct pattern *regex);

/* Looks soon, and regularly while is_waiting. */
void agent_monitor_look(struct agent_monitor *monitor, bool is_waiting);

/* Sets if a request waits: only then is a silent program looked at regularly. */
void agent_monitor_set_waiting(struct agent_monitor *monitor, bool is_waiting);

/* Judges a screen that another part has read. Stores nothing. */
void agent_monitor_judge(const struct agent_monitor *monitor, const struct muxbus_pane *pane,
    const struct pane_screen *screen, struct agent_verdict *ret_verdict);

struct prompt_profile *agent_monitor_profile(struct agent_monitor *monitor);
/* Return the output offset of the end, or of the last OSC 133 mark 'A' (prompt) or 'C'. */
uint64_t agent_monitor_end(const struct agent_monitor *monitor);
uint64_t agent_monitor_mark(const struct agent_monitor *monitor, char mark);
/* Returns the number of newlines in the output since the monitor was made. */
uint64_t agent_monitor_newlines(const struct agent_monitor *monitor);
/* Returns true if the program waited for input at the last look. */
bool agent_monitor_is_reading(const struct agent_monitor *monitor);
/* Returns true if no line of a text is too long for its terminal, as last seen. */
bool agent_monitor_keeps(const struct agent_monitor *monitor, const char *text, size_t len);
bool agent_monitor_brackets(const struct agent_monitor *monitor);
/* Sets whether the program wants bracketed paste, as an earlier daemon knew. */
void agent_monitor_set_brackets(struct agent_monitor *monitor, bool brackets);

/* Writes the evidence: what the last look has found. */
void agent_monitor_write(const struct agent_monitor *monitor, struct json_writer *writer);
