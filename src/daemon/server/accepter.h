/* SPDX-License-Identifier: ISC */
/*
 * An accepter: a socket with its path. Without free descriptors it says "busy" to those that wait,
 * and pauses.
 */
#ifndef DAEMON_SERVER_ACCEPTER_H
#define DAEMON_SERVER_ACCEPTER_H

#include <stddef.h>
#include <sys/types.h>

struct event_base;
struct accepter;

struct accepter_order {
	const char *path; /* lent; its length was checked */
	int given_fd; /* a socket that listens there already, and stays; 0: it is made */
	mode_t mode; /* of one that is made */
	gid_t group; /* -1: ours */
	void (*accepted)(void *data, int fd); /* takes over fd */
};

/* Removes a stale socket. Returns 0, or -1 with a reason: a program listens there. */
int accepter_clear(const char *path, char *ret_reason, size_t size);

/* busy takes over fd too, and answers. NULL with a reason. */
struct accepter *accepter_new(struct event_base *base, const struct accepter_order *order,
    void (*busy)(void *data, int fd), void *data, char *ret_reason, size_t size);
/* Removes the socket if it made it. NULL is accepted. */
void accepter_free(struct accepter *accepter);

#endif
