/* SPDX-License-Identifier: ISC */
/* The start of a control client. */
#ifndef LIB_LAUNCH_H
#define LIB_LAUNCH_H

#include <muxbus.h>

#include "lib/process.h"

/*
 * Starts the process that attaches as the options say, if there is a server. Returns
 * MUXBUS_ERR_NO_SERVER, MUXBUS_ERR_TIMEOUT (it listens, and accepts nobody) or what
 * process_start() returns.
 */
int launch(struct process *process, const struct muxbus_connection_options *options);

#endif
