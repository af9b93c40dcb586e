/* SPDX-License-Identifier: ISC */
/*
 * Captures panes, and finds the offset of each capture in the pane's output.
 *
 * tmux queues replies and output together, but writes the output of panes in turns, so output newer
 * than the capture may be read before the capture. This cannot happen if no output of the pane was
 * read while the command ran, or if the last output before the reply came from this pane. Otherwise
 * the capture is repeated. After CAPTURE_TRIES, or CAPTURE_TRIES_MS, the pane is paused for the
 * capture, and a gap is reported.
 *
 * The pause takes two round trips. Queued output is read before the answer to the pause, or
 * dropped. Then one command line continues the pane and captures it in one tick of tmux, so exactly
 * the output after the capture follows. Other captures of the pane wait meanwhile.
 */
#pragma once

#include <muxbus.h>

#define CAPTURE_TRIES 100
#define CAPTURE_TRIES_MS 250
#define CAPTURES_MAX 1000 /* at a time */
/* Maximum number of lines of history, because tmux is busy for about 2 us per line. */
#define CAPTURE_HISTORY_MAX 10000

/* Begins the captures that wait, unless another capture or list must end first. */
void capture_begin(struct muxbus_sync *sync);

void capture_fail_all(struct muxbus_sync *sync, int error);
