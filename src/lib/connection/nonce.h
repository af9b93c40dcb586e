/* SPDX-License-Identifier: ISC */
/* Secret random numbers, each used once. */
#pragma once

#include "lib/stream/parser.h"

/* Random bytes that are not used yet. Begins as all zeros. */
struct nonce_pool {
	uint8_t bytes[64 * MUXBUS_NONCE_LEN / 2];
	size_t left;
};

/*
 * Makes a nonce of 128 random bits. A used nonce, seen in tmux's log, reveals no other nonce.
 * Returns 0, or MUXBUS_ERR_SYSTEM with errno.
 */
int nonce_make(struct nonce_pool *pool, struct nonce *ret_nonce);
