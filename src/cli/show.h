/* SPDX-License-Identifier: ISC */
/* Prints events and results for people: lists as tables, text as lines, other values with names. */
#pragma once

#include "cli/cli.h"
#include "wire/json.h"

/* Prints the result of a method as JSON, indented on a terminal, or as text for people. */
void show_result(const struct cli *cli, const char *method, const struct json *result);

/* Returns true if show_result() prints JSON. */
bool show_is_json(const struct cli *cli);

/* Prints a value as JSON: indented on a terminal, else on one line. */
void show_json(const struct cli *cli, const struct json *value);

/* Appends the result as text for people; tables fit into `columns` (0: no limit). */
void show_write(
    struct buf *out, const char *method, const struct json *result, size_t columns, bool has_color);

/*
 * Appends a value for a cell. A time becomes local time, null "-", a boolean yes or no. A name that
 * ends in "_ms" makes the value a duration ("1m 3s"), "_bytes" a size ("3.4K"). Control characters
 * of untrusted text stay.
 */
void show_value(struct buf *out, const struct json *value);

/* Appends a duration such as "0.4s", "12s", "3m 20s", "2h 5m", "4d 1h". */
void show_duration(struct buf *out, int64_t ms);

/* Appends a number of bytes such as "512", "3.4K", "20M". */
void show_bytes(struct buf *out, int64_t bytes);

/* Appends an event as a line: time of day, kind, object and some other members, made visible. */
void show_event(struct buf *out, const struct json *event, bool has_color);
