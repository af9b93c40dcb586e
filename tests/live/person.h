/* SPDX-License-Identifier: ISC */
/* A person: a tmux client on a terminal of its own. The output of the terminal is dropped. */
#pragma once

#include "harness.h"

struct person {
	pid_t pid;
	int terminal;
};

/* Attaches to a session; ends the test if that cannot be done. */
struct person person_attach(const struct live *live, const char *session);
/* Reads and drops the output of tmux. Call it now and then: a full terminal stops tmux's client. */
void person_look(struct person *person);
/* Hangs up, and waits until the client is gone. */
void person_leave(struct person *person);
