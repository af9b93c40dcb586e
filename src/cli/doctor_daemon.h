/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for the daemon, and everything that it reports about itself. */
#ifndef CLI_DOCTOR_DAEMON_H
#define CLI_DOCTOR_DAEMON_H

#include "cli/doctor_report.h"

void doctor_daemon(struct doctor_report *report, const struct cli *cli);

#endif
