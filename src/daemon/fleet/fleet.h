/* SPDX-License-Identifier: ISC */
/* The fleet: the role of muxbusd that follows the daemons of many hosts in place of tmux. */
#pragma once

#include "base/base.h"

struct daemon;
struct fleet;

/* Makes the directory of the socket, for this user alone. Returns 0, or -1 with a reason. */
int fleet_make_dir(const char *socket, char *ret_reason, size_t size);

/* Connects to all hosts, and takes the requests of daemon's server. */
struct fleet *fleet_new(struct daemon *daemon);
/* After the server was freed. NULL is accepted. */
void fleet_free(struct fleet *fleet);
