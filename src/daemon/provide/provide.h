/* SPDX-License-Identifier: ISC */
/*
 * Providers: peers that give methods, and files that name programs which do. Their rows stand in
 * the method table; a call goes to the provider, whose answer comes back. Rows of a peer leave with
 * it. Rows of a file stay: calls wait for its program, which the daemon starts, at most
 * PROVIDE_WAIT_MS.
 *
 * Only the program of a file gives the file's rows, with the file's texts; only these are tools of
 * agents. Handlers of calls are called from the event loop, or while another peer's line is handled.
 */
#pragma once

#include "daemon/provide/provider.h"

struct provide_set *provide_set_new(const struct daemon *parts,
    void (*handle)(struct request *request, const void *args),
    void (*changed)(void *data, bool is_listed), void *data);
/* The daemon ends: forgets the calls that nothing waits for, and ends the programs of files. */
void provide_set_stop(struct provide_set *set);
void provide_set_free(struct provide_set *set);

/*
 * Gives a peer's rows (a JSON array), in place of all that it gave before; of the program of a file,
 * rows NULL means all of the file. events as provide_event_take() has them. False with a failure:
 * then nothing has changed.
 */
bool provide_take(struct provide_set *set, struct peer *peer, const struct json *rows,
    const struct json *events, struct tool_failure *ret_failure);
/* The response to provide is on its way: sends a peer the calls that waited for it. */
void provide_resume(const struct provide_set *set, const struct peer *peer);
/* Writes the names that a peer gives, as an array. */
void provide_write_names(
    const struct provide_set *set, const struct peer *peer, struct json_writer *writer);

/*
 * Whether a peer may be the program of a file that was started a moment ago, whose process is not
 * known yet. provide_await() calls done when one more is known; for dispatch_put_off_until().
 */
bool provide_is_unknown(const struct provide_set *set, const struct peer *peer);
void provide_await(void *set, void (*done)(void *data, int error), void *data);

/* Writes all providers, as elements of an array. */
void provide_write(const struct provide_set *set, struct json_writer *writer);
