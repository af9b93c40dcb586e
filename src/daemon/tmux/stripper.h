/* SPDX-License-Identifier: ISC */
/*
 * Strips terminal output to plain text lines: removes escape sequences and control characters,
 * with LF at the end of each line. A carriage return without LF begins the line again, so of a
 * progress bar only the last state stays; a backspace removes the last character of the line.
 * TAB stays. Cursor movements are ignored: use a capture for a full-screen program.
 */
#ifndef DAEMON_TMUX_STRIPPER_H
#define DAEMON_TMUX_STRIPPER_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Appends the lines of len bytes to out. Returns the number of bytes used: an incomplete
 * sequence, character or carriage return at the end is left for the next call, unless it is
 * longer than STRIPPER_OPEN_MAX.
 */
#define STRIPPER_OPEN_MAX 8192
size_t stripper_lines(struct buf *out, const void *bytes, size_t len);

#endif
