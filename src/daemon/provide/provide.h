/* SPDX-License-Identifier: ISC */
/*
 * Providers: peers that provide methods, files that name a program which does so, and the tool
 * servers of declared tools (tool_servers.h). A call is sent to the provider, whose answer becomes
 * the response, or is kept. The rows (methods) of a peer end with its connection. The rows of a
 * file stay: a call starts the program if it does not run, and waits at most PROVIDE_WAIT_MS for
 * its connection.
 *
 * Only the program of a file may provide the file's rows, with the texts of the file. Rows of peers
 * are no tools of agents. Handlers of calls are called from the event loop, or while the line of
 * another peer is handled.
 */
#pragma once

#include "daemon/provide/provider.h"

/* Makes the set, after the parts that providers need. changed: as in struct provide_set. */
struct provide_set *provide_set_new(
    const struct daemon *parts, void (*changed)(void *data, bool is_listed), void *data);
/* Call this when the daemon ends: forgets calls without a waiting request, ends all programs. */
void provide_set_stop(struct provide_set *set);
void provide_set_free(struct provide_set *set);

/*
 * Sets the rows of a peer (a JSON array); from muxbus-tools, the tools of its server. rows may be
 * NULL for the program of a file, whose rows are those of the file. NULL from muxbus-tools that has
 * provided before: its server takes no more calls. events: as in provider_take_kinds(). On an
 * error, returns false with a failure; the rows are as before, but some kinds of events may have
 * been added.
 */
bool provide_take(struct provide_set *set, struct peer *peer, const struct json *rows,
    const struct json *events, struct tool_failure *ret_failure);
/* Sends a peer the calls that wait for it. Call this after the response to provide. */
void provide_resume(const struct provide_set *set, const struct peer *peer);
/* Writes the names of the methods that a peer provides, as elements of an array. */
void provide_write_names(
    const struct provide_set *set, const struct peer *peer, struct json_writer *writer);

/*
 * Returns true if a peer may be the program of a provider whose process is not known yet. Then pass
 * provide_await() to dispatch_put_off_until(). It calls done when a job has started or ended, or
 * after PROVIDE_WAIT_MS.
 */
bool provide_is_unknown(const struct provide_set *set, const struct peer *peer);
void provide_await(void *set, void (*done)(void *data, int error), void *data);

/* Writes the providers, without tool servers, for list_providers. */
void provide_write(const struct provide_set *set, struct json_writer *writer);
