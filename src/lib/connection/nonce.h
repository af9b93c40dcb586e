/* SPDX-License-Identifier: ISC */
/* Secret numbers, each used once. */
#pragma once

#include "lib/stream/parser.h"

/* Unused random bytes. All zeroes at the beginning. */
struct nonce_pool {
	uint8_t bytes[64 * MUXBUS_NONCE_LEN / 2];
	size_t left;
};

/*
 * Makes a nonce of 128 random bits from the kernel. Readers of tmux's log see used nonces,
 * so no nonce reveals another. Returns 0 or MUXBUS_ERR_SYSTEM with errno set.
 */
int nonce_make(struct nonce_pool *pool, struct nonce *ret_nonce);
