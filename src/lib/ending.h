/* SPDX-License-Identifier: ISC */
/* What tmux and its process said on their way out, and what that means. */
#ifndef LIB_ENDING_H
#define LIB_ENDING_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/process.h"

#define ENDING_TEXT_SIZE 256

/* Each is empty if nothing was said. All zeroes to begin with. */
struct ending {
	char exit_reason[ENDING_TEXT_SIZE]; /* by %exit */
	char errors[ENDING_TEXT_SIZE]; /* on standard error */
	size_t errors_len;
	char stray[ENDING_TEXT_SIZE]; /* the first line that is no part of the protocol */
};

/* Copies text so that it can be shown as one line: controls become spaces. */
void ending_copy_line(char out[ENDING_TEXT_SIZE], const char *text, size_t len);

/* Reads what there is on standard error; false at its end. */
bool ending_read_errors(struct ending *ending, const struct process *process);

/* Why a process that is over has ended: an error, and *ret_reason, which is lent. */
int ending_explain(const struct ending *ending, const struct process *process, bool was_greeted,
    const char **ret_reason);

#endif
