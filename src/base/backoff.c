/* SPDX-License-Identifier: ISC */
/* The delay between retries. */
#include "base/backoff.h"

#include <stdint.h>
#include <sys/random.h>
#include <sys/types.h>

unsigned backoff_next_ms(unsigned *delay_ms)
{
	unsigned delay = *delay_ms < BACKOFF_MIN_MS ? BACKOFF_MIN_MS : *delay_ms;
	uint16_t chance = 0;
	if (getrandom(&chance, sizeof chance, GRND_NONBLOCK) != (ssize_t)sizeof chance)
		chance = 0;
	*delay_ms = delay * 2 > BACKOFF_MAX_MS ? BACKOFF_MAX_MS : delay * 2;
	return delay + delay / 4 * chance / UINT16_MAX;
}
