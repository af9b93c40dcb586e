/* SPDX-License-Identifier: ISC */
/* Runs a method as a command: muxbus METHOD key=value key:=JSON. */
#pragma once

#include "cli/cli.h"

/* argv[0] is the name of a method, or of a verb for a method. */
enum cli_status call_run(struct cli *cli, int argc, char **argv);
