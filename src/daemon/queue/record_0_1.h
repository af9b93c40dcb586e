/* SPDX-License-Identifier: ISC */
/* Records of release 0.1 that are not JSON but words in a fixed order. */
#ifndef DAEMON_QUEUE_RECORD_0_1_H
#define DAEMON_QUEUE_RECORD_0_1_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * Appends a text of words to out as a JSON object. The order is such as
 * "#stage #created_ms $pane\n=text": a sigil and a name stand for a word. '#' is a number,
 * '?' is 0 or 1, '=' is a string, '$' is a string or "-" for none, '%' is bytes in hex, '&' is a list of numbers
 * and takes the spaces around them. Any other character of the order stands for itself, and
 * the last word goes on to the end of the text. False if the text has another form.
 */
bool record_0_1_translate(const char *order, const char *text, size_t len, struct buf *out);

#endif
