/* SPDX-License-Identifier: ISC */
/*
 * Messages for people: one line in the status line of each client at which a person looks
 * (display-message), for show_ms. No text is expanded as a format.
 */
#pragma once

#include "base/base.h"

#define SHOW_LINE_MAX 1024 /* bytes: tmux cuts what is wider than the client */

struct notification;

/* The line for notes that are due together: the last one, and how many there are. */
void show_compose(struct buf *out, const struct notification *last, size_t count);
/* Appends a text in which tmux expands nothing: no format, no command, no style, no time. */
void show_escape(struct buf *out, const char *text);
