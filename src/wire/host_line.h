/* SPDX-License-Identifier: ISC */
/* A line of the hosts file: NAME [ssh=DESTINATION] [server=NAME|PATH] [muxbus=PATH] [may=notify]. */
#pragma once

#include "base/base.h"

#define HOST_NAME_BYTES 64 /* of a name, and of the name of a server */

struct host_spec {
	const char *name; /* of the machine */
	const char *server; /* of tmux, as -L has it */
	const char *socket; /* of the daemon here; NULL: through ssh */
	const char *ssh; /* destination; NULL: the name */
	const char *tmux_name, *tmux_path; /* -L and -S of the relay; NULL: its default */
	const char *program; /* muxbus there; NULL: $MUXBUS_REMOTE, else "muxbus" */
	/* Behind the texts: */
	bool may_notify; /* panes of other hosts, by what was asked for on this one */
};

/*
 * Reads a line, which is changed; the texts of *ret_spec are lent from it. Returns 1, 0 for an
 * empty line or a comment, or -1 with a reason.
 */
int host_line_read(char *line, struct host_spec *ret_spec, char *ret_reason, size_t size);

/* Whether a text is a name of a host or server. */
bool host_line_is_name(const char *text);
