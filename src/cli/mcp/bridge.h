/* SPDX-License-Identifier: ISC */
/*
 * The bridge carries lines between standard streams and muxbusd, whichever daemon runs at the
 * time. It starts the daemon if none runs, and restarts it after a crash. After a shutdown it
 * restarts the daemon only for the next request.
 */
#ifndef CLI_BRIDGE_H
#define CLI_BRIDGE_H

#include "cli/cli.h"
#include "cli/mcp/mcp_replay.h"

/*
 * Runs until standard input has ended and all its requests are answered, or until the reader of
 * standard output is gone. may_start: start the daemon if it does not run.
 */
enum cli_status bridge_run(
    const struct cli *cli, const struct mcp_replay_config *config, bool may_start);

#endif
