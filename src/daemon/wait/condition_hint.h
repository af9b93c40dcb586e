/* SPDX-License-Identifier: ISC */
/* The right form of a condition that was written in a wrong one, with the values that were given. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "wire/json.h"

/* Appends the right form as JSON, if it can be known and has room in out. */
bool condition_hint(struct buf *out, const struct json *spec);
