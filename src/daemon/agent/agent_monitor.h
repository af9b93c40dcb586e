/* SPDX-License-Identifier: ISC */
/*
 * A monitor watches one pane and says what its program is doing: it follows the pane's output,
 * looks at the screen when that rests, and reports each verdict (agent_verdict.h). A prompt or
 * a question is reported when two looks agree and nothing came between them. Without output
 * and without a waiting request, the monitor does not look.
 */
#pragma once

#include "daemon/agent/classify.h"
#include "daemon/core/pane_ref.h"

struct daemon;
struct pane_screen;
struct json_writer;
struct muxbus_pane;

struct agent_monitor_handlers {
	/*
	 * A verdict. screen NULL: without one (it writes, it has ended). May aim, drop or ask for
	 * another look, but not free the monitor.
	 */
	void (*judged)(
	    void *data, const struct agent_verdict *verdict, const struct pane_screen *screen);
	/* One look has seen a question; another must agree before it is judged. May be NULL. */
	void (*asks)(void *data, const struct agent_facts *facts);
	/* The pane is closed, or its server gone; the monitor watches nothing then. */
	void (*closed)(void *data);
	/* Output comes from now on: nothing more of it is missed. May be NULL. */
	void (*flows)(void *data);
	/* Output came; may be NULL. */
	void (*wrote)(void *data);
};

struct agent_monitor *agent_monitor_new(
    const struct daemon *parts, const struct agent_monitor_handlers *handlers, void *data);
void agent_monitor_free(struct agent_monitor *monitor);

/*
 * Rests on a pane from now on. Its output is kept in a ring from here. is_new: its program is
 * about to be started, so nothing of it was missed; what was learned is forgotten. False if
 * there is no such pane.
 */
bool agent_monitor_aim(struct agent_monitor *monitor, const struct pane_ref *pane, bool is_new);
/* The same pane, whose program has been started: it has another first process. */
void agent_monitor_set_process(struct agent_monitor *monitor, const struct pane_ref *pane);
void agent_monitor_drop(struct agent_monitor *monitor);

/* The pattern of the prompt, lent while it lives; NULL: it is learned. */
void agent_monitor_set_regex(struct agent_monitor *monitor, struct pattern *regex);

/* Looks soon, and goes on looking now and then while is_waiting. */
void agent_monitor_look(struct agent_monitor *monitor, bool is_waiting);

/* Whether a request waits: only then is a program at rest looked at again and again. */
void agent_monitor_set_waiting(struct agent_monitor *monitor, bool is_waiting);

/* Judges a screen that another part has read, and keeps nothing of it. */
void agent_monitor_judge(const struct agent_monitor *monitor, const struct muxbus_pane *pane,
    const struct pane_screen *screen, struct agent_verdict *ret_verdict);

struct prompt_profile *agent_monitor_profile(struct agent_monitor *monitor);
/* Where the output stands, and the offset of the last prompt mark 'A' or output mark 'C'. */
uint64_t agent_monitor_end(const struct agent_monitor *monitor);
uint64_t agent_monitor_mark(const struct agent_monitor *monitor, char mark);
/* How many newlines came since it was made. */
uint64_t agent_monitor_newlines(const struct agent_monitor *monitor);
/* Whether the program was seen to wait for input at the last look. */
bool agent_monitor_is_reading(const struct agent_monitor *monitor);
/* Whether its terminal, as it was last seen, keeps each line of a text. */
bool agent_monitor_keeps(const struct agent_monitor *monitor, const char *text, size_t len);
/* Whether the program has asked for bracketed paste. */
bool agent_monitor_brackets(const struct agent_monitor *monitor);
/* The same as an earlier daemon knew it. */
void agent_monitor_set_brackets(struct agent_monitor *monitor, bool brackets);

/* Members that say what was seen last: the evidence. */
void agent_monitor_write(const struct agent_monitor *monitor, struct json_writer *writer);
