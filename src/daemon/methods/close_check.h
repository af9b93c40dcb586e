/* SPDX-License-Identifier: ISC */
/*
 * Without "force", a request may not close what contains its own pane. The last pane, window or
 * session stays as well, since its end would end the server.
 */
#pragma once

#include <muxbus.h>

#include "base/base.h"

struct request;

/*
 * Return false after failing the request. For a window or a session, also if the request is put off
 * until the model is fresh.
 */
bool close_check_pane(struct request *request, const struct muxbus_pane *pane);
bool close_check_window(struct request *request, const struct muxbus_window *window);
bool close_check_session(struct request *request, const struct muxbus_session *session);
