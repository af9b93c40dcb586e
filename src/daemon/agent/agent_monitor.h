/* SPDX-License-Identifier: ISC */
/*
 * A monitor watches the output of one pane, looks at the screen when the output rests, and reports
 * each verdict (classify.h). A prompt or a question is reported when two looks agree and no output
 * came between them. Without output and without a waiting request, the monitor stops after a few
 * looks.
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
	 * screen NULL: the program writes. May aim, drop or ask for a look, but not free the
	 * monitor.
	 */
	void (*judged)(struct agent *agent, const struct agent_verdict *verdict,
	    const struct pane_screen *screen);
	/* One look has seen a question, which another one must confirm. */
	void (*asks)(struct agent *agent, const struct agent_facts *facts);
	/* The pane or its server has closed, and nothing is watched now. */
	void (*closed)(struct agent *agent);
	/* The output is watched from now on, without gaps. */
	void (*flows)(struct agent *agent);
	void (*wrote)(struct agent *agent);
};

struct agent_monitor *agent_monitor_new(
    const struct daemon *parts, const struct agent_monitor_handlers *handlers, struct agent *agent);
void agent_monitor_free(struct agent_monitor *monitor);

/*
 * Watches a pane from now on, and keeps its output in a ring. is_new: its program is not started
 * yet, so no output was missed and the learned prompt is dropped. Returns false without such a
 * pane.
 */
bool agent_monitor_aim(struct agent_monitor *monitor, const struct pane_ref *pane, bool is_new);
/* The pane has another first process, as its program was started. */
void agent_monitor_set_process(struct agent_monitor *monitor, const struct pane_ref *pane);
void agent_monitor_drop(struct agent_monitor *monitor);

/* The pattern of the prompt is lent until the next call. NULL: the prompt is learned. */
void agent_monitor_set_regex(struct agent_monitor *monitor, struct pattern *regex);

/* Looks soon, and regularly while is_waiting. */
void agent_monitor_look(struct agent_monitor *monitor, bool is_waiting);

/* A silent program is looked at regularly only while a request waits. */
void agent_monitor_set_waiting(struct agent_monitor *monitor, bool is_waiting);

/* Judges a screen that another part has read. Stores nothing. */
void agent_monitor_judge(const struct agent_monitor *monitor, const struct muxbus_pane *pane,
    const struct pane_screen *screen, struct agent_verdict *ret_verdict);

struct prompt_profile *agent_monitor_profile(struct agent_monitor *monitor);
/* Return the output offset of the end, or of the last OSC 133 mark 'A' (prompt) or 'C'. */
uint64_t agent_monitor_end(const struct agent_monitor *monitor);
uint64_t agent_monitor_mark(const struct agent_monitor *monitor, char mark);
/* Counts newlines in the output since the monitor was made. */
uint64_t agent_monitor_newlines(const struct agent_monitor *monitor);
/* Returns true if the program waited for input at the last look. */
bool agent_monitor_is_reading(const struct agent_monitor *monitor);
/* Returns true if no line of a text is too long for the terminal, as last seen. */
bool agent_monitor_keeps(const struct agent_monitor *monitor, const char *text, size_t len);
bool agent_monitor_brackets(const struct agent_monitor *monitor);
/* For the next daemon, which has not seen the program's sequence. */
void agent_monitor_set_brackets(struct agent_monitor *monitor, bool brackets);

void agent_monitor_write(const struct agent_monitor *monitor, struct json_writer *writer);
