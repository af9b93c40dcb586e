/* SPDX-License-Identifier: ISC */
/*
 * Targets of requests, such as "%3", "@2", "$1", "work:1", resolved by exact match in our own
 * model. tmux's prefixes and patterns are never used.
 */
#pragma once

#include "daemon/tmux/resolve.h"
#include "wire/field.h"

struct consumer_filter;
struct request;

/* The field for target_pane(), of a struct of arguments with the member pane. */
#define PANE_FIELD(args_struct)                                                                 \
	{FIELD_ROW(STRING, struct args_struct, pane, "pane"), .min = 1, .max = 1024,            \
	    .help = "Which pane, such as \"%3\" or \"work:1.0\"; left out, the caller's own."}, \
	{                                                                                       \
		.name = "pane_id", .flags = FIELD_ALIAS                                         \
	}

/* Returns true if text is the id of an object of this kind: the id of an object never changes. */
bool target_is_id(enum resolve_kind kind, const char *text);

/*
 * Each finds the object that text names, or fails the request (no_such_pane, ambiguous_target, …,
 * with near names) and returns false. A missing object may have been made a moment ago, and tmux
 * does not announce that another object has a name or an index now: then the request is put off,
 * its handler is called again with a fresh model, and false is returned too. In both cases leave
 * the request alone. A session or window as the target of target_pane() stands for its active pane.
 * text NULL: the peer's own pane; an error if it has none.
 */
bool target_pane(struct request *request, const char *text, const struct muxbus_pane **ret_pane);
bool target_window(
    struct request *request, const char *text, const struct muxbus_window **ret_window);
bool target_session(
    struct request *request, const char *text, const struct muxbus_session **ret_session);

/*
 * Reads a filter (NULL: all match); an error names the field. Returns as target_pane(). Its strings
 * are lent from value.
 */
bool target_filter(struct request *request, const char *field, const struct json *value,
    struct consumer_filter *ret_filter);
