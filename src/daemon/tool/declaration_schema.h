/* SPDX-License-Identifier: ISC */
/* The JSON Schemas of a declaration as rows of fields and results. */
#pragma once

#include "daemon/tool/declaration.h"

/*
 * Read "parameters" (NULL: none) into fields, shapes and args_size, and "result" (NULL: none) into
 * results. On error, return false with a reason that names the member.
 */
bool declaration_read_parameters(
    struct declaration *declaration, const struct json *schema, char *ret_reason);
bool declaration_read_result(
    struct declaration *declaration, const struct json *schema, char *ret_reason);
