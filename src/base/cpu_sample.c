/* SPDX-License-Identifier: ISC */
#include "base/cpu_sample.h"

#include "base/process.h"

/* Reads "user nice system idle iowait irq softirq steal" of /proc/stat. Returns 0 or -1. */
static int read_machine(struct cpu_sample *sample)
{
	uint64_t fields[8] = {0}, total = 0;
	FILE *file = fopen("/proc/stat", "re");
	int count;
	if (file == NULL)
		return -1;
	count = fscanf(file,
	    "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
	    " %" SCNu64,
	    &fields[0], &fields[1], &fields[2], &fields[3], &fields[4], &fields[5], &fields[6],
	    &fields[7]);
	fclose(file);
	if (count < 4)
		return -1;
	for (size_t at = 0; at < 8; at++)
		total += fields[at];
	sample->total_ticks = total;
	sample->busy_ticks = total - fields[3] - fields[4];
	sample->processors = sysconf(_SC_NPROCESSORS_ONLN);
	return 0;
}

struct tree_ticks {
	uint64_t ticks;
	unsigned count;
};

static void add_process(void *data, pid_t pid)
{
	struct tree_ticks *tree = data;
	tree->count += process_add_cpu_ticks(pid, &tree->ticks);
}

int cpu_sample_tree(pid_t pid, struct cpu_sample *sample)
{
	struct tree_ticks tree = {0};
	process_tree_walk(pid, add_process, &tree);
	if (tree.count > 0)
		sample->busy_ticks = tree.ticks;
	return tree.count > 0 ? 0 : -1;
}

int cpu_sample_take(pid_t pid, struct cpu_sample *ret_sample)
{
	struct cpu_sample sample = {0};
	if (read_machine(&sample) < 0 || (pid > 0 && cpu_sample_tree(pid, &sample) < 0))
		return -1;
	*ret_sample = sample;
	return 0;
}

double cpu_percent(const struct cpu_sample *before, const struct cpu_sample *after, pid_t pid)
{
	double busy = after->busy_ticks > before->busy_ticks
	    ? (double)(after->busy_ticks - before->busy_ticks)
	    : 0;
	double total = (double)(after->total_ticks - before->total_ticks);
	if (total <= 0)
		return 0;
	return 100 * busy / total * (pid > 0 ? (double)after->processors : 1);
}
