/* SPDX-License-Identifier: ISC */
/* Connects to the daemon for a verb, and asks; errors become a message and an exit status. */
#include "cli/ask.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "cli/launch.h"
#include "wire/message.h"

#define START_TRIES 50
#define START_TRY_MS 200

/*
 * Starts a daemon and connects. A daemon that is shutting down still counts as running, although
 * its socket is gone: the next try starts a new one after it has ended.
 */
static struct link *start_and_open(struct cli *cli, char *ret_reason, size_t size)
{
	for (int i = 0; i < START_TRIES; i++) {
		struct link *link;
		enum link_state state;
		if (launch_daemon(cli, ret_reason, size) < 0)
			return NULL;
		state = link_open(&link, cli->socket, ret_reason, size);
		if (state != LINK_NO_SOCKET && state != LINK_DEAD)
			return link; /* or NULL */
		(void)poll(NULL, 0, START_TRY_MS);
	}
	return NULL;
}

struct link *ask_connect(struct cli *cli, bool may_start)
{
	struct link *link;
	char reason[PATH_MAX + 512];
	enum link_state state = link_open(&link, cli->socket, reason, sizeof reason);
	bool is_absent;
	if (state == LINK_OK)
		return link;
	is_absent = state == LINK_NO_SOCKET || state == LINK_DEAD;
	if (is_absent && may_start)
		link = start_and_open(cli, reason, sizeof reason);
	if (is_absent && !may_start)
		cli_error("muxbusd is not running: %s. Start it with: muxbus start", reason);
	else if (link == NULL)
		cli_error("%s", reason);
	return link;
}

enum cli_status ask_say_read(enum link_read read)
{
	switch (read) {
	case LINK_LATE:
		cli_error("muxbusd did not answer in time");
		return CLI_TIMEOUT;
	case LINK_END:
		cli_error("muxbusd ended before it answered");
		return CLI_UNREACHABLE;
	case LINK_LINE:
	case LINK_BROKEN:
	case LINK_SIGNAL:
		break;
	}
	cli_error("the connection to muxbusd failed: %s", strerror(errno));
	return CLI_UNREACHABLE;
}

enum cli_status ask_say_error(const struct json *error)
{
	const char *kind = ask_string(json_member(error, "data"), "kind", "");
	int64_t code = ask_int(error, "code", 0);
	cli_error("%s", ask_string(error, "message", "an error without a message"));
	if (strcmp(kind, message_error_info(MESSAGE_TIMEOUT)->kind) == 0)
		return CLI_TIMEOUT;
	if (code == message_error_info(MESSAGE_METHOD)->code ||
	    code == message_error_info(MESSAGE_PARAMS)->code)
		return CLI_USAGE;
	return CLI_NO;
}

enum cli_status ask_result(struct link *link, const char *method, const char *params,
    int64_t timeout_ms, const struct json **ret_result)
{
	struct link_answer answer;
	enum link_read read = link_ask(link, method, params, timeout_ms, &answer);
	*ret_result = NULL;
	if (read != LINK_LINE)
		return ask_say_read(read);
	if (answer.error != NULL)
		return ask_say_error(answer.error);
	*ret_result = answer.result;
	return CLI_DONE;
}

const char *ask_string(const struct json *object, const char *name, const char *other)
{
	const struct json *value = json_member(object, name);
	return value != NULL && value->type == JSON_STRING ? value->text : other;
}

int64_t ask_int(const struct json *object, const char *name, int64_t other)
{
	int64_t number;
	const struct json *value = json_member(object, name);
	return value != NULL && json_int(value, &number) ? number : other;
}

double ask_double(const struct json *object, const char *name, double other)
{
	double number;
	const struct json *value = json_member(object, name);
	return value != NULL && json_double(value, &number) ? number : other;
}

bool ask_bool(const struct json *object, const char *name, bool other)
{
	const struct json *value = json_member(object, name);
	return value != NULL && value->type == JSON_BOOL ? value->boolean : other;
}
