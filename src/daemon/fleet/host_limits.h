/* SPDX-License-Identifier: ISC */
/* The limits of hosts. */
#ifndef DAEMON_FLEET_HOST_LIMITS_H
#define DAEMON_FLEET_HOST_LIMITS_H

#include <stddef.h>

#define HOSTS_MAX 1000
#define HOST_CALLS_MAX 2000 /* open calls of one host */
#define HOST_QUEUE_BYTES ((size_t)16 * 1024 * 1024) /* of requests that a host has not read */
#define HOST_LINE_BYTES ((size_t)12 * 1024 * 1024) /* of a message of a host */
#define HOST_REASON_SIZE 512
#define HOST_VERSION_SIZE 64

#endif
