/* SPDX-License-Identifier: ISC */
/* The programs of the panes that muxbus restore makes: shells, and agents that go on. */
#pragma once

#include <stdbool.h>

struct json;
struct json_writer;

/* Whether the agent of a saved pane can go on with its conversation. */
bool restore_can_resume(const struct json *pane);

/*
 * Puts the "cwd" of a saved pane, and a "command" unless its program is the shell of tmux. False:
 * its directory is gone, and HOME takes its place.
 */
bool restore_put_program(struct json_writer *writer, const struct json *pane);
