/* SPDX-License-Identifier: ISC */
/*
 * The link to muxbusd: JSON lines over its socket, for a program that may block. Who waits for
 * several things at once polls link_fd() and calls link_receive(); the others call
 * link_read_line() or link_ask(). SIGPIPE is never raised.
 */
#ifndef CLI_LINK_H
#define CLI_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/json.h"

#define LINK_LINE_MAX ((size_t)64 * 1024 * 1024) /* what the daemon's limits can reach */
#define LINK_SEND_TIMEOUT_MS 10000 /* for a daemon that does not read */

struct link;

enum link_state {
	LINK_OK,
	LINK_NO_SOCKET, /* nothing is at the path */
	LINK_DEAD, /* a socket, and nobody listens */
	LINK_NOT_OURS, /* who listens is another user; nothing was sent */
	LINK_FAILED, /* anything else */
};

/*
 * Connects. On anything but LINK_OK *ret_link is NULL and ret_reason, one line for people,
 * says what is the matter; it does not say how to help.
 */
enum link_state link_open(
    struct link **ret_link, const char *socket, char *ret_reason, size_t size);

void link_close(struct link *link); /* NULL is allowed */

int link_fd(const struct link *link); /* to poll for input */

enum link_read {
	LINK_LINE, /* a line is there */
	LINK_LATE, /* not in time; ask again later */
	LINK_END, /* the daemon has closed, after the last whole line */
	LINK_BROKEN, /* an error (errno), or a line over LINK_LINE_MAX (EMSGSIZE) */
	LINK_SIGNAL, /* a signal came while it waited; the caller knows which it awaits */
};

/*
 * The next line, without its newline and NUL-terminated, lent until the next call of this
 * file. timeout_ms 0 looks only at what is there, -1 waits for ever.
 */
enum link_read link_read_line(
    struct link *link, int64_t timeout_ms, const char **ret_line, size_t *ret_len);

/* The same, read into a tree, which is lent as well. What is no JSON is LINK_BROKEN (EPROTO). */
enum link_read link_read_message(struct link *link, int64_t timeout_ms,
    const struct json **ret_message, const char **ret_line, size_t *ret_len);

/*
 * Reads what the socket has without waiting, for who polls; then link_read_line() with 0
 * gives the lines. Returns false at the end or an error, which link_read_line() tells in turn.
 */
bool link_receive(struct link *link);

/* Whether a whole line is buffered: poll() would not say so. */
bool link_has_line(const struct link *link);

/*
 * Sends one request. params is JSON text of an object, or NULL. Returns its id, or 0 (errno)
 * if the daemon is gone or has not read within LINK_SEND_TIMEOUT_MS.
 */
uint64_t link_request(struct link *link, const char *method, const char *params);

/* The answer to a request: result or error, both lent until the link's next use. */
struct link_answer {
	const struct json *result;
	const struct json *error;
	const char *line; /* all of it, as it came */
	size_t len;
};

/*
 * What somebody wants to see of other lines (events, progress) while an answer is awaited:
 * line is lent, message is it as a tree, lent too.
 */
typedef void link_other_fn(void *data, const struct json *message, const char *line, size_t len);
void link_set_other(struct link *link, link_other_fn *other, void *data);

/*
 * Waits for the answer to a request. Returns LINK_LINE with *ret_answer filled; else what
 * link_read_line() said. An answer that is no JSON-RPC counts as LINK_BROKEN (EPROTO).
 */
enum link_read link_await(
    struct link *link, uint64_t id, int64_t timeout_ms, struct link_answer *ret_answer);

/* link_request() and link_await(). */
enum link_read link_ask(struct link *link, const char *method, const char *params,
    int64_t timeout_ms, struct link_answer *ret_answer);

#endif
