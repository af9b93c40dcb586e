/* SPDX-License-Identifier: ISC */
/* The fleet: the role of muxbusd that follows the daemons of many hosts in place of tmux. */
#pragma once

#include "base/base.h"

struct daemon;

/* Connects to all hosts, and takes the requests of daemon's server. */
struct fleet *fleet_new(struct daemon *daemon);
/* After the server was freed. NULL is accepted. */
void fleet_free(struct fleet *fleet);
