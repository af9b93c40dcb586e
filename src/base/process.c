/* SPDX-License-Identifier: ISC */
/* The identity of a process. */
#include "base/process.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	START_FIELD = 22, /* of /proc/PID/stat: proc(5) */
	STAT_SIZE = 1024,
};

uint64_t process_start_ticks(pid_t pid)
{
	char path[64], text[STAT_SIZE];
	uint64_t start = 0;
	const char *at;
	ssize_t len;
	int fd;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof text - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	/* The program name before it is in parentheses and may contain any character. */
	at = strrchr(text, ')');
	for (int field = 2; at != NULL && field < START_FIELD; field++)
		at = strchr(at + 1, ' ');
	if (at == NULL || sscanf(at, "%" SCNu64, &start) != 1)
		return 0;
	return start;
}

int process_open(pid_t pid, uint64_t start_ticks)
{
	int fd;
	if (pid <= 0)
		return -1;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return -1;
	/* The pidfd is open now: if the start time matches, it refers to that process. */
	if (process_start_ticks(pid) != start_ticks) {
		close(fd);
		return -1;
	}
	return fd;
}
