/* SPDX-License-Identifier: ISC */
/* The parts of muxbus doctor, each in the file of its name: each adds its findings to a report. */
#ifndef CLI_DOCTOR_PARTS_H
#define CLI_DOCTOR_PARTS_H

#include "cli/doctor/doctor_report.h"

/* Keep alphabetized. */
void doctor_agents(struct doctor_report *report);
void doctor_daemon(struct doctor_report *report, const struct cli *cli);
/* Nothing, if no fleet runs and cli does not ask for it. */
void doctor_fleet(struct doctor_report *report, const struct cli *cli);
void doctor_machine(struct doctor_report *report, const struct cli *cli);
void doctor_tmux(struct doctor_report *report, const struct cli *cli);
void doctor_tools(struct doctor_report *report, const struct cli *cli);

#endif
