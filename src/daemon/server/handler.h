/* SPDX-License-Identifier: ISC */
/* The headers that handlers of methods use most, so that a handler includes one. */
#pragma once

#include "daemon/core/config.h"
#include "daemon/server/request.h"
#include "daemon/server/requester.h"
#include "daemon/server/role.h"
#include "daemon/server/target.h"
#include "daemon/server/tmux_call.h"
#include "daemon/tmux/tmux.h"
