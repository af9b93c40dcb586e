/* SPDX-License-Identifier: ISC */
/* Groups of methods, by which agents choose their tools: tables of one subject. */
#pragma once

#include "daemon/server/method.h"

/* Names of the groups of muxbusd's own methods, sorted, NULL-terminated. */
extern const char *const method_groups[];

/* Named sets of groups, each for agents with one purpose. Ended by a set whose name is NULL. */
struct method_set {
	const char *name;
	const char *groups[8]; /* names of groups, or "default"; NULL-terminated */
};
extern const struct method_set method_sets[];

/* Writes an object member: for each group and set, an array of the names of its methods. */
void method_groups_write(struct json_writer *writer, const char *name);
