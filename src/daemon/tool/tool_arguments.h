/* SPDX-License-Identifier: ISC */
/* The checked arguments of a declared tool as the JSON object that its program gets. */
#pragma once

#include "daemon/tool/declaration.h"

#define TOOL_ARGUMENTS_MAX ((size_t)1024 * 1024) /* bytes as JSON */

/*
 * Appends the object with each argument that was given or has a default; names are those of the
 * server. Checks the elements of arrays first. Returns false with *ret_error if one is wrong.
 */
bool tool_arguments_write(struct buf *out, const struct declaration *declaration, const void *args,
    struct field_error *ret_error);

/* Appends the second spellings that the caller used, separated by blanks. */
void tool_arguments_write_spelled(
    struct buf *out, const struct declaration *declaration, const void *args);
