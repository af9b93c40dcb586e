/* SPDX-License-Identifier: ISC */
/*
 * Pictures of panes, and their exact place in the pane's output.
 *
 * tmux queues replies and output for a client together, but writes the output of panes
 * in turns: so output that was produced after the picture can be read before it. It
 * cannot be if none of the pane's output was read while the command was under way, nor
 * if the last output read before the reply is the pane's own, since a reply is written
 * at the moment when the last output queued before it was: that was the pane's then, and
 * the pane's own output never changes its order. (Output that lies between the reply and
 * its sentinel would be counted as before it; it is looked out for.) Everything else is
 * tried again; after CAPTURE_TRIES, or CAPTURE_TRIES_MS, the pane is paused for the picture,
 * and a gap told.
 *
 * The pause takes two round trips. What was queued of the pane when it was paused is read
 * before the answer, or is dropped; so once the answer is there nothing of the pane can be
 * on its way, and a line that continues the pane and takes the picture, in one turn of
 * tmux's, is followed by exactly what the picture does not show. Were that line sent
 * together with the pause, output behind the picture could overtake both answers.
 *
 * While one picture holds the output of its pane back, or has it paused, the others of
 * that pane wait.
 */
#ifndef LIB_CAPTURE_H
#define LIB_CAPTURE_H

#include <muxbus.h>

#define CAPTURE_TRIES 100
#define CAPTURE_TRIES_MS 250
/* More pictures at a time are refused. */
#define CAPTURES_MAX 1000
/* tmux stands still for some 2 us a line; so not more history than this is taken. */
#define CAPTURE_HISTORY_MAX 10000

/* Begins those that were asked for in this turn. */
void capture_begin(struct muxbus_sync *sync);

/* There is no server any more: all are answered. */
void capture_fail_all(struct muxbus_sync *sync, int error);

#endif
