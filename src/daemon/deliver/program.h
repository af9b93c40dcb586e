/* SPDX-License-Identifier: ISC */
/* Runs a program without a shell, in its own process group; keeps the first bytes of its output. */
#pragma once

#include "base/base.h"

struct event_base;

struct program_end {
	int status; /* as from waitpid(2), also if the program was killed; -1: unknown */
	bool is_late; /* its time was over, so it got a signal */
};

/* Called once, from the loop, unless the program was freed before. May free the program. */
typedef void program_fn(void *data, const struct program_end *end);

struct program_order {
	const char *path; /* path of the program's file */
	char *const *argv, *const *env;
	int input; /* descriptor for its standard input; negative: the input is empty */
	size_t output_max; /* bytes of output that are kept; a write of more fails */
	int64_t time_ms; /* time until the program gets SIGTERM, or SIGKILL without grace_ms */
	int64_t grace_ms; /* from SIGTERM to the group's SIGKILL; 0: SIGKILL without SIGTERM */
};

/* Returns NULL with errno if the program cannot be started. */
struct program *program_start(
    struct event_base *base, const struct program_order *order, program_fn *done, void *data);
/* Returns the output so far. The caller frees it. */
char *program_output(const struct program *program);
/* Kills the process group if the program still runs. NULL is accepted. */
void program_free(struct program *program);
