/* SPDX-License-Identifier: ISC */
/* An event as a line for people. */
#pragma once

#include "wire/json.h"

/*
 * Appends one line: the time of day, the kind, the subject and the other members. Untrusted text
 * is made visible.
 */
void event_text(struct buf *out, const struct json *event, bool has_color);
