/* SPDX-License-Identifier: ISC */
/* Watches processes, as of panes, by pidfds, which since Linux 6.15 also give the exit status. */
#pragma once

#include "lib/connection/loop.h"

/* Maximum number of watched processes; at most half of the allowed descriptors are used. */
#define PANE_PIDFD_MAX 4096

typedef void pane_pidfd_ended_fn(void *data, uint32_t pane);

struct pane_pidfd {
	struct muxbus_loop *loop;
	pane_pidfd_ended_fn *ended;
	void *data;
	struct map watches; /* maps a pane to its struct pane_pidfd_watch */
	size_t watches_max;
};

enum pane_pidfd_verdict {
	PANE_PIDFD_RUNS, /* runs, or is not watched and may be a zombie */
	PANE_PIDFD_UNREAPED, /* ended; the status may be known after tmux has reaped it */
	PANE_PIDFD_ENDED, /* ended; the status cannot be known */
	PANE_PIDFD_STATUS, /* ended; the status is known */
};

void pane_pidfd_init(
    struct pane_pidfd *pidfd, struct muxbus_loop *loop, pane_pidfd_ended_fn *ended, void *data);
void pane_pidfd_finish(struct pane_pidfd *pidfd);

/*
 * Watches a pane's new process instead of the previous one, unless that fails or too many are
 * watched. ended is called when the process ends, or at once if it does not exist.
 */
void pane_pidfd_watch(struct pane_pidfd *pidfd, uint32_t pane, pid_t pid);
void pane_pidfd_forget(struct pane_pidfd *pidfd, uint32_t pane);

/* Looks whether a pane's process has ended. Writes status and signal for PANE_PIDFD_STATUS. */
enum pane_pidfd_verdict pane_pidfd_look(
    const struct pane_pidfd *pidfd, uint32_t pane, pid_t pid, int *ret_status, int *ret_signal);
