/* SPDX-License-Identifier: ISC */
/*
 * The first and the last words of tmux on a connection: who it is, what its refusals mean,
 * and why it has ended.
 */
#ifndef LIB_HANDSHAKE_H
#define LIB_HANDSHAKE_H

#include <muxbus.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/parser.h"
#include "lib/process.h"

/* The command that asks, and what comes of it. */
extern const char handshake_question[];

struct handshake_answer {
	char version[32];
	unsigned session;
	long pid; /* of the control client, in the eyes of tmux */
	char flags[160]; /* of the control client, joined by commas */
};

/* Reads the answer, at the beginning of text. False if it is none. */
bool handshake_read_answer(const char *text, struct handshake_answer *ret_answer);

/* Whether a command that does not exist, named probe, was answered as the parser knows it. */
bool handshake_is_probe_answered(const char *text, const struct nonce *probe);

bool handshake_has_flag(const char *flags, const char *flag);

/* The error that a text of tmux's means, or otherwise. */
int handshake_error(const char *text, int otherwise);

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
