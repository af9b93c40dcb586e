/* SPDX-License-Identifier: ISC */
/* A request without "force" closes neither what has its own pane, nor the last object. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

struct request;

/* Returns false after failing the request, or putting it off until the model is fresh. */
bool close_check_pane(struct request *request, const struct muxbus_pane *pane);
bool close_check_window(struct request *request, const struct muxbus_window *window);
bool close_check_session(struct request *request, const struct muxbus_session *session);
