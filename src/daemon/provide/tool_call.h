/* SPDX-License-Identifier: ISC */
/* Calls of declared tools: the handler of all their rows, and the answers of ended calls. */
#pragma once

struct job;
struct job_set;
struct request;

/* args is a struct declaration_args, followed by the values of the declared fields. */
void tool_call_handle(struct request *request, const void *args);

/* Answers with the result of a job that has ended and is a call of a tool. */
void tool_call_answer(struct request *request, const struct job_set *jobs, const struct job *job);
