/* SPDX-License-Identifier: ISC */
/* The specification of an agent: its request, kept over restarts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGENT_NAME_MAX 64

struct agent_spec {
	char name[AGENT_NAME_MAX + 1];
	char **command; /* words, NULL-ended; one alone goes to the shell */
	char **env; /* "NAME=value", NULL-ended */
	char *cwd;
	bool has_cwd; /* the request named it; not kept */
	char *prompt; /* a pattern; NULL: it is learned */
	int64_t width; /* cells */
	int64_t height;
	int64_t history_limit; /* lines */
	bool wants_notices; /* of its program, as notifications */
	int64_t startup_timeout_ms;
};

void agent_spec_finish(struct agent_spec *plan);
/* The first parameter that makes it another agent: its command, environment or directory, or NULL. */
const char *agent_spec_difference(const struct agent_spec *one, const struct agent_spec *other);

/* A list of strings, NULL-ended, of the heap. */
char **agent_strings_copy(const char *const *strings, size_t count);
