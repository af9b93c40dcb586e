/* SPDX-License-Identifier: ISC */
/* Waits for the daemon and for ^C at once: for verbs that run until they are stopped. */
#pragma once

#include "cli/cli.h"
#include "client/link.h"

struct interrupt {
	int fd; /* a signalfd of SIGINT, SIGTERM and SIGHUP */
	int extra_fd; /* another descriptor to wait for; -1: none */
};

/*
 * Blocks the signals; from now on interrupt_wait() reports them, and links heed them. -1 after
 * printing the error.
 */
int interrupt_open(struct interrupt *interrupt);
/*
 * Restores the signals, flushes the output, and returns the exit status. If that is
 * interrupt_status(), the program ends by the signal: a shell ends its loop at ^C only then.
 */
enum cli_status interrupt_close(struct interrupt *interrupt, enum cli_status status);

enum interrupt_wake {
	INTERRUPT_LINK, /* a line, or the end of input */
	INTERRUPT_EXTRA, /* input on extra_fd */
	INTERRUPT_SIGNAL, /* see *ret_signal */
	INTERRUPT_TIME, /* timeout */
	INTERRUPT_READER, /* the reader of our output is gone */
};

/* Waits for the first of these events. link may be NULL; timeout_ms -1: no timeout. */
enum interrupt_wake interrupt_wait(
    const struct interrupt *interrupt, struct link *link, int64_t timeout_ms, int *ret_signal);

/*
 * Tries to connect again, at most tries times (0: without end) or until the deadline (-1: none).
 * NULL: nothing came back, or *ret_wake is another end: a signal, a reader that is gone. interrupt
 * NULL: signals end this program.
 */
struct link *interrupt_reconnect(const struct interrupt *interrupt, struct cli *cli, int tries,
    int64_t deadline, enum interrupt_wake *ret_wake);

/* The exit status of a verb that runs until it is stopped: 128 plus the signal, if one came. */
enum cli_status interrupt_status(void);

/* Drops the input on extra_fd. */
void interrupt_drain(const struct interrupt *interrupt);

/*
 * Hands the messages of a link to fn until is_done() says so or the reader of our output goes:
 * CLI_DONE; until a signal comes: interrupt_status(); or until the deadline (-1: none):
 * CLI_TIMEOUT. CLI_UNREACHABLE: the daemon is gone, or with errno EPROTO wrote what is no message.
 */
enum cli_status interrupt_follow(const struct interrupt *interrupt, struct link *link,
    int64_t deadline, link_other_fn *fn, bool (*is_done)(const void *data), void *data);
