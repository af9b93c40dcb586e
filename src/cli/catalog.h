/* SPDX-License-Identifier: ISC */
/* The tables of describe, from the running daemon or from the installed muxbusd. */
#pragma once

#include "cli/ask.h"

/*
 * Reads the tables from the daemon, else from `muxbusd describe`. params may select a method or
 * table, but the result may have all. Returns NULL with a reason for people if both fail.
 */
struct catalog *catalog_open(
    const struct cli *cli, const struct ask_param *params, char *ret_reason, size_t size);
void catalog_close(struct catalog *catalog); /* catalog may be NULL */

/* Returns the result of describe, lent until catalog_close(). */
const struct json *catalog_tables(const struct catalog *catalog);

/*
 * Returns the verb or method that is nearest to an unknown name, which may be the name of a tmux
 * command. NULL if none is near.
 */
const char *catalog_nearest(const struct catalog *catalog, const char *name);

/* Returns the row of a method, which may have another spelling, or NULL. */
const struct json *catalog_method(const struct catalog *catalog, const char *name);
