/* SPDX-License-Identifier: ISC */
/*
 * Tasks of revision 2025-11-25. A call of run_long_command whose client asks for a task is answered
 * at once with its job as a task, of the same id; tasks/get and its kin have its state and result.
 */
#pragma once

#include "daemon/mcp/mcp_exchange.h"

struct job;
struct job_set;

/* Whether the session was offered tasks, and whether a call asks for one. */
bool mcp_task_is_known(const struct mcp_exchange *exchange);
bool mcp_task_is_wanted(const struct mcp_exchange *exchange);
/* Whether a tool can be called as a task. */
bool mcp_task_is_of(const struct method *tool);

/* A command that ran to its end is completed, whatever its exit status: the result has that. */
const char *mcp_task_status(const struct job *job);
/* The members of a task. */
void mcp_task_write(struct json_writer *writer, const struct job *job);
#define MCP_CURSOR_SIZE 48
/*
 * The place behind a job in a list of jobs, and the first job there, or NULL. It stays if the job is
 * forgotten: the list is in the order in which jobs began. Returns false for another text.
 */
void mcp_task_cursor(const struct job *job, char out[MCP_CURSOR_SIZE]);
bool mcp_task_behind(const struct job_set *jobs, const char *cursor, const struct job **ret_job);

/* The member _meta; immediate is a text for the model, or NULL. */
void mcp_task_write_related(struct json_writer *writer, const char *id, const char *immediate);

/* The members of the answer to a call that has started a job: started is its result. */
void mcp_task_write_begun(struct mcp *mcp, struct request *request, struct json_writer *writer,
    const struct json *started);

/* An error of the protocol, where the failure of a tool cannot be a result. */
void mcp_task_write_error(
    struct json_writer *writer, enum message_error error, const char *text, const char *members);

#define MCP_TASK_PARAMS_SIZE (2 * JSON_SPARE + 128) /* of a request for a method of jobs */
/*
 * Parameters of a method of jobs, lent until the next: "job":ID, for wait_for as a condition; id
 * NULL: none. params keeps their text.
 */
const struct json *mcp_task_params(struct mcp *mcp, const struct method *method, const char *id,
    char params[MCP_TASK_PARAMS_SIZE]);
