/* SPDX-License-Identifier: ISC */
/* Groups of methods, by which agents choose their tools. */
#pragma once

#include "daemon/server/method.h"

/* Of muxbusd's own methods; sorted, NULL-terminated. */
extern const char *const method_groups[];

/* Sets of groups, each for agents with one purpose. A set whose name is NULL is the last. */
struct method_set {
	const char *name;
	const char *groups[8]; /* or "default"; NULL-terminated */
};
extern const struct method_set method_sets[];

/* For each group and set, an array of the names of its methods. */
void method_groups_write(struct json_writer *writer, const char *name);
