/* SPDX-License-Identifier: ISC */
/* Reads the file of a declared tool: checks every member before any is used. */
#pragma once

#include "daemon/tool/declaration.h"

/*
 * Reads the text of a file, which is copied. On error, returns NULL with a sentence that names the
 * wrong member.
 */
struct declaration *declaration_read(struct json_reader *reader, const char *text, size_t len,
    char ret_reason[DECLARATION_REASON_SIZE]);
