/* SPDX-License-Identifier: ISC */
/*
 * The processes of panes. A pidfd for each becomes readable when the process ends, without
 * polling. Kernels since 6.15 give the exit status, although the process is not our child.
 */
#pragma once

#include "lib/connection/loop.h"

/* The most watched processes; the limit is also half of the allowed descriptors. */
#define PANE_PIDFD_MAX 4096

/* The process of a pane has ended. */
typedef void pane_pidfd_ended_fn(void *data, uint32_t pane);

struct pane_pidfd {
	struct muxbus_loop *loop;
	pane_pidfd_ended_fn *ended;
	void *data;
	struct map watches; /* struct pane_pidfd_watch by pane */
	size_t watches_max;
};

enum pane_pidfd_verdict {
	PANE_PIDFD_RUNS,
	PANE_PIDFD_UNREAPED, /* it has ended; its status is known when tmux has reaped it */
	PANE_PIDFD_ENDED, /* its status is not known */
	PANE_PIDFD_STATUS, /* it has ended, and its status is known */
};

void pane_pidfd_init(
    struct pane_pidfd *pidfd, struct muxbus_loop *loop, pane_pidfd_ended_fn *ended, void *data);
void pane_pidfd_finish(struct pane_pidfd *pidfd);

/* Watches a pane's process instead of its previous process; ended is called at the end. */
void pane_pidfd_watch(struct pane_pidfd *pidfd, uint32_t pane, pid_t pid);
void pane_pidfd_forget(struct pane_pidfd *pidfd, uint32_t pane);

/* Checks the process of a pane. */
enum pane_pidfd_verdict pane_pidfd_look(
    const struct pane_pidfd *pidfd, uint32_t pane, pid_t pid, int *ret_status, int *ret_signal);
