/* SPDX-License-Identifier: ISC */
/* The part of muxbus doctor for declared tools: missing programs by group, and unusable files. */
#ifndef CLI_DOCTOR_TOOLS_H
#define CLI_DOCTOR_TOOLS_H

#include "cli/doctor_report.h"

void doctor_tools(struct doctor_report *report, const struct cli *cli);

#endif
