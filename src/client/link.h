/* SPDX-License-Identifier: ISC */
/*
 * A link to a daemon: JSON lines over its socket. Here is the form for a program that may block:
 * link_ask() and link_read_line(), or poll link_fd() and call link_receive() to wait for several
 * things at once. client/loop_link.h has the form for an event loop. SIGPIPE is never raised.
 */
#pragma once

#include "wire/json.h"

#define LINK_LINE_MAX ((size_t)64 * 1024 * 1024) /* the daemon's largest line */
#define LINK_SEND_TIMEOUT_MS 10000 /* for a daemon that does not read */

struct link;

enum link_state {
	LINK_OK,
	LINK_NO_SOCKET, /* no file at the path */
	LINK_DEAD, /* a socket without a listener */
	LINK_NOT_OURS, /* another user listens; nothing was sent */
	LINK_FAILED, /* anything else */
};

/*
 * Connects to a socket of any user. wait_ms bounds the wait for a listener that does not accept; 0:
 * no wait, and the socket never blocks. Returns a descriptor, or -1 with errno.
 */
int link_connect(const char *path, int64_t wait_ms);

/*
 * Connects to the socket at a path. On anything but LINK_OK, *ret_link is NULL and ret_reason is a
 * human-readable line with the cause, but without a remedy.
 */
enum link_state link_open(struct link **ret_link, const char *path, char *ret_reason, size_t size);

/* A link over a socket, which it owns. carrier: a child that is ended with it; 0: none. */
struct link *link_new(int fd, pid_t carrier);

void link_close(struct link *link); /* NULL is allowed */

int link_fd(const struct link *link); /* to poll for input */

enum link_read {
	LINK_LINE, /* a line is there */
	LINK_LATE, /* timeout; try again */
	LINK_END, /* the daemon has closed, after the last whole line */
	LINK_BROKEN, /* an error (errno), or a line that is too long (EMSGSIZE) */
	LINK_SIGNAL, /* a signal interrupted the wait */
};

/*
 * For a program that reads its signals from a signalfd, of which it keeps the ownership: after a
 * signal each wait of a link ends within 2 s, with LINK_SIGNAL. -1: none, as at first.
 */
void link_heed(int signal_fd);

/*
 * Reads the next line, NUL-terminated and without its newline; lent until the next call of this
 * file. timeout_ms 0 returns buffered lines only, -1 waits forever.
 */
enum link_read link_read_line(
    struct link *link, int64_t timeout_ms, const char **ret_line, size_t *ret_len);

/* Reads a line as a tree, which is lent too. Invalid JSON gives LINK_BROKEN (EPROTO). */
enum link_read link_read_message(struct link *link, int64_t timeout_ms,
    const struct json **ret_message, const char **ret_line, size_t *ret_len);

/*
 * Reads available input without waiting, for callers that poll; then link_read_line() with 0
 * returns the lines, and behind them the end or an error.
 */
void link_receive(struct link *link);

/* Whether input is buffered that may hold a line, which poll() does not report. */
bool link_has_input(const struct link *link);

/*
 * Sends one request. params is JSON text of an object, or NULL. Returns its id, or 0 with errno if
 * the request is too long, or the daemon is gone or has not read it within LINK_SEND_TIMEOUT_MS.
 */
uint64_t link_request(struct link *link, const char *method, const char *params);

/* All later requests of this program name this host of the fleet; lent. NULL: none. */
void link_name_host(const char *host);

/* The answer to a request: result or error, both lent until the link's next use. */
struct link_answer {
	const struct json *result;
	const struct json *error;
	const char *line; /* the whole line, unchanged */
	size_t len;
};

/*
 * Handles other lines (events, progress) while the link waits for an answer. line and message,
 * its tree, are lent.
 */
typedef void link_other_fn(void *data, const struct json *message, const char *line, size_t len);
void link_set_other(struct link *link, link_other_fn *other, void *data);

/*
 * Waits for the answer to a request. Returns LINK_LINE with *ret_answer filled, else the result
 * of link_read_line(). An answer that is not JSON-RPC gives LINK_BROKEN (EPROTO).
 */
enum link_read link_await(
    struct link *link, uint64_t id, int64_t timeout_ms, struct link_answer *ret_answer);

/* link_request() and link_await(). */
enum link_read link_ask(struct link *link, const char *method, const char *params,
    int64_t timeout_ms, struct link_answer *ret_answer);

/* For loop_link.c: nothing of it waits. */

/* Connects at once, or not at all. NULL with errno; EPERM: another user listens. */
struct link *link_try(const char *path, size_t line_max, size_t unsent_max);

/* The next line of what was received, as link_read_line() gives it; LINK_LATE: none is whole. */
enum link_read link_next(struct link *link, const char **ret_line, size_t *ret_len);
/* A line as a tree, which is lent until the next one; NULL: it is not JSON. */
const struct json *link_parse(struct link *link, const char *line, size_t len);

/* Queues bytes; then link_flush() sends what the socket takes. False: they have no room. */
bool link_queue(struct link *link, const void *bytes, size_t len);
/* Queues a request. Returns its id; 0 with errno if it has no room. */
uint64_t link_queue_request(struct link *link, const char *method, const char *params);
/* Returns false with errno if the daemon is gone. Input that it sent can still be read. */
bool link_flush(struct link *link);
bool link_is_flushed(const struct link *link);
