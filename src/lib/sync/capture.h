/* SPDX-License-Identifier: ISC */
/*
 * Captures of panes, and their exact offset in the pane's output.
 *
 * tmux queues replies and output for a client together, but writes the output of panes in turns. So
 * output that is newer than the capture may be read before it. This cannot happen in two cases: no
 * output of the pane was read while the command ran; or the last output before the reply is the
 * pane's own, since tmux writes a reply right after the last output queued before it, and keeps the
 * order within a pane. (Output between the reply and its sentinel would count as output before the
 * reply; this case is checked.) Otherwise the capture is repeated. After CAPTURE_TRIES, or
 * CAPTURE_TRIES_MS, the pane is paused for the capture, and a gap is reported.
 *
 * The pause takes two round trips. Queued output of the pane is read before the answer to the
 * pause, or dropped, so none is pending after the answer. Then one line, in one tick of tmux,
 * continues the pane and captures it: exactly the output after the capture follows. If this line
 * were sent together with the pause, output after the capture could arrive before both answers.
 *
 * While a capture holds the output of its pane, or pauses the pane, other captures of the pane
 * wait.
 */
#pragma once

#include <muxbus.h>

#define CAPTURE_TRIES 100
#define CAPTURE_TRIES_MS 250
/* Maximum number of captures at a time. */
#define CAPTURES_MAX 1000
/* Maximum number of lines of history, because tmux is busy for about 2 us per line. */
#define CAPTURE_HISTORY_MAX 10000

/* Begins the captures that were requested in this turn. */
void capture_begin(struct muxbus_sync *sync);

/* Fails all captures with an error. */
void capture_fail_all(struct muxbus_sync *sync, int error);
