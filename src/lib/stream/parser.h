/* SPDX-License-Identifier: ISC */
/* The parser's additional functions for the connection: sentinels of lists of commands. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/*
 * list-commands prints a text of ours and, unlike display-message, has no hook of the user. The
 * option command-alias of a user may have both of its names; so we call it by the beginning of one,
 * which tmux completes. LIST_ONE behind -F has it print the text once.
 */
#define LIST_COMMANDS "list-comman"
#define LIST_ONE "lscm"

/*
 * A sentinel is a block that contains a nonce: alone, as `list-comman -F NONCE lscm` prints it, or behind this
 * prefix, as tmux answers the unknown command NONCE.
 */
#define PARSER_SENTINEL_PREFIX "parse error: unknown command: "

struct nonce {
	char text[MUXBUS_NONCE_LEN + 1];
};

/*
 * Copies the nonces of the next sentinels, in the order of their commands. tmux skips sentinels
 * after a failed command, so any of these may be next, and after it only later ones. With a count
 * of 0 no sentinel is expected. Returns 0, or MUXBUS_ERR_NOMEM without a change.
 */
int parser_expect_list(struct muxbus_parser *parser, const struct nonce *nonces, size_t count);

/* For the sentinel handler: returns the index of its nonce in the last list that was set. */
size_t parser_sentinel_index(const struct muxbus_parser *parser);
