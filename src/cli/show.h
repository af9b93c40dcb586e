/* SPDX-License-Identifier: ISC */
/* Results for people: lists as tables, text as it is, anything else as names and values. */
#pragma once

#include "cli/cli.h"
#include "wire/json.h"

/*
 * Prints the result of a method in the chosen format: JSON (one line in a pipe, indented on a
 * terminal) or text for people.
 */
void show_result(const struct cli *cli, const char *method, const struct json *result);

/* Whether show_result() will print JSON. */
bool show_is_json(const struct cli *cli);

/* Prints a value as JSON on a line of its own. */
void show_json(const struct cli *cli, const struct json *value);

/* Appends the result as text for people. columns 0: unlimited. */
void show_write(
    struct buf *out, const char *method, const struct json *result, size_t columns, bool has_color);

/*
 * Appends one value as text for a cell: times in local time, durations in milliseconds (by the
 * member's name) as 1m 3s, null as "-". Untrusted text is not made visible here.
 */
void show_value(struct buf *out, const struct json *value);

/* Appends a duration: "0.4s", "12s", "3m 20s", "2h 5m", "4d 1h". */
void show_duration(struct buf *out, int64_t ms);

/* Appends bytes: "512", "3.4K", "20M". */
void show_bytes(struct buf *out, int64_t bytes);
