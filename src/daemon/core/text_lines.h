/* SPDX-License-Identifier: ISC */
/* The lines of a text: where the last ones begin, and how many there are. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The length of the text without the blank lines at its end. */
size_t text_trimmed_len(const uint8_t *text, size_t len);

/* Where the last so many lines begin. */
size_t text_last_lines(const uint8_t *text, size_t len, int64_t lines);

/* A last line without a newline counts too. */
int64_t text_count_lines(const uint8_t *text, size_t len);
