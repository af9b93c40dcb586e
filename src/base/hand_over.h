/* SPDX-License-Identifier: ISC */
/*
 * Passes a descriptor to the daemon: muxbus-job sends its standard input to a datagram socket of
 * the daemon. The daemon gave muxbus-job a nonce, which tells the daemon what the input is for.
 */
#pragma once

#include "base/std.h"

enum {
	HAND_OVER_NONCE_LEN = 32, /* hexadecimal digits: 128 bits */
	HAND_OVER_WAIT_SEC = 10, /* how long to wait if the receiver's queue is full */
};

/* Makes a random nonce. Returns 0 or -errno. */
int hand_over_nonce(char nonce[HAND_OVER_NONCE_LEN + 1]);

/* Sends a descriptor to the socket at path. Returns 0 or -errno. */
int hand_over_send(const char *path, const char *nonce, int fd);

/* Makes the receiving socket, mode 0600, in place of an old one. Returns it, or -errno. */
int hand_over_open(const char *path);

enum hand_over {
	HAND_OVER_NONE, /* no message is waiting, or receiving failed */
	HAND_OVER_REFUSED, /* from another user, or malformed; its descriptors are closed */
	HAND_OVER_TAKEN,
};
/* Receives the next message without waiting. *ret_fd is -1 unless taken; the caller closes it. */
enum hand_over hand_over_receive(int socket, char ret_nonce[HAND_OVER_NONCE_LEN + 1], int *ret_fd);

/*
 * Returns the process that called socketpair() for fd, or that connected to it without an address.
 * Returns 0 if fd is no connected UNIX stream, or if its peer has an address.
 */
pid_t hand_over_maker(int fd);
