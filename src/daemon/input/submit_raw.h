/* SPDX-License-Identifier: ISC */
/*
 * Raw typing: the keys of send_text, for any program. Here only tmux checks the state of the pane.
 * Enter, if wanted, follows after a fixed pause. While another text is being typed into the pane,
 * the keys wait.
 */
#pragma once

struct submit;

/* The next step: types if the pane is free, else waits; or presses Enter. May free the submit. */
void submit_raw_step(struct submit *submit);
