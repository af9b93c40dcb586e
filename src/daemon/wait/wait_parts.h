/* SPDX-License-Identifier: ISC */
/* Waits: their limits and kinds. */
#pragma once

#include "daemon/core/daemon_parts.h"

#define WAIT_CONDITIONS_MAX 64
#define WAIT_NAMED_MAX 256
#define WAIT_READERS_MAX \
	1024 /* conditions in all waits of the role read_only, of about 20 kB each */
#define WAIT_BACKGROUND_MAX 1000
#define WAIT_NAME_MAX 64
#define WAIT_KEEP_SEC 3600 /* how long the result of a named wait stays if no request asks for it */

enum wait_kind {
	WAIT_REQUEST, /* wait_for */
	WAIT_IDLE, /* wait_for_idle */
	WAIT_PANE, /* watch_pane */
	WAIT_KIND_COUNT_,
};
