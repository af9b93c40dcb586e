/* SPDX-License-Identifier: ISC */
/* Writes the parameters of a request for the audit and the history of actions, without secrets. */
#pragma once

#include "base/base.h"

struct field;
struct json;
struct json_writer;

/*
 * Writes params (NULL: none). Returns true if it wrote the size of a confidential or unknown value
 * instead of the value. Booleans and null are always written, and numbers of a parameter that is a
 * number. fields may be NULL: then all parameters are unknown.
 */
bool redaction_write(
    struct json_writer *writer, const struct field *fields, const struct json *params);
