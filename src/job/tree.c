/* SPDX-License-Identifier: ISC */
/* The processes of a job, found through /proc/PID/task/TID/children (proc(5)). */
#include "job/tree.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DEPTH_MAX = 64,
	SWEEPS_MAX = 50, /* a millisecond apart */
};

/*
 * Signals the children of a process, deepest first. Only we reap children, so the pid of a child
 * that ends meanwhile cannot be reused yet; the next round finds children of a fork.
 */
static unsigned signal_children(pid_t pid, int signal, unsigned depth)
{
	char path[64];
	unsigned count = 0;
	FILE *file;
	int child;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	while (fscanf(file, "%d", &child) == 1) {
		if (depth < DEPTH_MAX)
			count += signal_children(child, signal, depth + 1);
		count += kill(child, signal) == 0;
	}
	fclose(file);
	return count;
}

unsigned tree_signal(int signal)
{
	return signal_children(getpid(), signal, 0);
}

/* Whether this process has a child, ended or not. */
static bool tree_has_children(void)
{
	siginfo_t info;
	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

void tree_kill(void)
{
	for (unsigned sweep = 0; sweep < SWEEPS_MAX && tree_has_children(); sweep++) {
		(void)tree_signal(SIGKILL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			continue;
		if (tree_has_children())
			(void)poll(NULL, 0, 1);
	}
}
