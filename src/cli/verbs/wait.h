/* SPDX-License-Identifier: ISC */
/* The words of muxbus wait as conditions of wait_for. */
#pragma once

#include "wire/json.h"

/*
 * Appends conditions as a JSON array. kinds is the member conditions of what describe
 * answers: it says what the words are. A word is KIND=value, KIND:=JSON, or sets another
 * member of the condition before it. "_sec" may be left out of a name. A pane= before all
 * conditions is for all that name none. Returns 0, or -1 with a reason for people.
 */
int wait_conditions(struct buf *out, const struct json *kinds, size_t count,
    const char *const *words, char *ret_reason, size_t size);
