/* SPDX-License-Identifier: ISC */
/* The commands that type: the longest input, in the form that needs the longest commands. */
#include "daemon/input/typing.h"

#include "daemon/tmux/tmux_command.h"
#include "tap.h"

/* Each command names the pane once. */
static int count_commands(const struct buf *text)
{
	int count = 0;
	for (size_t at = 0; at < text->len; at++)
		count += text->data[at] == '%';
	return count;
}

/* Printable and other bytes take turns, so each byte has a command of its own. */
static void test_longest(char other)
{
	static char bytes[TYPING_BYTES_MAX];
	struct muxbus_command *command = tmux_command_new();
	struct typing typing;
	for (size_t at = 0; at < sizeof bytes; at++)
		bytes[at] = at % 2 == 0 ? other : '\n';
	typing_init(&typing, UINT32_MAX - 1, true);
	typing_bytes(&typing, bytes, sizeof bytes);
	is_int(count_commands(&typing.commands), TYPING_BYTES_MAX,
	    "the longest input is typed whole: '%c'", other);
	ok(typing.commands.len + 1000 < typing.commands.max, "with room for its conditions");
	typing_add(&typing, command, NULL);
	typing_finish(&typing);
	muxbus_command_free(command);
}

int main(void)
{
	test_longest('a');
	test_longest('\'');
	test_longest(';');
	return done_testing();
}
