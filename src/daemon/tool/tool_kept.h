/* SPDX-License-Identifier: ISC */
/*
 * Kept calls: calls of providers for which no request waits. A notification reports the end of a
 * call, and a file has its answer.
 *
 * After kill -9 of the daemon, a tool server continues its calls, and the next daemon resumes them.
 * A call that no server has ends as gone, with its effect unknown. No call is repeated.
 */
#pragma once

#include "daemon/queue/notification.h"
#include "daemon/tool/tool_program.h"

#define TOOL_KEPT_MAX 100 /* maximum number of ended calls that are kept with their answers */

struct event_base;
struct job_set;
struct queue;

/*
 * Loads the calls from the store. If a program of a provider runs as a job, calls that have not
 * ended wait some seconds for their tool servers; else they fail now. jobs is used only in this
 * call. Returns NULL with a reason on failure.
 */
struct tool_kept_set *tool_kept_set_new(struct event_base *base, struct queue *queue,
    const struct job_set *jobs, const char *state_dir, char *ret_reason, size_t size);
void tool_kept_set_free(struct tool_kept_set *set);

void tool_kept_begin(struct tool_kept_set *set, const char *tool, const struct pane_ref *pane,
    char ret_id[NOTIFICATION_ID_SIZE]);
/* Forgets a call that could not be begun. */
void tool_kept_drop(struct tool_kept_set *set, const char *id);
/*
 * Returns the name of the tool of a call that an earlier daemon has begun, and that waits for its
 * tool server; NULL: no such call waits. It is valid while the call is kept. *ret_begun_ms is
 * CLOCK_REALTIME.
 */
const char *tool_kept_awaited(
    const struct tool_kept_set *set, const char *id, int64_t *ret_begun_ms);
/* Call this when the tool server has resumed the call, which then stays until tool_kept_end(). */
void tool_kept_take_up(struct tool_kept_set *set, const char *id);

/*
 * Ends a call. result is copied; NULL: the call failed. Returns false if the answer could not be
 * stored, so that kill -9 of the daemon would lose it.
 */
bool tool_kept_end(struct tool_kept_set *set, const char *id, const struct json *result,
    const struct tool_failure *failure);

enum tool_kept_state {
	TOOL_KEPT_NONE, /* there is no such call */
	TOOL_KEPT_RUNNING,
	TOOL_KEPT_ANSWERED,
	TOOL_KEPT_FAILED, /* *ret_failure has the reason */
};

/* Writes the answer of a call. *ret_tool is set if the call is known. */
enum tool_kept_state tool_kept_write(const struct tool_kept_set *set, const char *id,
    struct json_writer *writer, const char **ret_tool, struct tool_failure *ret_failure);
