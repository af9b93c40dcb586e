/* SPDX-License-Identifier: ISC */
/* Groups of methods, by which agents choose their tools: tables of one subject. */
#ifndef DAEMON_METHODS_GROUP_H
#define DAEMON_METHODS_GROUP_H

#include "daemon/server/method.h"
#include "wire/json.h"

/* The names of all groups, sorted, NULL-terminated. */
extern const char *const method_groups[];

/* Writes the methods of all groups as an object member: arrays of names. */
void method_groups_write(struct json_writer *writer, const char *name);

#endif
