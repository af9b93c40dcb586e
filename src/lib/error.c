/* SPDX-License-Identifier: ISC */
/* The texts of the error numbers, in English. */
#include <muxbus.h>

#include "base/base.h"

/* Without a default case the compiler warns about a missing number. */
static const char *error_text(enum muxbus_error error)
{
	switch (error) {
	case MUXBUS_OK:
		return "success";
	case MUXBUS_ERR_NOMEM:
		return "out of memory";
	case MUXBUS_ERR_INVALID:
		return "invalid argument";
	case MUXBUS_ERR_SYNTAX:
		return "invalid syntax";
	case MUXBUS_ERR_LIMIT:
		return "more than the maximum";
	case MUXBUS_ERR_NOT_FOUND:
		return "no such pane, window, session or client";
	case MUXBUS_ERR_COMMAND:
		return "tmux refused the command";
	case MUXBUS_ERR_SKIPPED:
		return "not run, because a command before it failed";
	case MUXBUS_ERR_CANCELLED:
		return "cancelled";
	case MUXBUS_ERR_UNAVAILABLE:
		return "no tmux server is connected";
	case MUXBUS_ERR_GONE:
		return "the pane, window or session closed";
	case MUXBUS_ERR_FATAL:
		return "the connection has ended";
	case MUXBUS_ERR_SYSTEM:
		return errno != 0 ? strerror(errno) : "a system call failed";
	case MUXBUS_ERR_NO_SERVER:
		return "no tmux server at this socket";
	case MUXBUS_ERR_NO_SESSION:
		return "the tmux server has no such session";
	case MUXBUS_ERR_CLOSED:
		return "tmux ended the connection";
	case MUXBUS_ERR_TIMEOUT:
		return "tmux did not answer in time";
	case MUXBUS_ERR_VERSION:
		return "not tmux, or older than 3.3";
	case MUXBUS_ERR_SPAWN:
		return "tmux cannot be executed";
	case MUXBUS_ERR_PROTOCOL:
		return "the stream is not from a tmux control client";
	}
	return "unknown error";
}

const char *muxbus_strerror(int error)
{
	return error_text((enum muxbus_error)error);
}

bool muxbus_error_is_fatal(int error)
{
	return error <= MUXBUS_ERR_FATAL;
}
