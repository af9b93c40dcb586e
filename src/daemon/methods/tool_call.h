/* SPDX-License-Identifier: ISC */
/* Calls of declared tools: the handler of all their rows, and the answers of calls that have ended. */
#pragma once

struct job;
struct job_set;
struct request;

/* args is a struct declaration_args, and behind it what the fields of the declaration fill. */
void tool_call_handle(struct request *request, const void *args);

/* Answers with the outcome of a job that has ended, which is a call of a tool. */
void tool_call_answer(struct request *request, const struct job_set *jobs, const struct job *job);
