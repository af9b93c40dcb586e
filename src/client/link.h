/* SPDX-License-Identifier: ISC */
/*
 * A link to a daemon, JSON lines over a socket, for a program that may block: call link_ask() and
 * link_read_line(), or poll link_fd() and call link_receive(). Sending raises no SIGPIPE.
 */
#pragma once

#include "wire/json.h"

#define LINK_LINE_MAX ((size_t)64 * 1024 * 1024) /* maximum bytes of a line, but for link_try() */
#define LINK_SEND_TIMEOUT_MS 10000 /* the longest wait to connect, or for the daemon to read */

struct link;

enum link_state {
	LINK_OK,
	LINK_NO_SOCKET, /* no file exists at the path */
	LINK_DEAD, /* no process listens at the socket */
	LINK_NOT_OURS, /* another user listens; nothing was sent */
	LINK_FAILED, /* another error; see the reason */
};

/*
 * Connects to a socket of any user in at most wait_ms. With 0 it does not wait, and the descriptor
 * is non-blocking. Returns the descriptor, or -1 with errno.
 */
int link_connect(const char *path, int64_t wait_ms);

/*
 * Connects to the socket at a path. If the result is not LINK_OK, *ret_link is NULL, and ret_reason
 * is the cause as one line for people.
 */
enum link_state link_open(struct link **ret_link, const char *path, char *ret_reason, size_t size);

/*
 * Makes a link that owns fd, a socket. carrier is a child that connects it to the daemon (ssh),
 * which link_close() ends and reaps; 0: no child.
 */
struct link *link_new(int fd, pid_t carrier);

void link_close(struct link *link); /* NULL is allowed */

int link_fd(const struct link *link);

enum link_read {
	LINK_LINE,
	LINK_LATE, /* no line within the timeout; the caller may try again */
	LINK_END, /* the daemon closed the connection; all whole lines were read */
	LINK_BROKEN, /* an error (errno), such as a line that is too long (EMSGSIZE) */
	LINK_SIGNAL, /* a signal interrupted the wait */
};

/* Returns true if nothing more can be read on the connection. */
static inline bool link_is_lost(enum link_read read)
{
	return read == LINK_END || read == LINK_BROKEN;
}

/*
 * Makes link_read_line(), and functions that call it, return LINK_SIGNAL if signal_fd, a lent
 * signalfd, is readable and nothing arrives for 2 s. -1: no signalfd.
 */
void link_heed(int signal_fd);

/*
 * Reads the next line, NUL-terminated and without its newline, lent until the next call. timeout_ms
 * 0: does not wait; -1: waits forever.
 */
enum link_read link_read_line(
    struct link *link, int64_t timeout_ms, const char **ret_line, size_t *ret_len);

/*
 * Reads a line as a tree; both are lent until the next call. Skips errors of an ending daemon.
 * LINK_BROKEN (EPROTO): invalid JSON.
 */
enum link_read link_read_message(struct link *link, int64_t timeout_ms,
    const struct json **ret_message, const char **ret_line, size_t *ret_len);

/* Receives bytes without waiting. link_read_line() with timeout 0 then returns whole lines. */
void link_receive(struct link *link);

/* Returns true if buffered input, which poll() does not report, may hold a line. */
bool link_has_input(const struct link *link);

/*
 * Sends a request. params is the text of a JSON object, or NULL. Returns the request's id, or 0
 * with errno, such as EMSGSIZE if it is too long, EAGAIN if the daemon does not read for
 * LINK_SEND_TIMEOUT_MS.
 */
uint64_t link_request(struct link *link, const char *method, const char *params);

/* Adds the parameter "host" to all later requests of this program. host is lent; NULL: no host. */
void link_name_host(const char *host);

/* The answer to a request: result or error is set. All is lent until the link's next use. */
struct link_answer {
	const struct json *result;
	const struct json *error;
	const char *line; /* the whole line as received */
	size_t len;
};

/* Takes a line that is not the awaited answer, such as an event; message is the parsed line. */
typedef void link_other_fn(void *data, const struct json *message, const char *line, size_t len);
void link_set_other(struct link *link, link_other_fn *other, void *data);

/*
 * Waits for the answer to a request. Returns LINK_LINE with *ret_answer, or another result as
 * link_read_line(). LINK_BROKEN with EPROTO: the answer, or a line before it, is not valid. An
 * error with the id null counts as the answer.
 */
enum link_read link_await(
    struct link *link, uint64_t id, int64_t timeout_ms, struct link_answer *ret_answer);

/* Calls link_request() and link_await(). If the daemon has closed, its error is the answer. */
enum link_read link_ask(struct link *link, const char *method, const char *params,
    int64_t timeout_ms, struct link_answer *ret_answer);

/* The functions below are for loop_link.c. Only link_send_all() waits. */

/*
 * Connects without waiting. A received line may have line_max bytes, the queue unsent_max bytes.
 * Returns NULL with errno on failure; EPERM: another user listens.
 */
struct link *link_try(const char *path, size_t line_max, size_t unsent_max);

/* Returns the next line, which stays until the next call; LINK_LATE if no line is complete. */
enum link_read link_next(struct link *link, const char **ret_line, size_t *ret_len);
/* Parses a line into a tree, which is lent until the next call. Returns NULL for invalid JSON. */
const struct json *link_parse(struct link *link, const char *line, size_t len);

/* Queues bytes for link_flush(). Returns false without room; an empty queue takes any line. */
bool link_queue(struct link *link, const void *bytes, size_t len);
/* Queues a request. Returns its id, or 0 with errno if the queue has no room. */
uint64_t link_queue_request(struct link *link, const char *method, const char *params);
/* Sends without waiting. Returns false with errno if the connection cannot send any more. */
bool link_flush(struct link *link);
bool link_is_flushed(const struct link *link);
/*
 * Sends the queue, waits for this, and receives meanwhile. Returns false with errno; EAGAIN: the
 * daemon did not read for LINK_SEND_TIMEOUT_MS.
 */
bool link_send_all(struct link *link);
