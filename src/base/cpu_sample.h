/* SPDX-License-Identifier: ISC */
/* Measures the CPU load of the machine or of a process tree, from /proc (proc(5)). */
#pragma once

#include "base/std.h"

struct cpu_sample {
	uint64_t busy_ticks; /* of the machine, or of the process tree */
	uint64_t total_ticks; /* of all processors together */
	long processors;
};

/* Measures a process tree; pid 0: the machine. Returns 0, or -1 if it cannot be measured. */
int cpu_sample_take(pid_t pid, struct cpu_sample *ret_sample);
/* Sets busy_ticks to the ticks of a process tree. Returns 0, or -1 if no process can be read. */
int cpu_sample_tree(pid_t pid, struct cpu_sample *sample);

/*
 * Returns the load between two samples in percent; 0 if no time has passed. pid 0: 100 is the whole
 * machine. Else 100 is one processor, so the load of a process tree may exceed 100.
 */
double cpu_percent(const struct cpu_sample *before, const struct cpu_sample *after, pid_t pid);
