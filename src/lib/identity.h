/* SPDX-License-Identifier: ISC */
/* Which server it is: process ids come again, together with the start they do not. */
#ifndef LIB_IDENTITY_H
#define LIB_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct identity {
	pid_t pid;
	uint64_t start_ticks; /* since boot; 0 if not known */
};

/* Asks at a tmux socket. Errors as muxbus_server_pid(). */
int identity_of_server(const char *socket_path, struct identity *ret_identity);

/* How long ago it was started, in ms; -1 if that is not known. */
int64_t identity_age_ms(const struct identity *identity);

bool identity_is_same(const struct identity *a, const struct identity *b);

#endif
