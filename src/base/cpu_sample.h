/* SPDX-License-Identifier: ISC */
/* How busy the machine is, or a process and all that descends from it: from /proc (proc(5)). */
#pragma once

#include "base/std.h"

/* A measurement: the difference of two says how busy it was in between. */
struct cpu_sample {
	uint64_t busy_ticks;
	uint64_t total_ticks; /* of all processors */
	long processors;
};

/* pid 0: the machine. Returns 0, or -1 if the process is gone. */
int cpu_sample_take(pid_t pid, struct cpu_sample *ret_sample);
/* Makes a sample of the machine that of a process tree. Returns as the other. */
int cpu_sample_tree(pid_t pid, struct cpu_sample *sample);

/*
 * Percent between two samples: of the whole machine for the machine, of one processor for a
 * process tree (so up to 100 times their number).
 */
double cpu_percent(const struct cpu_sample *before, const struct cpu_sample *after, pid_t pid);
