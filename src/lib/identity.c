/* SPDX-License-Identifier: ISC */
/* The identity of a server, from its socket and from /proc. */
#include "lib/identity.h"

#include <fcntl.h>
#include <muxbus.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"

/* The fields of /proc/PID/stat are counted from behind the name, which may hold anything. */
#define FIELD_START 22
#define FIELD_BEHIND_NAME 3

static uint64_t start_of(pid_t pid)
{
	char path[64], text[1024];
	const char *field;
	uint64_t ticks = 0;
	ssize_t len;
	int fd;

	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof text - 1);
	close(fd);
	if (len <= 0)
		return 0;
	text[len] = '\0';
	field = strrchr(text, ')');
	for (int i = FIELD_BEHIND_NAME - 1; field != NULL && i < FIELD_START; i++)
		field = strchr(field + 1, ' ');
	if (field == NULL || !str_parse_u64(field + 1, strcspn(field + 1, " "), &ticks))
		return 0;
	return ticks;
}

int identity_of_server(const char *socket_path, struct identity *ret_identity)
{
	pid_t pid;
	int error = muxbus_server_pid(socket_path, &pid);

	if (error != 0)
		return error;
	ret_identity->pid = pid;
	ret_identity->start_ticks = start_of(pid);
	return 0;
}

int64_t identity_age_ms(const struct identity *identity)
{
	long ticks_per_sec = sysconf(_SC_CLK_TCK);
	struct timespec now;

	if (identity->start_ticks == 0 || ticks_per_sec <= 0 ||
	    clock_gettime(CLOCK_BOOTTIME, &now) != 0)
		return -1;
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 -
	    (int64_t)identity->start_ticks * 1000 / ticks_per_sec;
}

bool identity_is_same(const struct identity *a, const struct identity *b)
{
	return a->pid == b->pid && a->start_ticks == b->start_ticks;
}
