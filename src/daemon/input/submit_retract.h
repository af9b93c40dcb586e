/* SPDX-License-Identifier: ISC */
/*
 * A person begins to type while a text waits for its Enter. Muxbus deletes the text in front of what
 * they type. In a program whose editing keys are unknown, it leaves the text to the person.
 */
#pragma once

#include "base/base.h"

struct muxbus_pane;
struct pane_screen;
struct pane_tty;
struct submit;

/* Whether a person has pressed a key since the text was typed. The clients have been listed. */
bool submit_has_person(const struct submit *submit, const struct muxbus_pane *pane);

void submit_retract(struct submit *submit, const struct muxbus_pane *pane);
/* Looks whether the text is gone: then it is typed later. */
void submit_retract_look(
    struct submit *submit, const struct pane_screen *screen, const struct pane_tty *tty);
