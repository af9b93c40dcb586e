/* SPDX-License-Identifier: ISC */
/* The page of muxbus without a verb, on a terminal: the daemon's status, and common verbs. */
#ifndef CLI_OVERVIEW_H
#define CLI_OVERVIEW_H

#include "cli/cli.h"

/* Prints the page, also if no daemon runs. Starts none. */
enum cli_status overview_run(struct cli *cli);

#endif
