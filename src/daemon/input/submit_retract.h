/* SPDX-License-Identifier: ISC */
/*
 * If a person begins to type while a text waits for its Enter, Muxbus deletes the text in front of
 * the person's characters. In a program whose editing keys are unknown, the text stays.
 */
#pragma once

#include "base/base.h"

struct muxbus_pane;
struct pane_screen;
struct pane_tty;
struct submit;

/* Returns true if a person pressed a key since the text was typed. Needs a fresh client list. */
bool submit_has_person(const struct submit *submit, const struct muxbus_pane *pane);

void submit_retract(struct submit *submit, const struct muxbus_pane *pane);
/* If the text is gone, it is typed again later. */
void submit_retract_look(
    struct submit *submit, const struct pane_screen *screen, const struct pane_tty *tty);
