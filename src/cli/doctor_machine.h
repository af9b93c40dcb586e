/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for the kernel: inotify, and the disk of the state directory. */
#ifndef CLI_DOCTOR_MACHINE_H
#define CLI_DOCTOR_MACHINE_H

#include "cli/doctor_report.h"

void doctor_machine(struct doctor_report *report, const struct cli *cli);

#endif
