/* SPDX-License-Identifier: ISC */
/*
 * History of the latest requests and their outcomes, for get_action_history. In memory only,
 * not for recovery.
 */
#pragma once

#include "base/base.h"

#define HISTORY_KEEP 500 /* requests that are remembered */
#define HISTORY_PARAMS_MAX 300 /* bytes of the parameters of a request */
#define HISTORY_OUTCOME_MAX 160
#define HISTORY_RESULT_MAX 80

struct json;
struct json_writer;
struct method;

struct history *history_new(void);
void history_free(struct history *history);

/*
 * Notes an accepted request, without the values of its confidential fields. Returns its number,
 * for history_end(). params may be NULL.
 */
uint64_t history_begin(struct history *history, pid_t peer_pid, const struct method *method,
    const struct json *params);
/*
 * Notes the result of a request. text is the result or, if is_message, a message with it. The entry
 * keeps the beginning, or only the size if the method shows what programs print.
 */
void history_result(struct history *history, uint64_t number, const struct method *method,
    const char *text, bool is_message);
/*
 * Notes that a request has failed. If it had confidential values, quotations are cut out of text,
 * as they may be from these.
 */
void history_end(struct history *history, uint64_t number, const char *error, const char *text);

/*
 * Writes the latest requests of a peer (0: of all), newest first, as the array "actions". Without
 * has_params, leaves out parameters and results.
 */
void history_write(const struct history *history, struct json_writer *writer, size_t limit,
    pid_t peer_pid, bool has_params);
