/* SPDX-License-Identifier: ISC */
/*
 * Checks before something is closed without "force". They refuse the caller's own pane and
 * what holds it, and the last of anything, which would end the tmux server.
 */
#pragma once

#include <muxbus.h>

#include "base/base.h"

struct request;

/*
 * Each fails the request as refused, and returns false, if closing it would do harm. That of a
 * window or session may put the request off, as targets do, and returns false then too.
 */
bool guard_pane(struct request *request, const struct muxbus_pane *pane);
bool guard_window(struct request *request, const struct muxbus_window *window);
bool guard_session(struct request *request, const struct muxbus_session *session);
