/* SPDX-License-Identifier: ISC */
#include "lib/connection/nonce.h"

#include <sys/random.h>

enum { NONCE_BYTES = MUXBUS_NONCE_LEN / 2 };

static int refill(struct nonce_pool *pool)
{
	size_t filled = 0;
	while (filled < sizeof pool->bytes) {
		ssize_t got = getrandom(pool->bytes + filled, sizeof pool->bytes - filled, 0);
		if (got < 0 && errno != EINTR)
			return MUXBUS_ERR_SYSTEM;
		if (got > 0)
			filled += (size_t)got;
	}
	pool->left = filled;
	return 0;
}

int nonce_make(struct nonce_pool *pool, struct nonce *ret_nonce)
{
	uint8_t *bytes;
	if (pool->left == 0) {
		int error = refill(pool);
		if (error != 0)
			return error;
	}
	pool->left -= NONCE_BYTES;
	bytes = pool->bytes + pool->left;
	str_put_hex(ret_nonce->text, bytes, NONCE_BYTES);
	memset(bytes, 0, NONCE_BYTES);
	return 0;
}
