/* SPDX-License-Identifier: ISC */
/* A tmux that is scripted: tests/fake_tmux. */
#pragma once

#include <sys/types.h>

#include "trial.h"

/* A folder with a script and a socket at which something listens. */
struct fake {
	char dir[64];
	char socket[96];
	char program[512]; /* fake_tmux */
	pid_t listener;
};

/* Makes the folder and the socket. Ends the test on failure. */
void fake_start(struct fake *fake);
void fake_stop(struct fake *fake);
/* Sets the script of the next fake tmux; NULL: it answers all commands. */
void fake_script(struct fake *fake, const char *script);

/* Opens a connection to the fake tmux with these timeouts in milliseconds (0: the default). */
void fake_open(struct fake *fake, struct trial *trial, unsigned timeout_ms);
void fake_open_within(struct fake *fake, struct trial *trial, unsigned greeting_timeout_ms,
    unsigned command_timeout_ms);
