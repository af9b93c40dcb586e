/* SPDX-License-Identifier: ISC */
/* The report of muxbus doctor, a list of findings, and the parts that add them. */
#pragma once

#include "cli/cli.h"

enum finding_state {
	FINDING_GOOD,
	FINDING_NOTE, /* worth knowing; nothing is wrong */
	FINDING_WRONG,
};

struct doctor_report;

#define DOCTOR_MUTE_MS 5000 /* a daemon that has not answered a ping does not answer */

/*
 * Adds a finding: its subject ("tmux"), the observation, and the remedy, which may be NULL for
 * FINDING_GOOD. Texts are copied, and may hold any bytes.
 */
void doctor_find(struct doctor_report *report, enum finding_state state, const char *subject,
    const char *remedy, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The parts of muxbus doctor, each in the file of its name: each adds its findings. */
void doctor_agents(struct doctor_report *report);
/* Returns whether the daemon answers, and can be asked more. */
bool doctor_daemon(struct doctor_report *report, const struct cli *cli);
/* Nothing, if no fleet runs and cli does not ask for it. */
void doctor_fleet(struct doctor_report *report, const struct cli *cli);
void doctor_machine(struct doctor_report *report, const struct cli *cli);
void doctor_tmux(struct doctor_report *report, const struct cli *cli);
void doctor_tools(struct doctor_report *report, const struct cli *cli);
