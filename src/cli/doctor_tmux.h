/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for tmux, its server, and the place of the socket. */
#ifndef CLI_DOCTOR_TMUX_H
#define CLI_DOCTOR_TMUX_H

#include "cli/doctor_report.h"

void doctor_tmux(struct doctor_report *report, const struct cli *cli);

#endif
