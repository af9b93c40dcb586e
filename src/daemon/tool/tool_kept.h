/* SPDX-License-Identifier: ISC */
/*
 * Calls of providers that no request waits for. The end of a call is a notification, and a file
 * keeps its answer.
 *
 * After kill -9 of the daemon, a server of tools continues its calls, and the next daemon resumes
 * them. A call that no server has is notified as gone, its effect unknown; no call is repeated.
 */
#pragma once

#include "daemon/queue/notification.h"
#include "daemon/tool/tool_program.h"

#define TOOL_KEPT_MAX 100 /* ended calls that are kept with their answers */

struct event_base;
struct job_set;
struct queue;

/*
 * Calls that have not ended wait 15 s for their servers if a program of a provider runs among jobs;
 * else they fail now. jobs is not kept. Returns NULL with a reason on failure.
 */
struct tool_kept_set *tool_kept_set_new(struct event_base *base, struct queue *queue,
    const struct job_set *jobs, const char *state_dir, char *ret_reason, size_t size);
void tool_kept_set_free(struct tool_kept_set *set);

void tool_kept_begin(struct tool_kept_set *set, const char *tool, const struct pane_ref *pane,
    char ret_id[NOTIFICATION_ID_SIZE]);
/* For a call that could not be begun. */
void tool_kept_drop(struct tool_kept_set *set, const char *id);
/*
 * For the call of an earlier daemon that waits for its server. *ret_begun_ms is CLOCK_REALTIME. The
 * name of the tool is valid while the call is kept. NULL if no such call waits.
 */
const char *tool_kept_awaited(
    const struct tool_kept_set *set, const char *id, int64_t *ret_begun_ms);
/* Call when the server has resumed the call, which then stays until tool_kept_end(). */
void tool_kept_take_up(struct tool_kept_set *set, const char *id);

/*
 * The result is copied; NULL: the call failed. Returns false if the answer could not be stored, so
 * that a kill of the daemon loses it.
 */
bool tool_kept_end(struct tool_kept_set *set, const char *id, const struct json *result,
    const struct tool_failure *failure);

enum tool_kept_state {
	TOOL_KEPT_NONE, /* no such call */
	TOOL_KEPT_RUNNING,
	TOOL_KEPT_ANSWERED,
	TOOL_KEPT_FAILED, /* *ret_failure has the reason */
};

/* *ret_tool is set if the call is known. */
enum tool_kept_state tool_kept_write(const struct tool_kept_set *set, const char *id,
    struct json_writer *writer, const char **ret_tool, struct tool_failure *ret_failure);
