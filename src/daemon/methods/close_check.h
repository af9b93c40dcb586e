/* SPDX-License-Identifier: ISC */
/*
 * Checks before a pane, window or session is closed without "force". They refuse to close what
 * contains the caller's own pane, and the last pane, window or session, since that would end the
 * server.
 */
#pragma once

#include <muxbus.h>

#include "base/base.h"

struct request;

/*
 * Return false if closing does harm, after failing the request. For a window or a session, they
 * also return false if the request is put off until the model is fresh.
 */
bool close_check_pane(struct request *request, const struct muxbus_pane *pane);
bool close_check_window(struct request *request, const struct muxbus_window *window);
bool close_check_session(struct request *request, const struct muxbus_session *session);
