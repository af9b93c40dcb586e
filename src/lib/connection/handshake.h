/* SPDX-License-Identifier: ISC */
/*
 * The first and the last words of tmux on a connection. They give its version, the meaning of
 * its refusals, and the reason of its end.
 */
#pragma once

#include "lib/connection/client.h"
#include "lib/stream/parser.h"

/* The question of the handshake, and its answer. */
extern const char handshake_question[];

struct handshake_answer {
	char version[32];
	unsigned session;
	long pid; /* of the control client, as tmux sees it */
	char flags[160]; /* of the control client, joined by commas */
};

/* Reads the answer at the beginning of text. False if there is none. */
bool handshake_read_answer(const char *text, struct handshake_answer *ret_answer);

/* Whether tmux answered the unknown command probe with the expected parse error. */
bool handshake_is_probe_answered(const char *text, const struct nonce *probe);

bool handshake_has_flag(const char *flags, const char *flag);

/* The error that matches a text from tmux, or otherwise. */
int handshake_error(const char *text, int otherwise);

#define ENDING_TEXT_SIZE 256

/* Each text may be empty. All zeroes at the beginning. */
struct ending {
	char exit_reason[ENDING_TEXT_SIZE]; /* by %exit, or by a message to a direct client */
	char errors[ENDING_TEXT_SIZE]; /* on standard error */
	size_t errors_len;
	char stray[ENDING_TEXT_SIZE]; /* the first line outside of the protocol */
};

/* Copies text as one line: control characters become spaces. */
void ending_copy_line(char out[ENDING_TEXT_SIZE], const char *text, size_t len);

/* Reads standard error; false at its end. */
bool ending_read_errors(struct ending *ending, const struct client *client);

/* Why the client has ended: an error, and *ret_reason, which is lent. */
int ending_explain(const struct ending *ending, const struct client *client, bool was_greeted,
    const char **ret_reason);
