/* SPDX-License-Identifier: ISC */
/* The words of muxbus wait as conditions of wait_for. */
#ifndef CLI_WAIT_H
#define CLI_WAIT_H

#include <stddef.h>

#include "base/buf.h"

/*
 * Appends conditions as a JSON array. A word is KIND=value, KIND:=JSON, or says more of the
 * condition before it: pane=, regex=, for_sec=, from_start=. A pane= before all conditions is
 * for all that name none. Returns 0, or -1 with a reason for people.
 */
int wait_conditions(
    struct buf *out, size_t count, const char *const *words, char *ret_reason, size_t size);

/* The words that may stand before "=", by number; NULL behind the last. */
const char *wait_word_name(size_t number);

#endif
