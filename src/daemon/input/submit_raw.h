/* SPDX-License-Identifier: ISC */
/*
 * Raw typing: the keys of send_text, for any program. Only the state of the pane is looked at,
 * by tmux itself, and Enter follows after a fixed rest. The keys wait while another text is
 * typed into the pane.
 */
#pragma once

struct submit;

/* The next step: to type at once if the pane is free, or to press Enter. */
void submit_raw_step(struct submit *submit);
