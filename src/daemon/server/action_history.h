/* SPDX-License-Identifier: ISC */
/* The latest requests and their outcomes, for the method get_action_history; in memory only. */
#pragma once

#include "base/base.h"

#define HISTORY_KEEP 500
#define HISTORY_PARAMS_MAX 300 /* parameters with more bytes are cut */
#define HISTORY_OUTCOME_MAX 160
#define HISTORY_RESULT_MAX 80

struct json;
struct json_writer;
struct method;

struct history *history_new(void);
void history_free(struct history *history);

/*
 * Notes a request. Confidential parameters are replaced by their sizes. params may be NULL. Returns
 * the number for history_result() and history_end().
 */
uint64_t history_begin(struct history *history, pid_t peer_pid, const struct method *method,
    const struct json *params);
/*
 * Notes the first bytes of a result. If the method shows texts of programs or strangers, only the
 * size is noted. is_message: text is the whole response, which contains the result.
 */
void history_result(struct history *history, uint64_t number, const struct method *method,
    const char *text, bool is_message);
/*
 * Notes that a request has failed. error is the kind of the error. If the request had confidential
 * parameters, quotations and similar parts of text are left out.
 */
void history_end(struct history *history, uint64_t number, const char *error, const char *text);

/* Writes the array actions: the latest requests of a peer, newest first. peer_pid 0: all peers. */
void history_write(const struct history *history, struct json_writer *writer, size_t limit,
    pid_t peer_pid, bool has_params);
