/* SPDX-License-Identifier: ISC */
/* Connects to the daemon and sends requests. Errors become a message and an exit status. */
#pragma once

#include "cli/cli.h"
#include "client/link.h"

#define ASK_TIMEOUT_MS 30000 /* timeout of methods that do not wait */
#define ASK_MUTE_MS 2000 /* timeout of quick requests; ask_connect() prints a message after it */

/*
 * Opens a link to a socket, or through ssh if the socket is an address of remote_address(). As
 * link_open(); a failure of ssh is LINK_FAILED.
 */
enum link_state ask_open(struct link **ret_link, const char *socket, char *ret_reason, size_t size);

/* A parameter of a request; omitted if its value is NULL, 0 or false. */
struct ask_param {
	const char *name; /* NULL ends the list */
	const char *text; /* the value; set one of these four members */
	int64_t number;
	double seconds;
	bool is_true;
};

/* Parameters of a request: ASK_PARAMS({"pane", .text = pane}, {"limit", .number = 5}). */
#define ASK_PARAMS(...) ((const struct ask_param[]){__VA_ARGS__, {0}})

/* Returns how to replace a daemon of another version, as a text for cli_hint(). */
const char *ask_other_version(const struct cli *cli);

/*
 * Connects to cli->socket. If no daemon runs, starts one, but not at a socket given by -s. Without
 * a running tmux server, starts a daemon only for a fleet or with cli->needs_no_tmux. Prints a
 * message if the daemon has another version. On failure prints the problem and its remedy, and
 * returns NULL; the exit status is then CLI_UNREACHABLE.
 */
struct link *ask_connect(struct cli *cli);

/*
 * Connects again after the daemon has ended, and prints nothing. Starts a daemon only for a fleet.
 * Returns false on failure; the caller may try again later.
 */
bool ask_reconnect(struct cli *cli, struct link **ret_link);

/*
 * As ask_connect(), but starts a daemon only if may_start. The first request is describe with
 * params; *ret_answer, its answer, is lent until the next request.
 */
struct link *ask_connect_for(struct cli *cli, bool may_start, const struct ask_param *params,
    struct link_answer *ret_answer);

/*
 * Sends a request and waits for its result, lent until the link's next use. Errors are printed, and
 * the exit status is returned. params is JSON text or NULL. timeout_ms -1: no timeout.
 */
enum cli_status ask_result(struct link *link, const char *method, const char *params,
    int64_t timeout_ms, const struct json **ret_result);

/* Returns the parameters as JSON; the caller frees them with mem_free(). */
char *ask_params(const struct ask_param *params);

/* Sends a request and waits for its answer. *ret_answer is lent until the link's next use. */
enum link_read ask_read(struct link *link, const char *method, const struct ask_param *params,
    int64_t timeout_ms, struct link_answer *ret_answer);

/*
 * Restricts the link to a role for good: see narrow in muxbus-protocol(7). Call it before you pass
 * on requests of others. pane is our pane; NULL: the daemon finds it. Returns false on failure.
 */
bool ask_narrow(struct link *link, const char *role, const char *pane);

/* ask_result() with parameters and ASK_TIMEOUT_MS, for methods that do not wait. */
enum cli_status ask_method(struct link *link, const char *method, const struct ask_param *params,
    const struct json **ret_result);

/* As ask_method(), but if the connection is lost, returns CLI_UNREACHABLE without a message. */
enum cli_status ask_alive(struct link *link, const char *method, const struct ask_param *params,
    const struct json **ret_result);

/*
 * Sends a request without parameters to a daemon that already runs, and prints nothing. Returns the
 * result, lent from *ret_link, or NULL. The caller closes *ret_link, which may be NULL.
 */
const struct json *ask_quietly(
    const struct cli *cli, const char *method, int64_t timeout_ms, struct link **ret_link);

/* Prints why link_read_line() or link_await() returned no line. Returns the exit status. */
enum cli_status ask_say_read(enum link_read read);

/* Prints an error of the daemon. Returns the exit status. */
enum cli_status ask_say_error(const struct json *error);

bool ask_has(const struct json *array, const char *text);

/* Finds a row of describe by its name or another spelling (member "also"). NULL if none has it. */
const struct json *ask_row(const struct json *rows, const char *name);

#define LAUNCH_TIMEOUT_MS 20000

/*
 * Starts muxbusd at cli->socket, for cli->tmux_socket or the fleet. Waits until it is ready or has
 * failed, for at most LAUNCH_TIMEOUT_MS. Returns 0, with ret_said "" or, if a daemon already runs,
 * its socket. Returns -1 with the reason in ret_said.
 */
int ask_launch(const struct cli *cli, char *ret_said, size_t size);
