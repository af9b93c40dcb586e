/* SPDX-License-Identifier: ISC */
/* The fleet: a muxbusd that serves the daemons of many hosts, not a tmux server. */
#pragma once

#include "base/base.h"

struct daemon;

/* Connects to the hosts, and takes requests that come to the daemon's server from now on. */
struct fleet *fleet_new(struct daemon *daemon);
/* Call this after the server was freed. fleet may be NULL. */
void fleet_free(struct fleet *fleet);
