/* SPDX-License-Identifier: ISC */
/*
 * Rotated files beside a log: log.1, log-20240501 and the like. They are found by listing
 * the directory when events did not report their names.
 */
#ifndef DAEMON_FILE_ROTATED_H
#define DAEMON_FILE_ROTATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SIBLINGS_MAX 64
#define SIBLING_HEAD 256

struct sibling {
	char name[256];
	dev_t dev;
	ino_t ino;
	int64_t born_ns; /* CLOCK_REALTIME; -1: unknown to the file system */
};

/* When an open file was created; -1 if unknown. */
int64_t sibling_born_ns(int fd);
/* Now, by the clock of file times. */
int64_t sibling_now_ns(void);

/*
 * Lists regular files beside path named like it plus a number or a date, oldest first.
 * The list is cut at SIBLINGS_MAX.
 */
size_t sibling_list(const char *path, struct sibling ret_siblings[SIBLINGS_MAX]);

/* The first bytes of an open file, to recognise copies. */
size_t sibling_head(int fd, uint8_t ret_head[SIBLING_HEAD]);

#endif
