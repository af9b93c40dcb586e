/* SPDX-License-Identifier: ISC */
/* The parser's additional functions for the connection: sentinels of lists of commands. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/*
 * The command list-commands prints a text of ours. No hook of a user runs after list-commands, as
 * one may after display-message. But a user's option command-alias may redefine both names of the
 * command. So we use the beginning of a name, which tmux completes. The argument LIST_ONE makes
 * list-commands print the text only once.
 */
#define LIST_COMMANDS "list-comman"
#define LIST_ONE "lscm"

/*
 * A sentinel is a block that contains a nonce. The nonce is alone if `list-comman -F NONCE lscm`
 * printed it. It stands behind this prefix if NONCE was sent as an unknown command.
 */
#define PARSER_SENTINEL_PREFIX "parse error: unknown command: "

struct nonce {
	char text[MUXBUS_NONCE_LEN + 1];
};

/*
 * Copies the nonces of the next sentinels, in the order of their commands. Any of these sentinels
 * may be next, since tmux skips sentinels after a failed command; earlier ones are then no longer
 * expected. With a count of 0 no sentinel is expected. Returns 0, or MUXBUS_ERR_NOMEM without a
 * change.
 */
int parser_expect_list(struct muxbus_parser *parser, const struct nonce *nonces, size_t count);

/* For the sentinel handler: returns the index of the nonce in the list of parser_expect_list(). */
size_t parser_sentinel_index(const struct muxbus_parser *parser);
