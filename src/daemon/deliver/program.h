/* SPDX-License-Identifier: ISC */
/*
 * A program that delivers notifications: run without a shell, as the leader of a process group of
 * its own, for a bounded time. The first bytes of its output are kept.
 */
#pragma once

#include "base/base.h"

struct event_base;

struct program_end {
	int status; /* as of waitpid(2); of a program that was killed for its time, that end */
	bool is_late; /* its time was up */
};

/* Called from the loop, once. The program may be freed now. */
typedef void program_fn(void *data, const struct program_end *end);

struct program_order {
	const char *path; /* of the file */
	char *const *argv;
	char *const *env;
	int input; /* a descriptor for its standard input; below 0: it is empty */
	size_t output_max; /* bytes: writing more fails */
	int64_t time_ms; /* then it gets SIGTERM */
	int64_t
	    grace_ms; /* after that, until its group gets SIGKILL; 0: at once, without SIGTERM */
};

/* NULL if it cannot be started, with errno. */
struct program *program_start(
    struct event_base *base, const struct program_order *order, program_fn *done, void *data);
/* Its output so far as text, ended by a NUL. The caller frees. */
char *program_output(const struct program *program);
/* Kills the group of a program that still runs. NULL is accepted. */
void program_free(struct program *program);
