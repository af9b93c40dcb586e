/* SPDX-License-Identifier: ISC */
#include "cli/ask.h"

#include "config.h"

#include <poll.h>

#include "base/secret.h"
#include "cli/locate.h"
#include "cli/program.h"
#include "cli/remote.h"
#include "wire/message.h"

#define START_TRIES 50
#define START_TRY_MS 200
#define GREET_TRIES 5
#define HINT_MAX 16384

enum link_state ask_open(struct link **ret_link, const char *socket, char *ret_reason, size_t size)
{
	if (strncmp(socket, REMOTE_PREFIX, strlen(REMOTE_PREFIX)) != 0)
		return link_open(ret_link, socket, ret_reason, size);
	*ret_link = remote_open(socket, ret_reason, size);
	return *ret_link != NULL ? LINK_OK : LINK_FAILED;
}

static bool listens(const char *socket)
{
	int fd = *socket != '\0' ? link_connect(socket, ASK_MUTE_MS) : -1;
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

/* Starts a daemon and connects. Retries: an old daemon that shuts down still counts as running. */
static struct link *start_and_open(struct cli *cli, char *ret_reason, size_t size)
{
	for (int i = 0; i < START_TRIES; i++) {
		char said[PATH_MAX + 512];
		struct link *link;
		enum link_state state;
		if (ask_launch(cli, said, sizeof said) < 0) {
			(void)snprintf(ret_reason, size, "%s", said);
			return NULL;
		}
		state = ask_open(&link, cli->socket, ret_reason, size);
		if (state != LINK_NO_SOCKET && state != LINK_DEAD)
			return link; /* link is NULL unless state is LINK_OK */
		if (strcmp(said, cli->socket) != 0 && listens(said)) {
			(void)snprintf(ret_reason, size,
			    "muxbusd runs already, and listens at %.*s: use -s", PATH_MAX, said);
			return NULL;
		}
		(void)poll(NULL, 0, START_TRY_MS);
	}
	return NULL;
}

static bool has_server(const struct cli *cli, char *ret_reason, size_t size)
{
	if (cli->is_fleet || cli->needs_no_tmux || locate_tmux_runs(cli))
		return true;
	if (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR)
		(void)snprintf(ret_reason, size, "no tmux server runs at %s", cli->tmux_socket);
	else
		(void)snprintf(ret_reason, size, "%s: %s", cli->tmux_socket, strerror(errno));
	return false;
}

static void say_with_hint(const struct cli *cli, const char *error, const char *hint)
{
	struct buf text = BUF(HINT_MAX);
	cli_hint(&text, cli, hint);
	cli_error("%s%s", error, buf_text(&text));
	buf_finish(&text);
}

const char *ask_other_version(const struct cli *cli)
{
	return remote_is(cli)
	    ? "install the same version on both, then: muxbus shutdown; muxbus start"
	    : "muxbus shutdown; muxbus start";
}

static void compare_version(const struct cli *cli, const struct json *result)
{
	char text[PATH_MAX + 128];
	const char *version = json_get_str(result, "version", "an earlier one");
	if (strcmp(version, PACKAGE_VERSION) == 0)
		return;
	(void)snprintf(text, sizeof text,
	    "the version of muxbusd is %.64s, and this is muxbus %s: %s", version, PACKAGE_VERSION,
	    remote_is(cli) ? "" : "restart it with: ");
	say_with_hint(cli, text, ask_other_version(cli));
}

/*
 * Sends describe first, because its answer has the daemon's version. If the daemon refuses the
 * parameters, as an old one may, asks describe about ping for the version. Then sends the first
 * request again, for its error.
 */
static enum link_read greet(const struct cli *cli, struct link *link, const struct ask_param *about,
    struct link_answer *ret_answer)
{
	char *params = ask_params(about);
	enum link_read read = LINK_BROKEN;
	bool is_unknown;
	uint64_t id = link_request(link, "describe", params);
	if (id)
		read = link_await(link, id, ASK_MUTE_MS, ret_answer);
	if (read == LINK_LATE) {
		cli_error("the daemon at %s has accepted the connection, and has not answered for "
			  "%d s: waiting for it",
		    cli->socket, ASK_MUTE_MS / 1000);
		read = link_await(link, id, ASK_TIMEOUT_MS - ASK_MUTE_MS, ret_answer);
	}
	is_unknown = read == LINK_LINE && ret_answer->error != NULL;
	if (is_unknown)
		read = link_ask(link, "describe", "{\"method\":\"ping\"}", ASK_MUTE_MS, ret_answer);
	/* If describe fails even for ping, the daemon or, in a fleet, one host is old. */
	if (read == LINK_LINE && (ret_answer->error == NULL || !cli->is_fleet))
		compare_version(cli, ret_answer->result);
	if (read == LINK_LINE && is_unknown)
		read = link_ask(link, "describe", params, ASK_MUTE_MS, ret_answer);
	mem_free(params);
	return read;
}

static struct link *open_or_start(struct cli *cli, bool may_start)
{
	struct link *link;
	char reason[PATH_MAX + 512];
	enum link_state state = ask_open(&link, cli->socket, reason, sizeof reason);
	bool is_absent = state == LINK_NO_SOCKET || state == LINK_DEAD;
	const char *hint = "";
	if (is_absent && may_start && !cli->has_socket) {
		if (has_server(cli, reason, sizeof reason))
			link = start_and_open(cli, reason, sizeof reason);
		else if (cli->tmux_name == NULL && cli->tmux_path == NULL)
			hint = ". Start tmux; or muxbusd without it: muxbus start";
		is_absent = false;
	}
	if (is_absent) {
		const char *remedy = locate_remedy(cli);
		char text[sizeof reason + 64];
		(void)snprintf(text, sizeof text, "muxbusd is not running: %s. %s", reason,
		    *remedy == 'm' ? "Start it with: " : "To start it, ");
		say_with_hint(cli, text, remedy);
	} else if (link == NULL) {
		say_with_hint(cli, reason, hint);
	}
	return link;
}

struct link *ask_connect_for(
    struct cli *cli, bool may_start, const struct ask_param *params, struct link_answer *ret_answer)
{
	for (int i = 1;; i++) {
		struct link *link = open_or_start(cli, may_start);
		enum link_read read =
		    link != NULL ? greet(cli, link, params, ret_answer) : LINK_LINE;
		if (read == LINK_LINE)
			return link;
		/* Try again if the link ends: the socket of a killed daemon may still accept. */
		if (remote_is(cli) || i == GREET_TRIES || !link_is_lost(read)) {
			(void)ask_say_read(read);
			link_close(link);
			return NULL;
		}
		link_close(link);
		(void)poll(NULL, 0, START_TRY_MS);
	}
}

bool ask_reconnect(struct cli *cli, struct link **ret_link)
{
	char reason[PATH_MAX + 512];
	enum link_state state = ask_open(ret_link, cli->socket, reason, sizeof reason);
	if ((state == LINK_NO_SOCKET || state == LINK_DEAD) && cli->is_fleet &&
	    ask_launch(cli, reason, sizeof reason) == 0)
		state = ask_open(ret_link, cli->socket, reason, sizeof reason);
	return state == LINK_OK;
}

struct link *ask_connect(struct cli *cli)
{
	struct link_answer answer;
	return ask_connect_for(cli, true, ASK_PARAMS({"method", .text = "ping"}), &answer);
}

enum cli_status ask_say_read(enum link_read read)
{
	switch (read) {
	case LINK_LATE:
		return cli_fail(CLI_TIMEOUT, "muxbusd did not answer in time");
	case LINK_END:
		return cli_fail(CLI_UNREACHABLE, "muxbusd ended before it answered");
	case LINK_SIGNAL:
		return cli_fail(CLI_UNREACHABLE,
		    "stopped: muxbusd has not answered, and may still do what was asked");
	case LINK_LINE:
	case LINK_BROKEN:
		break;
	}
	return cli_fail(CLI_UNREACHABLE, "the connection to muxbusd failed: %s", strerror(errno));
}

enum cli_status ask_say_error(const struct json *error)
{
	const char *kind = json_get_str(json_member(error, "data"), "kind", "");
	int64_t code = json_get_int(error, "code", 0);
	cli_error("%s", json_get_str(error, "message", "an error without a message"));
	if (strcmp(kind, message_error_info(MESSAGE_TIMEOUT)->kind) == 0)
		return CLI_TIMEOUT;
	if (code == message_error_info(MESSAGE_METHOD)->code ||
	    code == message_error_info(MESSAGE_PARAMS)->code)
		return CLI_USAGE;
	return CLI_NO;
}

static enum cli_status take_answer(
    enum link_read read, const struct link_answer *answer, const struct json **ret_result)
{
	*ret_result = NULL;
	if (read != LINK_LINE)
		return ask_say_read(read);
	if (answer->error != NULL)
		return ask_say_error(answer->error);
	*ret_result = answer->result;
	return CLI_DONE;
}

enum cli_status ask_result(struct link *link, const char *method, const char *params,
    int64_t timeout_ms, const struct json **ret_result)
{
	struct link_answer answer;
	enum link_read read = link_ask(link, method, params, timeout_ms, &answer);
	return take_answer(read, &answer, ret_result);
}

char *ask_params(const struct ask_param *params)
{
	struct json_writer writer;
	struct buf text;
	json_start_object(&writer, &text, LINK_LINE_MAX);
	for (; params->name != NULL; params++)
		if (params->text != NULL)
			json_put_str(&writer, params->name, params->text);
		else if (params->number != 0)
			json_put_int(&writer, params->name, params->number);
		else if (params->seconds > 0)
			json_put_double(&writer, params->name, params->seconds);
		else if (params->is_true)
			json_put_bool(&writer, params->name, true);
	json_object_end(&writer);
	return (char *)buf_steal(&text, NULL);
}

enum link_read ask_read(struct link *link, const char *method, const struct ask_param *params,
    int64_t timeout_ms, struct link_answer *ret_answer)
{
	char *text = ask_params(params);
	enum link_read read = link_ask(link, method, text, timeout_ms, ret_answer);
	mem_free(text);
	return read;
}

bool ask_narrow(struct link *link, const char *role, const char *pane)
{
	struct link_answer answer;
	return ask_read(link, "narrow", ASK_PARAMS({"role", .text = role}, {"pane", .text = pane}),
		   ASK_TIMEOUT_MS, &answer) == LINK_LINE &&
	    strcmp(json_get_str(answer.result, "role", ""), role) == 0;
}

enum cli_status ask_method(struct link *link, const char *method, const struct ask_param *params,
    const struct json **ret_result)
{
	struct link_answer answer;
	enum link_read read = ask_read(link, method, params, ASK_TIMEOUT_MS, &answer);
	return take_answer(read, &answer, ret_result);
}

enum cli_status ask_alive(struct link *link, const char *method, const struct ask_param *params,
    const struct json **ret_result)
{
	struct link_answer answer;
	enum link_read read = ask_read(link, method, params, ASK_TIMEOUT_MS, &answer);
	if (link_is_lost(read))
		return CLI_UNREACHABLE;
	return take_answer(read, &answer, ret_result);
}

const struct json *ask_quietly(
    const struct cli *cli, const char *method, int64_t timeout_ms, struct link **ret_link)
{
	char reason[PATH_MAX + 512];
	struct link_answer answer;
	bool is_answered = ask_open(ret_link, cli->socket, reason, sizeof reason) == LINK_OK &&
	    link_ask(*ret_link, method, NULL, timeout_ms, &answer) == LINK_LINE;
	return is_answered ? answer.result : NULL;
}

bool ask_has(const struct json *array, const char *text)
{
	json_each (at, array)
		if (at->type == JSON_STRING && strcmp(at->text, text) == 0)
			return true;
	return false;
}

const struct json *ask_row(const struct json *rows, const char *name)
{
	const struct json *named = json_member(rows, name);
	for (const struct json *row = named == NULL ? json_first(rows) : NULL; row != NULL;
	     row = row->next)
		if (ask_has(json_member(row, "also"), name))
			return row;
	return named;
}

/*
 * An agent may start the daemon, but the daemon serves others too and passes its environment to
 * jobs. So variables of agents, and variables that may hold secrets, are left out.
 */
static char **make_environment(void)
{
	size_t count = 0, kept = 0;
	char **env;
	while (environ[count] != NULL)
		count++;
	env = xcalloc(count + 1, sizeof *env);
	for (size_t i = 0; i < count; i++)
		if (!secret_is_variable(environ[i]) && !secret_is_agents(environ[i]))
			env[kept++] = environ[i];
	return env;
}

#define DAEMON "muxbusd"
#define SAID_MAX 8192 /* bytes of the daemon's output */

static void tell_socket(const struct buf *said, char *ret_socket, size_t size)
{
	const char *word = " socket ", *at = strstr(buf_text(said), word);
	at = at != NULL ? at + strlen(word) : "";
	(void)snprintf(ret_socket, size, "%.*s", (int)strcspn(at, "\n"), at);
}

static void tell(const struct buf *said, char *ret_reason, size_t size)
{
	const char *text = buf_text(said);
	const char *prefix = DAEMON ": ";
	int len;
	if (strncmp(text, prefix, strlen(prefix)) == 0)
		text += strlen(prefix);
	len = (int)strcspn(text, "\n");
	(void)snprintf(ret_reason, size, "muxbusd does not start: %.*s", len > 0 ? len : 1024,
	    len > 0 ? text : "no reason given");
}

int ask_launch(const struct cli *cli, char *ret_said, size_t size)
{
	char program[PATH_MAX];
	char *const fleet_argv[] = {
	    (char *)DAEMON, (char *)"--fleet", (char *)"-s", (char *)cli->socket, NULL};
	char *const argv[] = {(char *)DAEMON, (char *)"-S", (char *)cli->tmux_socket, (char *)"-s",
	    (char *)cli->socket, NULL};
	char **own_env = environ;
	char **env;
	struct buf said = BUF(SAID_MAX);
	int status;
	if (!program_find(DAEMON, program, sizeof program)) {
		(void)snprintf(
		    ret_said, size, DAEMON " is not beside muxbus and not in PATH: install it");
		return -1;
	}
	env = make_environment();
	environ = env;
	status = program_run(
	    program, cli->is_fleet ? fleet_argv : argv, PROGRAM_STDERR, LAUNCH_TIMEOUT_MS, &said);
	environ = own_env;
	mem_free(env);
	if (status < 0 && errno == ETIMEDOUT)
		(void)snprintf(
		    ret_said, size, DAEMON " is not ready after %d s", LAUNCH_TIMEOUT_MS / 1000);
	else if (status < 0)
		(void)snprintf(ret_said, size, "%s cannot be run: %s", program, strerror(errno));
	else if (status > 0)
		tell(&said, ret_said, size);
	else
		tell_socket(&said, ret_said, size);
	buf_finish(&said);
	return status == 0 ? 0 : -1;
}
