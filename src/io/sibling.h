/* SPDX-License-Identifier: ISC */
/* The programs of this package that are no commands, such as muxbus-job: where they are. */
#pragma once

#include <stddef.h>

/* Writes a path: beside this program while that is not installed, else where it was installed. */
void sibling_find(const char *name, char *out, size_t size);
