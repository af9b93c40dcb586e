/* SPDX-License-Identifier: ISC */
/* The parser's additional functions for the connection: sentinels of lists of commands. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/*
 * A sentinel is a block that contains only a nonce (from `list-commands -F NONCE`), or a nonce
 * behind this prefix (from the line `NONCE`, which is an unknown command).
 */
#define PARSER_SENTINEL_PREFIX "parse error: unknown command: "

struct nonce {
	char text[MUXBUS_NONCE_LEN + 1];
};

/*
 * Copies the nonces of the next sentinels, in the order of their commands. The next sentinel may be
 * any of these, since tmux skips sentinels after a failed command. After the sentinel with
 * nonces[i] only later nonces are expected, and none after the last. A count of 0 does
 * the same as muxbus_parser_expect(parser, NULL). Returns 0, or MUXBUS_ERR_NOMEM without a change.
 */
int parser_expect_list(struct muxbus_parser *parser, const struct nonce *nonces, size_t count);

/* For the sentinel handler: returns the index of its nonce in the last list that was set. */
size_t parser_sentinel_index(const struct muxbus_parser *parser);
