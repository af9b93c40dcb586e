/* SPDX-License-Identifier: ISC */
/* What there is to ask: the tables of the daemon that runs, or else of the one installed. */
#ifndef CLI_CATALOG_H
#define CLI_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"
#include "wire/json.h"

struct catalog;

/*
 * Reads the tables: from the daemon at cli->socket, else from `muxbusd describe`. NULL, with a
 * reason for people, if neither is there.
 */
struct catalog *catalog_open(const struct cli *cli, char *ret_reason, size_t size);
void catalog_close(struct catalog *catalog); /* NULL is allowed */

/* What describe answers: methods, errors, events, limits. */
const struct json *catalog_tables(const struct catalog *catalog);

/* The row of a method, or NULL. */
const struct json *catalog_method(const struct catalog *catalog, const char *name);

#endif
