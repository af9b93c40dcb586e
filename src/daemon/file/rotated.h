/* SPDX-License-Identifier: ISC */
/*
 * Files beside a log that were the log: rotation leaves log.1, log-20240501 and the like.
 * Found by listing the directory, where no event told their names.
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
	int64_t born_ns; /* CLOCK_REALTIME; -1: the file system does not say */
};

/* When an open file was made; -1 if the file system does not say. */
int64_t sibling_born_ns(int fd);
/* Now, by the clock that files are dated with. */
int64_t sibling_now_ns(void);

/*
 * Lists regular files beside path whose names are its own and a number or a date, oldest
 * first. Of too many some are left out.
 */
size_t sibling_list(const char *path, struct sibling ret_siblings[SIBLINGS_MAX]);

/* The first bytes of an open file: a copy has the same. */
size_t sibling_head(int fd, uint8_t ret_head[SIBLING_HEAD]);

#endif
