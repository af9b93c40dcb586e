/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for agents: those installed, and whether they know muxbus. */
#ifndef CLI_DOCTOR_AGENTS_H
#define CLI_DOCTOR_AGENTS_H

#include "cli/doctor_report.h"

void doctor_agents(struct doctor_report *report);

#endif
