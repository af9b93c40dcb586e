/* SPDX-License-Identifier: ISC */
/*
 * Calls of providers that nothing waits for: each has an id and a record, and its end is a
 * notification. The answer is kept in a file. A server of tools goes on with them over kill -9 of the
 * daemon, and the next one takes them up. A call that no server has, is gone: the daemon notifies that
 * its effect is unknown, and never calls again.
 */
#pragma once

#include "daemon/queue/notification.h"
#include "daemon/tool/tool_program.h"

#define TOOL_KEPT_MAX 100 /* calls that are remembered after their end, with their answers */

struct event_base;
struct job_set;
struct queue;

/*
 * Reads the calls of earlier daemons. Those under way wait a while for their servers, if any job in
 * jobs is one; jobs is not kept. NULL on failure, with a reason.
 */
struct tool_kept_set *tool_kept_set_new(struct event_base *base, struct queue *queue,
    const struct job_set *jobs, const char *state_dir, char *ret_reason, size_t size);
void tool_kept_set_free(struct tool_kept_set *set);

/* A call begins. ret_id is its id. */
void tool_kept_begin(struct tool_kept_set *set, const char *tool, const struct pane_ref *pane,
    char ret_id[NOTIFICATION_ID_SIZE]);
/* It has not begun after all. */
void tool_kept_drop(struct tool_kept_set *set, const char *id);
/*
 * A call of an earlier daemon that waits for its server: the name of its tool, lent, and when it
 * began (CLOCK_REALTIME). NULL: there is none.
 */
const char *tool_kept_awaited(
    const struct tool_kept_set *set, const char *id, int64_t *ret_begun_ms);
/* The tool's server has taken the call: it ends by tool_kept_end(). */
void tool_kept_take_up(struct tool_kept_set *set, const char *id);

/* Ends a call with a result, whose members are kept, or with a failure (result NULL). */
void tool_kept_end(struct tool_kept_set *set, const char *id, const struct json *result,
    const struct tool_failure *failure);

enum tool_kept_state {
	TOOL_KEPT_NONE, /* no such call */
	TOOL_KEPT_RUNNING,
	TOOL_KEPT_ANSWERED,
	TOOL_KEPT_FAILED, /* *ret_failure says why */
};

/* Writes the members of the result of a call that has ended; *ret_tool is the name of its tool. */
enum tool_kept_state tool_kept_write(const struct tool_kept_set *set, const char *id,
    struct json_writer *writer, const char **ret_tool, struct tool_failure *ret_failure);
