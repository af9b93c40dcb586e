/* SPDX-License-Identifier: ISC */
/* Waits for the daemon and for signals at the same time, for verbs that run until stopped. */
#pragma once

#include "cli/cli.h"
#include "client/link.h"

struct interrupt {
	int fd; /* signalfd of SIGINT, SIGTERM and, unless it was ignored, SIGHUP */
	int extra_fd; /* another descriptor to wait for; -1 if none */
};

/*
 * Blocks the signals of `fd`. From now on they end interrupt_wait() and, as link_heed() says, waits
 * of links. Returns 0, or -1 after a message.
 */
int interrupt_open(struct interrupt *interrupt);
/*
 * Unblocks the signals, flushes the output, and returns the exit status. If status is that of a
 * received signal (interrupt_status()), the signal now ends this program. Otherwise the loop of a
 * shell would go on after ^C.
 */
enum cli_status interrupt_close(struct interrupt *interrupt, enum cli_status status);

enum interrupt_wake {
	INTERRUPT_LINK, /* input or the end of the link */
	INTERRUPT_EXTRA, /* input on extra_fd */
	INTERRUPT_SIGNAL, /* the signal is in *ret_signal */
	INTERRUPT_TIME,
	INTERRUPT_READER, /* our output has no reader */
};

/* Waits until one of enum interrupt_wake happens. link may be NULL; timeout_ms -1: no timeout. */
enum interrupt_wake interrupt_wait(
    const struct interrupt *interrupt, struct link *link, int64_t timeout_ms, int *ret_signal);

/*
 * Connects again, in at most `tries` attempts (0: no limit) until the deadline (-1: none). Returns
 * NULL if none succeeded, or if *ret_wake is a signal or INTERRUPT_READER. interrupt NULL: signals
 * end this program.
 */
struct link *interrupt_reconnect(const struct interrupt *interrupt, struct cli *cli, int tries,
    int64_t deadline, enum interrupt_wake *ret_wake);

/* Returns the exit status of a stopped verb: CLI_SIGNAL plus the signal; CLI_DONE without one. */
enum cli_status interrupt_status(void);

/* Reads all that extra_fd has, and ignores it. */
void interrupt_drain(const struct interrupt *interrupt);

/*
 * Passes the messages of a link to fn. Returns CLI_DONE when is_done() is true, interrupt_status()
 * after a signal or without a reader, CLI_TIMEOUT at the deadline (-1: none), or CLI_UNREACHABLE at
 * the end of the connection; errno is EPROTO after an invalid message.
 */
enum cli_status interrupt_follow(const struct interrupt *interrupt, struct link *link,
    int64_t deadline, link_other_fn *fn, bool (*is_done)(const void *data), void *data);
