/* SPDX-License-Identifier: ISC */
/*
 * Finds the window in which a person sees a thread of Codex. One process without a terminal, the
 * app server, runs the threads of all windows. Hooks and tools are its children, and its
 * environment names the pane where it was started.
 *
 * If a window's command line names a thread, the window is known. Another window begins a new
 * thread, whose id has the time of its start and is the name of a file in
 * $CODEX_HOME/tui-thread-reference-capabilities (seen with 0.169). In doubt a thread has no pane,
 * and its notifications are delivered by the thread's name.
 */
#pragma once

#include "daemon/core/pane_ref.h"

struct presence_report;
struct presence_set;

/*
 * Handles the report of a thread that the process server runs: in the pane of its window, with the
 * window's process, or without a pane. The report's own pane and pid are ignored. Returns false if
 * presence_report() does.
 */
bool thread_seat_report(
    struct presence_set *presences, const struct presence_report *report, pid_t server);

/* Like thread_seat_report(), but returns false without a report if the window is unknown. */
bool thread_seat_take(
    struct presence_set *presences, const struct presence_report *report, pid_t server);

/* Finds the thread with which the window in a pane began, before that thread reports. */
void thread_seat_look(struct presence_set *presences, const struct pane_ref *pane);
