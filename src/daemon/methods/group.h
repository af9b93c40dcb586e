/* SPDX-License-Identifier: ISC */
/* Groups of methods: agents choose their tools by groups. */
#pragma once

#include "daemon/server/method.h"

/* The groups of muxbusd's own methods; sorted, NULL-terminated. */
extern const char *const method_groups[];

/* Sets of groups, each for agents with one purpose. The last has name NULL. */
struct method_set {
	const char *name;
	const char *groups[8]; /* names of groups, or "default"; NULL-terminated */
};
extern const struct method_set method_sets[];

/* Writes an object: for each group and set, an array of the names of its methods, if not hidden. */
void method_groups_write(struct json_writer *writer, const char *name);
