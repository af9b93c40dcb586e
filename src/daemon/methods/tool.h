/* SPDX-License-Identifier: ISC */
/* Calls of declared tools: the handler of all their rows. */
#ifndef DAEMON_METHODS_TOOL_H
#define DAEMON_METHODS_TOOL_H

struct request;

/* args is a struct declaration_args, and behind it what the fields of the declaration fill. */
void tool_handle(struct request *request, const void *args);

#endif
