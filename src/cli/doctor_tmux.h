/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for tmux, its server, and the place of the socket. */
#ifndef CLI_DOCTOR_TMUX_H
#define CLI_DOCTOR_TMUX_H

#include "cli/doctor_report.h"

/* Whether the tmux server of cli->tmux_socket accepts connections; else sets errno. */
bool doctor_server_runs(const struct cli *cli);

void doctor_tmux(struct doctor_report *report, const struct cli *cli);

#endif
