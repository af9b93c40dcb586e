/* SPDX-License-Identifier: ISC */
/* The report of muxbus doctor: a list of findings, which its parts add. */
#ifndef CLI_DOCTOR_REPORT_H
#define CLI_DOCTOR_REPORT_H

#include <stdbool.h>

#include "cli/cli.h"

enum finding_state {
	FINDING_GOOD,
	FINDING_NOTE, /* worth knowing; nothing is wrong */
	FINDING_WRONG,
};

struct doctor_report;

struct doctor_report *doctor_report_new(void);
void doctor_report_free(struct doctor_report *report);

/*
 * Adds a finding: its subject ("tmux"), the observation, and the remedy, which may be NULL for
 * FINDING_GOOD. Texts are copied, and may hold any bytes.
 */
void doctor_find(struct doctor_report *report, enum finding_state state, const char *subject,
    const char *remedy, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Whether no finding is FINDING_WRONG. */
bool doctor_report_is_good(const struct doctor_report *report);

/* Prints the report on standard output, as the options of cli ask. */
void doctor_report_print(const struct doctor_report *report, const struct cli *cli);

#endif
