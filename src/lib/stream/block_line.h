/* SPDX-License-Identifier: ISC */
/* The lines that begin and end a reply: %begin, %end and %error, with three numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum block_line_kind {
	BLOCK_BEGIN,
	BLOCK_END,
	BLOCK_ERROR,
};

struct guard {
	enum block_line_kind kind;
	bool is_ours; /* the third number: 1 for a command of this client */
	uint64_t time;
	uint64_t number;
};

/* Reads a line without its newline; false if it is not a guard. */
bool block_line_read(const char *line, size_t len, struct guard *ret_guard);

/* Whether end closes the block of begin: all three numbers are the same. */
bool block_line_closes(const struct guard *end, const struct guard *begin);
