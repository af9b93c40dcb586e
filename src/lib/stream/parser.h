/* SPDX-License-Identifier: ISC */
/* The parser for the connection, beyond muxbus.h: sentinels of lists of commands. */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/*
 * A sentinel is a block that holds only the nonce (from `display-message -p NONCE`), or the
 * nonce after this prefix (from the line `NONCE`, an unknown command).
 */
#define PARSER_SENTINEL_PREFIX "parse error: unknown command: "

struct nonce {
	char text[MUXBUS_NONCE_LEN + 1];
};

/*
 * Announces the nonces of the next sentinels, in written order; copies them. Any of them may
 * come next: tmux skips sentinels after a failed command. After the sentinel of nonces[i]
 * only the later ones are expected, and none after the last. Returns 0, or MUXBUS_ERR_NOMEM
 * and keeps the nonces before. A count of 0 is muxbus_parser_expect(parser, NULL).
 */
int parser_expect_list(struct muxbus_parser *parser, const struct nonce *nonces, size_t count);

/* In the sentinel handler: its position, from 0, in the last announced list. */
size_t parser_sentinel_index(const struct muxbus_parser *parser);
