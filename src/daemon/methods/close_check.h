/* SPDX-License-Identifier: ISC */
/*
 * Checks before closing something. Without "force", a request cannot close its own pane, the window
 * of this pane, a session that alone has this window, or the last object of a kind.
 */
#pragma once

#include <muxbus.h>

#include "base/base.h"

struct request;

/* These return false after failing a request, or after putting it off until the model is fresh. */
bool close_check_pane(struct request *request, const struct muxbus_pane *pane);
bool close_check_window(struct request *request, const struct muxbus_window *window);
bool close_check_session(struct request *request, const struct muxbus_session *session);
