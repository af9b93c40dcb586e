/* SPDX-License-Identifier: ISC */
/*
 * Output as lines a person would read: without escape sequences and control characters,
 * with LF at each line's end. A carriage return that no LF follows begins the line again,
 * so of a progress bar only its last state stays; a backspace takes the last character of
 * the line away. TAB stays. Movements of the cursor are not followed: what a full-screen
 * program draws is a matter for a capture, not for this.
 */
#ifndef DAEMON_TMUX_STRIPPER_H
#define DAEMON_TMUX_STRIPPER_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Appends the lines of len bytes to out. Returns how many bytes were used up: a sequence,
 * a character or a carriage return at the end that more bytes may complete is left for
 * the next call, unless it is longer than STRIPPER_OPEN_MAX.
 */
#define STRIPPER_OPEN_MAX 8192
size_t stripper_lines(struct buf *out, const void *bytes, size_t len);

#endif
