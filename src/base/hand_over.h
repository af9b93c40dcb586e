/* SPDX-License-Identifier: ISC */
/*
 * Handing a descriptor over: a program sends its standard input to a datagram socket of the daemon,
 * with the nonce that it was given. A message is one datagram, so it comes whole or not at all.
 */
#pragma once

#include "base/std.h"

enum {
	HAND_OVER_NONCE_LEN = 32, /* hexadecimal digits: 128 bits */
	HAND_OVER_WAIT_SEC = 10, /* for a receiver whose queue is full */
};

/* Makes a nonce. Returns 0 or -errno. */
int hand_over_nonce(char nonce[HAND_OVER_NONCE_LEN + 1]);

/* Sends a descriptor to the socket at path. Returns 0 or -errno. */
int hand_over_send(const char *path, const char *nonce, int fd);

/*
 * Makes the socket, in place of one that a process left there; its mode is 0600. Returns it, or
 * -errno: -ENAMETOOLONG if the path is no address.
 */
int hand_over_open(const char *path);

/* The result of hand_over_receive(). */
enum hand_over {
	HAND_OVER_NONE, /* no message */
	HAND_OVER_REFUSED, /* from another user, or not of the form; its descriptors are closed */
	HAND_OVER_TAKEN,
};
/* Takes the next message without waiting. The caller closes the descriptor. */
enum hand_over hand_over_receive(int socket, char ret_nonce[HAND_OVER_NONCE_LEN + 1], int *ret_fd);

/* The process that made the pair of sockets of which fd is one; 0: fd is not of a pair. */
pid_t hand_over_maker(int fd);
