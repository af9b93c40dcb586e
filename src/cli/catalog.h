/* SPDX-License-Identifier: ISC */
/* The tables of methods and events: from the running daemon, or else from the installed one. */
#pragma once

#include "cli/ask.h"

/*
 * Reads the tables from the daemon at cli->socket, else from `muxbusd describe`. With a method or a
 * table in params, as describe takes them, the others may be missing: they are there if the daemon
 * does not know these parameters or that method. Returns NULL with a human-readable reason if both
 * fail.
 */
struct catalog *catalog_open(
    const struct cli *cli, const struct ask_param *params, char *ret_reason, size_t size);
void catalog_close(struct catalog *catalog); /* NULL is allowed */

/* The result of describe: methods, errors, events, limits. */
const struct json *catalog_tables(const struct catalog *catalog);

/* The verb or method whose name is nearest to an unknown name, or NULL. */
const char *catalog_nearest(const struct catalog *catalog, const char *name);

/* The description of a method, or NULL. */
const struct json *catalog_method(const struct catalog *catalog, const char *name);
