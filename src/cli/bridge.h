/* SPDX-License-Identifier: ISC */
/*
 * The bridge: carries lines between standard input and output and muxbusd, whichever that is
 * at the time. It starts the daemon if there is none, and again if it was killed; one that
 * was ended on purpose is started again only when it is asked for something.
 */
#ifndef CLI_BRIDGE_H
#define CLI_BRIDGE_H

#include "cli/cli.h"
#include "cli/mcp_replay.h"

/*
 * Runs until standard input has ended and all that it asked for is answered, or until nobody
 * reads standard output. may_start: the daemon is started where it is missing.
 */
enum cli_status bridge_run(
    const struct cli *cli, const struct mcp_replay_config *config, bool may_start);

#endif
