/* SPDX-License-Identifier: ISC */
/* Targets of requests, such as "%3" or "work:1": finds them in the model by exact match. */
#pragma once

#include "daemon/tmux/resolve.h"
#include "wire/field.h"

struct consumer_filter;
struct request;

/* The row of the parameter for target_pane(), for a struct of arguments with the member pane. */
#define PANE_FIELD(args_struct)                                                                 \
	{FIELD_ROW(STRING, struct args_struct, pane, "pane"), .min = 1, .max = 1024,            \
	    .help = "Which pane, such as \"%3\" or \"work:1.0\"; left out, the caller's own."}, \
	{                                                                                       \
		.name = "pane_id", .flags = FIELD_ALIAS                                         \
	}

/* Returns true if text is an id of this kind, such as "%3" or "=%3" for a pane. */
bool target_is_id(enum resolve_kind kind, const char *text);

/*
 * These find the object that text names; text NULL: the peer's own pane, or its window or session.
 * They return false after failing the request (no_such_pane, ambiguous_target and others), or after
 * putting it off to list tmux, which does not announce all moves and names. If text names a session
 * or window, target_pane() finds its active pane.
 */
bool target_pane(struct request *request, const char *text, const struct muxbus_pane **ret_pane);
bool target_window(
    struct request *request, const char *text, const struct muxbus_window **ret_window);
bool target_session(
    struct request *request, const char *text, const struct muxbus_session **ret_session);

/*
 * Reads a filter of notifications; value NULL: all match. The strings of the filter belong to
 * value. Returns false like target_pane().
 */
bool target_filter(struct request *request, const char *field, const struct json *value,
    struct consumer_filter *ret_filter);
