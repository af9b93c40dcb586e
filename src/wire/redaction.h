/* SPDX-License-Identifier: ISC */
/* The parameters of a request as the audit and the history of actions keep them: without secrets. */
#pragma once

#include "base/base.h"

struct field;
struct json;
struct json_writer;

/*
 * Writes params (NULL: none). Of confidential and unknown parameters, writes only the size of the
 * value; then returns true. fields may be NULL: then all parameters are unknown.
 */
bool redaction_write(
    struct json_writer *writer, const struct field *fields, const struct json *params);
