/* SPDX-License-Identifier: ISC */
/*
 * Pictures of panes, and their exact place in the pane's output.
 *
 * tmux queues replies and output for a client together, but writes the output of panes in turns. So
 * output that came after the picture can be read before the picture. This cannot happen in two
 * cases: none of the pane's output was read while the command ran; or the last output before the
 * reply is the pane's own, since tmux writes a reply right after the last output queued before it,
 * and keeps the order within a pane. (Output between the reply and its sentinel would count as
 * before the reply; this case is checked.) Otherwise the picture is taken again. After
 * CAPTURE_TRIES, or CAPTURE_TRIES_MS, the pane is paused for the picture, and a gap is reported.
 *
 * The pause takes two round trips. Queued output of the pane is read before the answer to the
 * pause, or is dropped, so no output is under way after the answer. Then one line, in one tick of
 * tmux, continues the pane and takes the picture: exactly the output after the picture follows. If
 * that line were sent together with the pause, output after the picture could overtake both
 * answers.
 *
 * While one picture holds the output of its pane, or pauses the pane, other pictures of that pane
 * wait.
 */
#pragma once

#include <muxbus.h>

#define CAPTURE_TRIES 100
#define CAPTURE_TRIES_MS 250
/* The most pictures at a time. */
#define CAPTURES_MAX 1000
/* The most lines of history: tmux does nothing else for some 2 us per line. */
#define CAPTURE_HISTORY_MAX 10000

/* Begins the captures requested in this turn. */
void capture_begin(struct muxbus_sync *sync);

/* Ends all captures with an error. */
void capture_fail_all(struct muxbus_sync *sync, int error);
