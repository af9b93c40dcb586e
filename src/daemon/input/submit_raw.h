/* SPDX-License-Identifier: ISC */
/*
 * Raw typing: keys of send_text, for any program. tmux checks the state of the pane, and nothing
 * else is checked. Enter follows after a fixed pause. While another text is typed into the pane,
 * the keys wait.
 */
#pragma once

struct submit;

/* Types if the pane is free, or presses Enter. */
void submit_raw_step(struct submit *submit);
