/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for the hosts of the fleet. */
#ifndef CLI_DOCTOR_FLEET_H
#define CLI_DOCTOR_FLEET_H

#include "cli/doctor_report.h"

/* Nothing, if no fleet runs and cli does not ask for it. */
void doctor_fleet(struct doctor_report *report, const struct cli *cli);

#endif
