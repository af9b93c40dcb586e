/* SPDX-License-Identifier: ISC */
/* Reads the file of a declared tool: every member is checked before any is used. */
#pragma once

#include "daemon/tool/declaration.h"

/*
 * Reads the text of a file. NULL with a sentence that names the member that is wrong. reader is
 * used during the call only.
 */
struct declaration *declaration_read(struct json_reader *reader, const char *text, size_t len,
    char ret_reason[DECLARATION_REASON_SIZE]);
