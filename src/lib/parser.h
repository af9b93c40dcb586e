/* SPDX-License-Identifier: ISC */
/* What the connection needs of the parser beyond muxbus.h: sentinels of lists of commands. */
#ifndef LIB_PARSER_H
#define LIB_PARSER_H

#include <muxbus.h>

#include <stddef.h>

/*
 * A sentinel is a block with nothing in it but the nonce (from `display-message -p NONCE`)
 * or the nonce behind this prefix (from the line `NONCE`, a command that does not exist).
 */
#define PARSER_SENTINEL_PREFIX "parse error: unknown command: "

struct nonce {
	char text[MUXBUS_NONCE_LEN + 1];
};

/*
 * Announces the nonces of the sentinels to come, in the order in which they were
 * written; they are copied. Any of them may be the next that comes: one that was not
 * printed, because a command before it failed, is passed over. After the sentinel of
 * nonces[i] those behind it are awaited, until others are announced; after the last
 * none is. Returns 0 or MUXBUS_ERR_NOMEM, and then awaits what it did before. A count
 * of 0 is muxbus_parser_expect(parser, NULL).
 */
int parser_expect_list(struct muxbus_parser *parser, const struct nonce *nonces, size_t count);

/* In the sentinel handler: which one it was, counted from 0 in the last announced list. */
size_t parser_sentinel_index(const struct muxbus_parser *parser);

#endif
