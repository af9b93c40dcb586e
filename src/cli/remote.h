/* SPDX-License-Identifier: ISC */
/* A muxbusd of another machine, through `ssh HOST muxbus relay`. */
#pragma once

#include "cli/cli.h"

struct host_spec;

/*
 * Finds the line of the hosts file for "gpu1" or "gpu1/train"; any_server: -L or -S says which, so
 * that any line of the name will do. Its texts are lent from *ret_text, which the caller frees.
 * Returns false if there is none, with nothing to free.
 */
bool remote_find(const char *host, bool any_server, struct host_spec *ret_spec, char **ret_text);

/*
 * Writes the address of the daemon on a host for cli->socket: by its line in the hosts file, else
 * as ssh knows it. False if it is too long.
 */
bool remote_address(struct cli *cli, const char *host);

/* Whether the daemon is on another machine. */
bool remote_is(const struct cli *cli);

/*
 * Starts ssh, and waits for the hello. ssh may ask the user for a password meanwhile, and its
 * messages go to standard error. It ends with the link. NULL, with the reason, on failure.
 */
struct link *remote_open(const char *address, char *ret_reason, size_t size);
