/* SPDX-License-Identifier: ISC */
/* Conditions for readers: as JSON, as the schema of a list, and in the manual. */
#pragma once

#include "wire/json.h"

/* Writes all kinds by name as an object member, as describe has them. */
void condition_write_kinds(struct json_writer *writer, const char *name);

/* Writes the schema of an array of conditions. in_short: only the names, in a description. */
void condition_put_list_schema(struct json_writer *writer, bool in_short);

/* Appends the section about conditions of muxbus-protocol(7) as mdoc. */
void condition_write_mdoc(struct buf *out);
