/* SPDX-License-Identifier: ISC */
/* Writes an event as a line for people. */
#pragma once

#include "wire/json.h"

/* Appends a line: time of day, kind, object and other members. Makes untrusted text visible. */
void event_text(struct buf *out, const struct json *event, bool has_color);
