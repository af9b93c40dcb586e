/* SPDX-License-Identifier: ISC */
/* Groups of methods, by which agents choose their tools: tables of one subject. */
#pragma once

#include "daemon/server/method.h"

/* The names of all groups, sorted, NULL-terminated. */
extern const char *const method_groups[];

/* Groups of groups, by one word: what agents for one purpose want. Ended by one without a name. */
struct method_set {
	const char *name;
	const char *groups[8]; /* NULL-terminated; or "default" */
};
extern const struct method_set method_sets[];

/* Writes the methods of all groups as an object member: arrays of names. */
void method_groups_write(struct json_writer *writer, const char *name);
