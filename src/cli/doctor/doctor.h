/* SPDX-License-Identifier: ISC */
/* The report of muxbus doctor: a list of findings, and the functions that add them. */
#pragma once

#include "cli/cli.h"

enum finding_state {
	FINDING_GOOD,
	FINDING_NOTE, /* worth knowing, but nothing is wrong */
	FINDING_WRONG,
};

struct doctor_report;

#define DOCTOR_MUTE_MS 5000 /* timeout of short requests to the daemon */

/*
 * Adds a finding. The texts are copied, and may hold any bytes. remedy is a text for cli_hint();
 * NULL: none is needed.
 */
void doctor_find(struct doctor_report *report, enum finding_state state, const char *subject,
    const char *remedy, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The parts of the report. Each adds its findings. */
void doctor_agents(struct doctor_report *report);
/* Returns true if the daemon answers, so that other functions can ask it. */
bool doctor_daemon(struct doctor_report *report, const struct cli *cli);
/* Adds nothing if no fleet runs and cli does not select the fleet. */
void doctor_fleet(struct doctor_report *report, const struct cli *cli);
void doctor_machine(struct doctor_report *report, const struct cli *cli);
void doctor_tmux(struct doctor_report *report, const struct cli *cli);
void doctor_tools(struct doctor_report *report, const struct cli *cli);
