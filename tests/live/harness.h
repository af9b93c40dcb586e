/* SPDX-License-Identifier: ISC */
/*
 * Base of the live tests: a private tmux server, muxbusd on it, and a conversation over the
 * socket. Every process is ended, and every file removed, however the test ends: a guardian
 * process does it when the test is gone.
 *
 * Helpers that start a process end the test ("Bail out!") on failure; the other helpers return the
 * result, for the test to judge. All waiting has a bound.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "tap.h"
#include "wire/json.h"

enum { LIVE_TIMEOUT_MS = 10000 };

#define LIVE_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* Tmux and muxbusd. */

/* One tmux server in a directory of its own, with all of its files. */
struct live {
	char dir[48]; /* HOME, TMUX_TMPDIR and XDG_STATE_HOME too */
	char tmux_socket[108];
	char socket[128]; /* muxbusd's */
	const char *tmux; /* the binary */
	char version[16]; /* "3.3a" */
	pid_t server_pid; /* 0: not running */
	pid_t daemon_pid; /* 0: not running */
	int status; /* exit status of the last live_tmux() or live_run() */
};

/* The tmux of the PATH, or skips the whole test. */
const char *live_tmux_path(void);
/*
 * All tmux binaries to test, NULL-terminated, at most 16: the one of the PATH, then every
 * tmux-VERSION in $MUXBUS_TMUX_CACHE (`make check` sets it to tests/cache) that is supported
 * and not of the same version, from the oldest to the newest.
 */
const char *const *live_tmux_paths(void);
/* A file of that directory, or NULL. */
const char *live_cached(const char *name);
/* muxbusd of this build, or skips the whole test. */
const char *live_daemon_path(void);

/* Makes the directory. tmux NULL: the one of the PATH. */
struct live *live_new(const char *tmux);
/* Ends all processes that run in it. */
void live_free(struct live *live);

/* Starts the server with session "main", 80x24, that runs command (NULL: sh). */
void live_start_tmux(struct live *live, const char *command);
/*
 * Runs a tmux command, as a shell would read it, on the server. Returns its output
 * without the last newline, lent until the 16th next call. Status in live->status.
 */
const char *live_tmux(struct live *live, const char *format, ...) LIVE_PRINTF(2, 3);
/* The same for any shell command; errors are part of the output. */
const char *live_run(struct live *live, const char *format, ...) LIVE_PRINTF(2, 3);
/* Repeats live_tmux() until it answers want; false if it did not in time. */
bool live_tmux_until(struct live *live, const char *want, const char *format, ...)
    LIVE_PRINTF(3, 4);

/* Starts muxbusd with further arguments (NULL: none), in the foreground, and waits until it is ready. */
void live_start_daemon(struct live *live, const char *arguments);
/*
 * The same, but only returns whether the daemon became ready. Its output is in live_daemon_log().
 */
bool live_try_daemon(struct live *live, const char *arguments);
/* Sends a signal (0: none) and waits for its end; the wait status, -1 if it did not end. */
int live_stop_daemon(struct live *live, int signal_number);
/* The daemon's standard error, lent until the next call. */
const char *live_daemon_log(struct live *live);

/* A server with session main, and muxbusd on it. */
struct live *live_start(const char *tmux, const char *command);

/* Starts a shell command in the directory; the command ends with the test. */
pid_t live_spawn(struct live *live, const char *format, ...) LIVE_PRINTF(2, 3);

/* The CPU time, memory and wake-ups of a process: 0 for a process that is gone. */
struct live_usage {
	uint64_t wakeups; /* context switches of all its threads */
	uint64_t cpu_ns;
	uint64_t rss_bytes;
};
struct live_usage live_usage(pid_t pid);
/* The tmux -C processes of muxbusd: none if it attaches directly. Fills at most max. */
size_t live_connections(const struct live *live, pid_t *ret_pids, size_t max);

int64_t live_now_ms(void);
int64_t live_now_ns(void);
void live_sleep_ms(int ms); /* for measuring, and between looks; never to wait for a condition */
_Noreturn void live_bail(const char *format, ...) LIVE_PRINTF(1, 2);

/* Talking to the daemon. */

struct talk;

/* A connected peer; NULL if the connection is refused. */
struct talk *talk_new(const struct live *live);
void talk_free(struct talk *talk);
int talk_fd(const struct talk *talk);

/* Sends a line; the newline is added. False if the daemon has closed. */
bool talk_send(struct talk *talk, const char *format, ...) LIVE_PRINTF(2, 3);
bool talk_send_bytes(struct talk *talk, const void *bytes, size_t len);
void talk_half_close(struct talk *talk);

/*
 * The next line, read as JSON, lent until the next call that reads; NULL at the end of the
 * connection or after the timeout: talk_at_end() tells which.
 */
const struct json *talk_line(struct talk *talk, int timeout_ms);
/* The text of the last line read. */
const char *talk_text(const struct talk *talk);
bool talk_at_end(const struct talk *talk);

/*
 * Calls a method; params is a format for the JSON object, NULL for none. Returns the whole
 * response; NULL if none came. Events that come before it are kept for talk_event().
 */
const struct json *talk_call(struct talk *talk, const char *method, const char *params, ...)
    LIVE_PRINTF(3, 4);
/* The same with params as they are. */
const struct json *talk_call_json(struct talk *talk, const char *method, const char *params);
/* The response to the request of that id, which was sent before. */
const struct json *talk_response(struct talk *talk, const char *id, int timeout_ms);

/*
 * The next event of a kind (NULL: any) whose member has that value (member NULL: any), as params;
 * earlier events are dropped. NULL if none came in time.
 */
const struct json *talk_event(
    struct talk *talk, int timeout_ms, const char *kind, const char *member, const char *value);

/* The value at a path, such as "result.panes.0.pane"; NULL if the path does not exist. */
const struct json *at(const struct json *value, const char *path);
const char *at_str(const struct json *value, const char *path); /* NULL if it is no string */
int64_t at_int(const struct json *value, const char *path); /* INT64_MIN if it is no integer */
bool at_true(const struct json *value, const char *path);
/* The element of an array whose member (a string) has that value, or NULL. */
const struct json *at_where(const struct json *array, const char *member, const char *value);
