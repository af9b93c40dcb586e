/* SPDX-License-Identifier: ISC */
/* Texts in the strings of OSC: taking the strings apart, and making texts clean. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A part of a string, which it does not own; at NULL: behind the last one. */
struct osc_part {
	const char *at;
	size_t len;
};

/* Takes the part before a separator off the front of rest; false behind the last one. */
bool osc_part_next(struct osc_part *rest, char separator, struct osc_part *ret_part);
bool osc_part_is(struct osc_part part, const char *word);

/*
 * Copies untrusted bytes as valid UTF-8 in one line, without control characters, cut at a
 * character to the room of out.
 */
void osc_text_copy(char *out, size_t size, const void *bytes, size_t len);
