/* SPDX-License-Identifier: ISC */
/* Converts a picture in SVG to PNG, by a program that is installed for that. */
#ifndef CLI_PNG_H
#define CLI_PNG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * Appends the picture of len bytes of SVG, twice as large in pixels, to out. Returns false after
 * a message: no program, or the program failed or took longer than a minute.
 */
bool png_convert(const char *svg, size_t len, struct buf *out);

#endif
