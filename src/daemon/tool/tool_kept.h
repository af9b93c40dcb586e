/* SPDX-License-Identifier: ISC */
/*
 * Calls of providers that no request waits for. Each has an id and a record; its end is a
 * notification, and its answer is kept in a file. After kill -9 of the daemon, a server of tools
 * continues its calls, and the next daemon resumes them. If no server has a call, the daemon
 * notifies that the call is gone and its effect unknown; it is never repeated.
 */
#pragma once

#include "daemon/queue/notification.h"
#include "daemon/tool/tool_program.h"

#define TOOL_KEPT_MAX 100 /* ended calls that are kept with their answers */

struct event_base;
struct job_set;
struct queue;

/*
 * Loads the calls of earlier daemons. Calls that have not ended wait 15 s for their servers if a
 * program of a provider runs among jobs; else they fail now. jobs is not kept. Returns NULL with a
 * reason on failure.
 */
struct tool_kept_set *tool_kept_set_new(struct event_base *base, struct queue *queue,
    const struct job_set *jobs, const char *state_dir, char *ret_reason, size_t size);
void tool_kept_set_free(struct tool_kept_set *set);

/* Keeps a call that begins. ret_id gets its id. */
void tool_kept_begin(struct tool_kept_set *set, const char *tool, const struct pane_ref *pane,
    char ret_id[NOTIFICATION_ID_SIZE]);
/* Removes a call that could not be begun. */
void tool_kept_drop(struct tool_kept_set *set, const char *id);
/*
 * Returns the name of the tool of an earlier daemon's call that waits for its server, and when the
 * call began (CLOCK_REALTIME); valid while the call is kept. NULL if no such call waits.
 */
const char *tool_kept_awaited(
    const struct tool_kept_set *set, const char *id, int64_t *ret_begun_ms);
/* Call when the server has resumed the call, which then stays until tool_kept_end(). */
void tool_kept_take_up(struct tool_kept_set *set, const char *id);

/*
 * Ends a call with a result, whose members are kept, or, if result is NULL, with a failure. Returns
 * false if the answer could not be stored, so that a kill of the daemon loses it.
 */
bool tool_kept_end(struct tool_kept_set *set, const char *id, const struct json *result,
    const struct tool_failure *failure);

enum tool_kept_state {
	TOOL_KEPT_NONE, /* no such call */
	TOOL_KEPT_RUNNING,
	TOOL_KEPT_ANSWERED,
	TOOL_KEPT_FAILED, /* *ret_failure has the reason */
};

/* Writes the members of an ended call's result. *ret_tool is its tool, if the call is known. */
enum tool_kept_state tool_kept_write(const struct tool_kept_set *set, const char *id,
    struct json_writer *writer, const char **ret_tool, struct tool_failure *ret_failure);
