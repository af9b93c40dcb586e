/* SPDX-License-Identifier: ISC */
/* The processor time that each pane of muxbus top uses, from /proc. */
#ifndef CLI_TOP_CPU_H
#define CLI_TOP_CPU_H

#include <stddef.h>

#include "base/cpu_sample.h"
#include "cli/top/top_model.h"

enum { TOP_CPU_PANES_MAX = 256 /* that are measured; others show nothing */ };

/* Initialised with zeros. */
struct top_cpu {
	struct top_cpu_pane {
		pid_t pid; /* of the pane's first process */
		struct cpu_sample sample;
		int percent; /* of one processor; -1: not known yet */
	} panes[TOP_CPU_PANES_MAX];
	size_t count;
};

/* Measures the processes of each pane, and stores the percent since the last time in its item. */
void top_cpu_measure(struct top_cpu *cpu, struct top_items *panes);

#endif
