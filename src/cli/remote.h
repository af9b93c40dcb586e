/* SPDX-License-Identifier: ISC */
/* Connects to muxbusd on another machine through `ssh HOST muxbus relay`. */
#pragma once

#include "cli/cli.h"

struct host_spec;

/*
 * Finds the line for "gpu1" or "gpu1/train" in the hosts file. any_server: the host alone suffices.
 * The strings of *ret_spec are lent from *ret_text, which the caller frees.
 */
bool remote_find(const char *host, bool any_server, struct host_spec *ret_spec, char **ret_text);

/* Sets cli->socket to the daemon of a host; a host without a line in the hosts file is for ssh. */
bool remote_address(struct cli *cli, const char *host);

/* Returns true if the daemon is on another machine. */
bool remote_is(const struct cli *cli);

/* Starts ssh, which may ask for a password, and waits for the hello. ssh ends with the link. */
struct link *remote_open(const char *address, char *ret_reason, size_t size);
