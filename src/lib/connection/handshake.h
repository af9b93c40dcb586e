/* SPDX-License-Identifier: ISC */
/* The first and last texts of tmux on a connection: version, refusal, reason of the end. */
#pragma once

#include "lib/connection/client.h"
#include "lib/stream/parser.h"

extern const char handshake_question[]; /* the command whose output is struct handshake_answer */

struct handshake_answer {
	char version[32];
	unsigned session;
	long pid; /* pid of the control client as tmux sees it */
	char flags[160]; /* flags of the control client, separated by commas */
};

/* Reads the answer at the beginning of text. Returns false if text has none. */
bool handshake_read_answer(const char *text, struct handshake_answer *ret_answer);

/* Returns true if tmux answered the unknown command probe with the expected parse error. */
bool handshake_is_probe_answered(const char *text, const struct nonce *probe);

bool handshake_has_flag(const char *flags, const char *flag); /* flags: separated by commas */

/* Returns the error that matches a text from tmux, or `otherwise` if no error matches. */
int handshake_error(const char *text, int otherwise);

#define ENDING_TEXT_SIZE 256

/* Texts that explain the end of the client. Each may be empty. Begins as all zeros. */
struct ending {
	char exit_reason[ENDING_TEXT_SIZE]; /* from %exit, or the reason of a direct client */
	char errors[ENDING_TEXT_SIZE]; /* from standard error */
	size_t errors_len;
	char stray[ENDING_TEXT_SIZE]; /* the first line outside of the protocol */
};

/* Copies text as one line, cut to fit. Control characters become spaces. */
void ending_copy_line(char out[ENDING_TEXT_SIZE], const char *text, size_t len);

/* Reads standard error. Returns false at its end. */
bool ending_read_errors(struct ending *ending, const struct client *client);

/* Returns the error that explains the end of the client. Sets *ret_reason, lent. */
int ending_explain(const struct ending *ending, const struct client *client, bool was_greeted,
    const char **ret_reason);
