/* SPDX-License-Identifier: ISC */
/* Secret numbers, each used once. */
#ifndef LIB_NONCE_H
#define LIB_NONCE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/parser.h"

/* Random bytes that were not given out yet. All zeroes to begin with. */
struct nonce_pool {
	uint8_t bytes[64 * MUXBUS_NONCE_LEN / 2];
	size_t left;
};

/*
 * Makes one of 128 random bits from the kernel. tmux logs commands, so whoever may read
 * its log knows those that were used: none tells anything about another. Returns 0 or
 * MUXBUS_ERR_SYSTEM with errno set.
 */
int nonce_make(struct nonce_pool *pool, struct nonce *ret_nonce);

#endif
