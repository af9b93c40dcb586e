/* SPDX-License-Identifier: ISC */
/* For verbs: a daemon to talk to, and its answer, or a message on standard error and a status. */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/link.h"

#define ASK_TIMEOUT_MS 30000 /* for methods that do not wait */

/*
 * Connects to cli->socket; if no daemon is there and may_start, starts it first. Prints what is
 * wrong and what to do, and returns NULL, if it cannot: the status is CLI_UNREACHABLE.
 */
struct link *ask_connect(struct cli *cli, bool may_start);

/*
 * Asks. Returns CLI_DONE and the result, lent until the link's next use; or says what went
 * wrong, and returns the status. timeout_ms -1: none.
 */
enum cli_status ask_result(struct link *link, const char *method, const char *params,
    int64_t timeout_ms, const struct json **ret_result);

/* Says why link_read_line() or link_await() gave no line; returns the status. */
enum cli_status ask_say_read(enum link_read read);

/* Says an error of the daemon; returns the status. */
enum cli_status ask_say_error(const struct json *error);

/* Members of an object, or other if it is absent or of another type. */
const char *ask_string(const struct json *object, const char *name, const char *other);
int64_t ask_int(const struct json *object, const char *name, int64_t other);
double ask_double(const struct json *object, const char *name, double other);
bool ask_bool(const struct json *object, const char *name, bool other);

#endif
