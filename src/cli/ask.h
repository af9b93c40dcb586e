/* SPDX-License-Identifier: ISC */
/* Connects to the daemon and asks. Errors become a message and an exit status. */
#pragma once

#include "cli/cli.h"
#include "client/link.h"

#define ASK_TIMEOUT_MS 30000 /* for methods that do not wait */
#define ASK_MUTE_MS 2000 /* without the first answer until a message says so */

/* link_open() for cli->socket, which may name a daemon on another machine (remote.h). */
enum link_state ask_open(struct link **ret_link, const char *socket, char *ret_reason, size_t size);

/* A parameter of a request. Without a value, with 0 or false it is left out. */
struct ask_param {
	const char *name; /* NULL ends the parameters */
	const char *text;
	int64_t number;
	double seconds;
	bool is_true;
};

/* The parameters of one request: ASK_PARAMS({"pane", .text = pane}, {"limit", .number = 5}). */
#define ASK_PARAMS(...) ((const struct ask_param[]){__VA_ARGS__, {0}})

/* The remedy of a daemon of another version, for cli_hint(). */
const char *ask_other_version(const struct cli *cli);

/*
 * Connects to cli->socket, and starts the daemon first if it does not run: but not at the socket
 * of -s, and not for a tmux server that does not run, except by muxbus start. Prints
 * that the daemon has another version, and that it has not answered for ASK_MUTE_MS. On failure
 * prints the problem and its remedy, and returns NULL: the status is then CLI_UNREACHABLE.
 */
struct link *ask_connect(struct cli *cli);

/*
 * Connects again after the daemon has gone, and prints nothing. Starts a fleet again, since its
 * users start it; does not start another daemon. False: no daemon answers yet.
 */
bool ask_reconnect(struct cli *cli, struct link **ret_link);

/*
 * As ask_connect(), but without may_start it starts no daemon. The first question is describe with
 * these parameters: *ret_answer is lent until the next one.
 */
struct link *ask_connect_for(struct cli *cli, bool may_start, const struct ask_param *params,
    struct link_answer *ret_answer);

/*
 * Asks. Returns CLI_DONE and the result, which is lent until the link's next use; else prints the
 * error and returns its status. timeout_ms -1: no timeout.
 */
enum cli_status ask_result(struct link *link, const char *method, const char *params,
    int64_t timeout_ms, const struct json **ret_result);

/* The text of parameters, in memory of mem_alloc(). */
char *ask_params(const struct ask_param *params);

/*
 * Narrows a connection to a role, for a pane (NULL: the daemon finds it), before anything else goes
 * over it. False: the daemon did not, as one that has no roles.
 */
bool ask_narrow(struct link *link, const char *role, const char *pane);

/* ask_result() with parameters and ASK_TIMEOUT_MS, for methods that do not wait. */
enum cli_status ask_method(struct link *link, const char *method, const struct ask_param *params,
    const struct json **ret_result);

/* The same, but if the daemon is gone, CLI_UNREACHABLE without a message. */
enum cli_status ask_alive(struct link *link, const char *method, const struct ask_param *params,
    const struct json **ret_result);

/*
 * The result of one request to a daemon that runs already, lent from *ret_link; NULL: there is
 * none. Prints nothing. The caller closes *ret_link, which is NULL if none could be connected.
 */
const struct json *ask_quietly(
    const struct cli *cli, const char *method, int64_t timeout_ms, struct link **ret_link);

/* Prints why link_read_line() or link_await() returned no line; returns the status. */
enum cli_status ask_say_read(enum link_read read);

/* Prints an error of the daemon; returns the status. */
enum cli_status ask_say_error(const struct json *error);

/* The row of a name, or of a second spelling (also), of the methods or parameters of describe. */
const struct json *ask_row(const struct json *rows, const char *name);

#define LAUNCH_TIMEOUT_MS 20000

/*
 * Starts muxbusd (that beside our own program, else that in PATH) for cli->tmux_socket at
 * cli->socket, and waits until it is ready or fails. A running daemon is fine too. Returns 0
 * with the socket of a daemon that ran already, or empty; or -1 with a human-readable reason of one
 * line.
 */
int launch_daemon(const struct cli *cli, char *ret_said, size_t size);
