/* SPDX-License-Identifier: ISC */
#include "daemon/tmux/tmux_command.h"

struct muxbus_command *tmux_command_new(void)
{
	struct muxbus_command *command;
	if (muxbus_command_new(&command) == 0)
		return command;
	log_error("out of memory");
	exit(EXIT_FAILURE);
}

struct muxbus_command *tmux_command(const char *name, ...)
{
	struct muxbus_command *command = tmux_command_new();
	va_list args;
	va_start(args, name);
	for (const char *word = name; word != NULL; word = va_arg(args, const char *))
		muxbus_command_arg(command, word, strlen(word));
	va_end(args);
	return command;
}

const char *tmux_id(char text[TMUX_ID_SIZE], char sigil, uint32_t id)
{
	(void)snprintf(text, TMUX_ID_SIZE, "%c%" PRIu32, sigil, id);
	return text;
}
