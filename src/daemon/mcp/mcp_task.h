/* SPDX-License-Identifier: ISC */
/*
 * Tasks of revision 2025-11-25. If a client calls run_long_command as a task, the answer comes at
 * once: the job as a task with the same id. The methods tasks/... read its state and result.
 */
#pragma once

#include "daemon/mcp/mcp_exchange.h"

struct job;
struct job_set;

/* The first returns true if the session has tasks; the second, if a call asks for a task. */
bool mcp_task_is_known(const struct mcp_exchange *exchange);
bool mcp_task_is_wanted(const struct mcp_exchange *exchange);
/* Returns true if a tool can be called as a task. */
bool mcp_task_is_of(const struct method *tool);

/* Returns the status of a task: "completed" if the command exited, whatever its exit status. */
const char *mcp_task_status(const struct job *job);
/* Writes the members of a task. */
void mcp_task_write(struct json_writer *writer, const struct job *job);
#define MCP_CURSOR_SIZE 48
/*
 * A cursor is a place in the list of jobs, which is in the order of starts. mcp_task_behind() finds
 * the first job behind a cursor (NULL: none), even if the cursor's own job was removed. It returns
 * false if the cursor is invalid.
 */
void mcp_task_cursor(const struct job *job, char out[MCP_CURSOR_SIZE]);
bool mcp_task_behind(const struct job_set *jobs, const char *cursor, const struct job **ret_job);

/* Writes the member _meta; immediate is a text for the model, or NULL. */
void mcp_task_write_related(struct json_writer *writer, const char *id, const char *immediate);

/* Writes the answer to a call that has started a job; started is the call's result. */
void mcp_task_write_begun(struct mcp *mcp, struct request *request, struct json_writer *writer,
    const struct json *started);

/* Writes an error of the protocol, for calls whose failure cannot be a result of a tool. */
void mcp_task_write_error(
    struct json_writer *writer, enum message_error error, const char *text, const char *members);

#define MCP_TASK_PARAMS_SIZE (2 * JSON_SPARE + 128) /* bytes of parameters of a method of jobs */
/*
 * Returns the parameters of a method of jobs, valid until the next call: an object with "job":ID
 * (id NULL: an empty object); for wait_for, with a condition on this job. params is the buffer for
 * their text.
 */
const struct json *mcp_task_params(struct mcp *mcp, const struct method *method, const char *id,
    char params[MCP_TASK_PARAMS_SIZE]);
