/* SPDX-License-Identifier: ISC */
/*
 * The seat of a thread: the window (a program of Codex in a pane) in which a person sees a thread
 * of Codex. One process without a terminal, the app server, runs the threads of all windows. Hooks
 * and tools are its children, and its environment names the pane where it was started.
 *
 * If a window's command line names a thread, the window is known. Another window begins a new
 * thread. The id of a thread has the time of its start, and is the name of a file in
 * $CODEX_HOME/tui-thread-reference-capabilities (seen with Codex 0.169). In doubt a thread has no
 * pane, and its notifications are delivered by its name.
 */
#pragma once

#include "daemon/core/pane_ref.h"

struct presence_report;
struct presence_set;

/*
 * Passes on the report of a thread that the process `server` runs: for the pane and process of its
 * window, or, if the window is not known or the report is not believed there, without a pane. The
 * report's own pane is ignored. Returns what presence_report() returns.
 */
bool thread_seat_report(
    struct presence_set *presences, const struct presence_report *report, pid_t server);

/* Like thread_seat_report(), but returns false instead of a report without a pane. */
bool thread_seat_take(
    struct presence_set *presences, const struct presence_report *report, pid_t server);

/* Looks for the thread with which a pane's window began, and reports it with is_found. */
void thread_seat_look(struct presence_set *presences, const struct pane_ref *pane);
