/* SPDX-License-Identifier: ISC */
/*
 * The window in which a person sees a thread of Codex. One process without a terminal, its app
 * server, runs the threads of all windows. Hooks and tools are children of the server, whose
 * environment names the pane where it was started, and nothing in a call names the window.
 *
 * A window is known by its command line, if that names the thread. Another window begins with a
 * thread of its own, whose id has the time, and whose name is then in a folder of such threads,
 * $CODEX_HOME/tui-thread-reference-capabilities (seen with 0.169). Without certainty a thread is in
 * no pane: its notifications go to it by its name.
 */
#pragma once

#include "daemon/core/pane_ref.h"

struct presence_report;
struct presence_set;

/*
 * Takes the report of a thread that the process server runs: in the pane of its window, with the
 * window's process, or in none. Report's pane and process do not count. False: see
 * presence_report().
 */
bool thread_seat_report(
    struct presence_set *presences, const struct presence_report *report, pid_t server);

/* The same, but takes no report in none: false then too. */
bool thread_seat_take(
    struct presence_set *presences, const struct presence_report *report, pid_t server);

/* Finds the thread with which the window in a pane has begun, before it reports anything. */
void thread_seat_look(struct presence_set *presences, const struct pane_ref *pane);
