/* SPDX-License-Identifier: ISC */
/* The processor time that each pane of muxbus top uses. */
#include "cli/top/top_cpu.h"

#include <string.h>

#define TICKS_MIN 50 /* between two samples: with fewer, one tick is too many percent */

static const struct top_cpu_pane *find_pane(const struct top_cpu *cpu, pid_t pid)
{
	for (size_t i = 0; i < cpu->count; i++)
		if (cpu->panes[i].pid == pid)
			return &cpu->panes[i];
	return NULL;
}

static void measure_pane(
    const struct top_cpu *old, const struct top_item *item, struct top_cpu_pane *ret_pane)
{
	const struct top_cpu_pane *before = find_pane(old, item->pid);
	*ret_pane = (struct top_cpu_pane){.pid = item->pid, .percent = -1};
	if (cpu_sample_take(item->pid, &ret_pane->sample) < 0 || before == NULL)
		return;
	if (ret_pane->sample.total_ticks < before->sample.total_ticks + TICKS_MIN)
		*ret_pane = *before;
	else
		ret_pane->percent =
		    (int)(cpu_percent(&before->sample, &ret_pane->sample, item->pid) + 0.5);
}

void top_cpu_measure(struct top_cpu *cpu, struct top_items *panes)
{
	const struct top_cpu old = *cpu;
	cpu->count = 0;
	for (size_t i = 0; i < panes->count && cpu->count < TOP_CPU_PANES_MAX; i++) {
		struct top_item *item = &panes->items[i];
		if (item->pid <= 0)
			continue;
		measure_pane(&old, item, &cpu->panes[cpu->count]);
		item->cpu_percent = cpu->panes[cpu->count++].percent;
	}
}
