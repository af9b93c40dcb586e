/* SPDX-License-Identifier: ISC */
/* self_command: types a command into a pane, by default the caller's own. */
#include "daemon/deliver/self_command.h"

#include "daemon/deliver/wake.h"
#include "daemon/server/handler.h"

struct command_args {
	const char *command, *pane;
};

static const struct field command_fields[] = {
    {FIELD_ROW(STRING, struct command_args, command, "command"),
	.flags = FIELD_REQUIRED | FIELD_CONFIDENTIAL,
	.help = "The text, literally: one line of at most 1000 bytes. It may begin with /."},
    {FIELD_ROW(STRING, struct command_args, pane, "pane"), .flags = FIELD_RARE,
	.help = "The pane to type into; left out: the caller's own."},
    {.name = NULL},
};

static const struct field_result command_results[] = {
    {"id", "string", "the command, and its notification"},
    {"message", "string", "what was done, in words"},
    WAKE_RESULTS,
    DURABLE_RESULTS,
    {NULL, NULL, NULL},
};

static bool check_command(struct request *request, const char *command)
{
	static const char field[] = "\"field\":\"command\"";
	bool has_text = false;
	if (strlen(command) > SELF_COMMAND_MAX)
		return request_fail_data(request, MESSAGE_PARAMS, field,
		    "command: %zu bytes are more than %d", strlen(command), SELF_COMMAND_MAX);
	for (const char *at = command; *at != '\0'; at++) {
		bool is_c1 = (unsigned char)at[0] == 0xc2 && (unsigned char)at[1] < 0xa0 &&
		    (unsigned char)at[1] >= 0x80;
		if ((unsigned char)*at < ' ' || *at == 0x7f || is_c1)
			return request_fail_data(request, MESSAGE_PARAMS, field,
			    "command: must be one line without control characters; there is one "
			    "at byte %zu",
			    (size_t)(at - command));
		has_text |= *at != ' ' && *at != '|';
	}
	if (!has_text)
		request_fail_data(request, MESSAGE_PARAMS, field,
		    "command: is blank, and must be a text to type");
	return has_text;
}

static void handle_command(struct request *request, const void *data)
{
	const struct command_args *args = data;
	const struct self_command *command;
	struct json_writer *writer;
	struct pane_ref pane;
	if (!check_command(request, args->command) || !requester_pane(request, args->pane, &pane))
		return;
	if (pane.pane == MUXBUS_NO_ID) {
		request_fail(request, MESSAGE_NO_SUCH_PANE,
		    "you are in no pane of the tmux server: say which one with \"pane\"");
		return;
	}
	command = self_command_add(request_daemon(request)->self_commands, &pane, args->command);
	if (command == NULL) {
		request_fail(request, MESSAGE_BUSY,
		    "%d commands for pane %%%u wait already, or %d for all: their notifications "
		    "come first",
		    SELF_COMMANDS_PANE_MAX, (unsigned)pane.pane, SELF_COMMANDS_MAX);
		return;
	}
	writer = request_result(request);
	json_put_str(writer, "id", command->id);
	wake_write(request, "Started: it is typed when your prompt is ready.", command->id, &pane);
	request_done(request);
}

const struct method methods_self_command[] = {
    {.name = METHOD("self_command", METHOD_TYPES | METHOD_SPEAKS_FOR | METHOD_WRITES),
	.title = "Type a command",
	.summary = "Types a command such as /compress into the caller's own pane once its agent "
		   "is ready, and notifies when it is done; returns at once.",
	.help = "End your turn after it. Nothing is typed into a shell, a draft or a question. "
		"It survives a restart, and is never typed twice. Up to four of a pane are done in "
		"order.",
	METHOD_CALL(handle_command, command_args, command_fields, command_results),
	.flags = METHOD_TOOL | METHOD_NEEDS_TMUX,
	.recheck = "list_notifications",
	.affects = role_affects_pane,
	.example = "{\"command\":\"/compress\"}"},
    {.name = NULL},
};
