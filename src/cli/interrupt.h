/* SPDX-License-Identifier: ISC */
/* Waiting for the daemon and for ^C at once: for verbs that go on until they are stopped. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdint.h>

#include "cli/link.h"

struct interrupt {
	int fd; /* a signalfd of SIGINT, SIGTERM and SIGHUP */
	int extra_fd; /* one more to wait for input on; -1: none */
};

/* Blocks the signals; from now on they are told by interrupt_wait(). -1 with errno: it cannot. */
int interrupt_open(struct interrupt *interrupt);
/* Lets the signals be what they were: for a second ^C that is to end us. */
void interrupt_close(struct interrupt *interrupt);

enum interrupt_wake {
	INTERRUPT_LINK, /* a line, or the end, is there */
	INTERRUPT_EXTRA, /* input on extra_fd */
	INTERRUPT_SIGNAL, /* *ret_signal says which */
	INTERRUPT_TIME, /* the time is up */
	INTERRUPT_READER, /* who reads our output has gone */
};

/* Waits for whichever is first. link may be NULL; timeout_ms -1: none. */
enum interrupt_wake interrupt_wait(
    const struct interrupt *interrupt, struct link *link, int64_t timeout_ms, int *ret_signal);

#endif
