/* SPDX-License-Identifier: ISC */
/* The tmux client on which muxbus go shows a pane. */
#include "cli/tmux_client.h"

#include "tap.h"

static const char *chosen(const char *own_pane, const char *output)
{
	static char name[64];
	return tmux_client_choose(output, own_pane, name, sizeof name) ? name : "none";
}

int main(void)
{
	is_str(chosen("", ""), "none", "no client");
	is_str(chosen("%1", "1 p%1 9 /dev/pts/1\n"), "none", "a control client is no terminal");
	is_str(chosen("", "0 p%1 8 a\n0 p%2 9 b\n0 p%3 7 c\n"), "b", "the client used last");
	is_str(chosen("%3", "0 p%3 7 a\n0 p%2 9 b\n"), "a", "the client of the own pane first");
	is_str(chosen("%3", "0 p%2 9 b\n0 p%3 7 a\n"), "a", "in any order");
	is_str(chosen("%3", "0 p%3 7 a\n0 p%2 9 b\n0 p%3 8 c\n"), "c",
	    "of two clients of the own pane, the one used last");
	is_str(chosen("%3", "0 p%3 8 c\n1 p%3 9 b\n0 p%3 7 a\n"), "c", "and no control client");
	is_str(chosen("", "0 p%1 8 a client\n"), "a client", "a name with a blank");
	return done_testing();
}
