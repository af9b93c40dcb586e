/* SPDX-License-Identifier: ISC */
/* Connects to muxbusd on another machine through `ssh HOST muxbus relay`. */
#pragma once

#include "cli/cli.h"

struct host_spec;

/*
 * Finds a line of the hosts file. host names a host, or a host and a server as in "gpu1/train".
 * Without a server, finds the line of the server "default", else the only line of the host.
 * any_server: finds the first line of the host, since -L or -S chooses the server. The strings of
 * *ret_spec are lent from *ret_text, which the caller frees. Returns false, with nothing to free,
 * if no line matches.
 */
bool remote_find(const char *host, bool any_server, struct host_spec *ret_spec, char **ret_text);

/*
 * Sets cli->socket to the address of the daemon on a host. A host without a line in the hosts file
 * is a destination for ssh. Returns false if the address is too long, or host has a blank.
 */
bool remote_address(struct cli *cli, const char *host);

/* Returns true if the daemon is reached through ssh, by --host or $MUXBUS_HOST. */
bool remote_is(const struct cli *cli);

/*
 * Starts ssh, which may ask for a password, and waits for the hello of muxbus relay. ssh ends with
 * the link. Returns NULL with the reason.
 */
struct link *remote_open(const char *address, char *ret_reason, size_t size);
