/* SPDX-License-Identifier: ISC */
/* Shows a text that is longer than the terminal in the user's pager. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Shows the text by $PAGER, else less, and waits for the pager's end. Returns false if the text
 * fits the terminal, or no pager could be run: nothing was printed then.
 */
bool pager_show(const char *text, size_t len);

#endif
