/* SPDX-License-Identifier: ISC */
/* Messages for people: a line in the status line of their tmux clients, shown for show_ms. */
#pragma once

#include "base/base.h"

#define SHOW_LINE_MAX 1024 /* bytes; tmux cuts the line at the client's width */

struct notification;
/* Appends the line for a person: the last notification, and the number of all (count). */
void show_compose(struct buf *out, const struct notification *last, size_t count);
/* Escapes text so that tmux expands no format, command, style or time in it. */
void show_escape(struct buf *out, const char *text);
