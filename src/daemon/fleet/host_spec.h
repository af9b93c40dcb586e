/* SPDX-License-Identifier: ISC */
/* A host as the hosts file names it, and the limits of hosts. */
#ifndef DAEMON_FLEET_HOST_SPEC_H
#define DAEMON_FLEET_HOST_SPEC_H

#include <stddef.h>

#define HOSTS_MAX 1000
#define HOST_NAME_BYTES 64 /* of a name, and of the name of a server */
#define HOST_CALLS_MAX 2000 /* open calls of one host */
#define HOST_QUEUE_BYTES ((size_t)16 * 1024 * 1024) /* of requests that a host has not read */
#define HOST_LINE_BYTES ((size_t)12 * 1024 * 1024) /* of a message of a host */
#define HOST_REASON_SIZE 512
#define HOST_VERSION_SIZE 64

struct host_spec {
	const char *name; /* of the machine */
	const char *server; /* of tmux, as -L has it */
	const char *socket; /* of the daemon here; NULL: through ssh */
	const char *ssh; /* destination; NULL: the name */
	const char *tmux_name, *tmux_path; /* -L and -S of the relay; NULL: its default */
	const char *program; /* muxbus there; NULL: $MUXBUS_REMOTE, else "muxbus" */
};

#endif
