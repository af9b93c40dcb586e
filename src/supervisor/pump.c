/* SPDX-License-Identifier: ISC */
#include "supervisor/pump.h"

enum {
	CHUNK = 64 * 1024,
	CHUNKS = 16, /* chunks per call, so that the caller can do other work */
};

void pump_init(struct pump *pump, int from, int to, int64_t max)
{
	pump->from = from;
	pump->to = to;
	pump->max = max;
	(void)fcntl(from, F_SETFL, O_NONBLOCK);
}

void pump_init_late(struct pump *pump, int from, int dir_fd, const char *name, int64_t max)
{
	pump_init(pump, from, -1, max);
	pump->dir_fd = dir_fd;
	snprintf(pump->name, sizeof pump->name, "%s", name);
}

int pump_make_file(int dir_fd, const char *name)
{
	return openat(
	    dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void pump_finish(struct pump *pump)
{
	if (pump->from >= 0)
		close(pump->from);
	if (pump->to >= 0)
		close(pump->to);
	pump->from = -1;
	pump->to = -1;
}

static void keep_head(struct pump *pump, const uint8_t *bytes, size_t len)
{
	if (pump->name[0] != '\0')
		pump->to = pump_make_file(pump->dir_fd, pump->name);
	pump->name[0] = '\0';
	if (pump->to < 0 || pump->kept >= pump->max)
		return;
	if ((int64_t)len > pump->max - pump->kept)
		len = (size_t)(pump->max - pump->kept);
	while (len > 0) {
		ssize_t put = write(pump->to, bytes, len);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			close(pump->to);
			pump->to = -1;
			return;
		}
		pump->kept += put;
		bytes += put;
		len -= (size_t)put;
	}
}

static void keep_tail(struct pump *pump, const uint8_t *bytes, size_t len)
{
	if (len > sizeof pump->tail) {
		pump->total += (int64_t)(len - sizeof pump->tail);
		bytes += len - sizeof pump->tail;
		len = sizeof pump->tail;
	}
	while (len > 0) {
		size_t place = (size_t)(pump->total % (int64_t)sizeof pump->tail);
		size_t part = sizeof pump->tail - place;
		if (part > len)
			part = len;
		memcpy(pump->tail + place, bytes, part);
		pump->total += (int64_t)part;
		bytes += part;
		len -= part;
	}
}

bool pump_run(struct pump *pump)
{
	static uint8_t chunk[CHUNK];
	if (pump->from < 0)
		return false;
	for (unsigned times = 0; times < CHUNKS; times++) {
		ssize_t got = read(pump->from, chunk, sizeof chunk);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return true;
		if (got <= 0) {
			close(pump->from);
			pump->from = -1;
			return false;
		}
		keep_head(pump, chunk, (size_t)got);
		keep_tail(pump, chunk, (size_t)got);
	}
	return true;
}

int64_t pump_write_tail(const struct pump *pump, int fd)
{
	int64_t behind = pump->total - pump->kept, len, written = 0;
	len = behind < (int64_t)sizeof pump->tail ? behind : (int64_t)sizeof pump->tail;
	while (written < len) {
		size_t place = (size_t)((pump->total - len + written) % (int64_t)sizeof pump->tail);
		size_t part = sizeof pump->tail - place;
		ssize_t put;
		if ((int64_t)part > len - written)
			part = (size_t)(len - written);
		put = write(fd, pump->tail + place, part);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return -errno;
		written += put;
	}
	return written;
}
