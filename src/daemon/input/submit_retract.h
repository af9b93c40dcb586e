/* SPDX-License-Identifier: ISC */
/*
 * Taking a text back: if a person begins to type while a text waits for its Enter, Muxbus deletes
 * the text in front of the person's characters. If this is not possible, as when the program's
 * editing keys are not known, the text stays.
 */
#pragma once

#include "base/base.h"

struct muxbus_pane;
struct pane_screen;
struct pane_tty;
struct submit;

/* Returns true if a person may have typed here since the text. Needs a new list of clients. */
bool submit_has_person(const struct submit *submit, const struct muxbus_pane *pane);

/* Deletes the text, or gives up if that is not possible. */
void submit_retract(struct submit *submit, const struct muxbus_pane *pane);
/* Call this at each look after the deletion. Defers the text when it is gone; at last gives up. */
void submit_retract_look(
    struct submit *submit, const struct pane_screen *screen, const struct pane_tty *tty);
