/* SPDX-License-Identifier: ISC */
/* A line of the hosts file: NAME [ssh=DESTINATION] [server=NAME|PATH] [muxbus=PATH] [may=notify] */
#pragma once

#include "base/base.h"

#define HOSTS_FILE_BYTES ((size_t)1024 * 1024) /* maximum size of the hosts file */
#define HOST_NAME_BYTES 64 /* maximum bytes of a host name, and of a server name */

struct host_spec {
	const char *name; /* of the host */
	const char *server; /* name of the tmux server: the last part of its socket path */
	const char *socket; /* a daemon's socket on this machine; NULL: connect by ssh */
	const char *ssh; /* destination for ssh; NULL: the host's name */
	const char *tmux_name, *tmux_path; /* options -L and -S of the relay; both NULL: neither */
	const char *program; /* path of muxbus on the host; NULL: $MUXBUS_REMOTE, else "muxbus" */
	bool may_notify; /* requests on this host may notify panes of other hosts */
};

/*
 * Modifies line; *ret_spec points into it. Returns 1, 0 if the line has no host, or -1 and reason.
 */
int host_line_read(char *line, struct host_spec *ret_spec, char *ret_reason, size_t size);

/* Returns true if a text is a valid name of a host or server. */
bool host_line_is_name(const char *text);
