/* SPDX-License-Identifier: ISC */
/* The supervisor of jobs and servers: where muxbus-job is. */
#ifndef DAEMON_CORE_SUPERVISOR_H
#define DAEMON_CORE_SUPERVISOR_H

#include <stddef.h>

/* Writes its path: beside this program while that is not installed, else where it was installed. */
void supervisor_find(char *out, size_t size);

#endif
