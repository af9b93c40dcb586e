/* SPDX-License-Identifier: ISC */
/* Calls of provided methods: the handler of all their rows. */
#ifndef DAEMON_METHODS_PROVIDE_CALL_H
#define DAEMON_METHODS_PROVIDE_CALL_H

#include <stdbool.h>

struct daemon;
struct provide_set;
struct request;

/* args is a struct declaration_args, and behind it what the fields of the row fill. */
void provide_call_handle(struct request *request, const void *args);

/* The providers of a daemon, which has its other parts. changed: as in struct provide_parts. */
struct provide_set *provide_call_set_new(
    const struct daemon *daemon, void (*changed)(void *data, bool is_listed), void *data);

#endif
