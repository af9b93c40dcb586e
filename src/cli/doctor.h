/* SPDX-License-Identifier: ISC */
/* The findings of muxbus doctor, and those who make them. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"

enum finding_state {
	FINDING_GOOD,
	FINDING_NOTE, /* worth knowing; nothing is wrong */
	FINDING_WRONG,
};

struct doctor;

/*
 * Adds a finding: what was looked at ("tmux"), what was seen, and what to do about it, which
 * may be NULL where the state is good. Texts are copied, and may be anybody's.
 */
void doctor_find(struct doctor *doctor, enum finding_state state, const char *subject,
    const char *remedy, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Whether the tmux server of cli->tmux_socket takes connections; errno if not. */
bool doctor_server_runs(const struct cli *cli);

/* tmux, its server, and the place of the socket. */
void doctor_tmux(struct doctor *doctor, const struct cli *cli);
/* The kernel: inotify, the state directory's disk. */
void doctor_machine(struct doctor *doctor, const struct cli *cli);
/* The daemon, and all that it says of itself. */
void doctor_daemon(struct doctor *doctor, const struct cli *cli);
/* The agents that are installed, and whether they know of muxbus. */
void doctor_agents(struct doctor *doctor);

#endif
