/* SPDX-License-Identifier: ISC */
/* The delay between retries: doubles from 100 ms to 5 s, plus a random part of up to a quarter. */
#ifndef BASE_BACKOFF_H
#define BASE_BACKOFF_H

#define BACKOFF_MIN_MS 100
#define BACKOFF_MAX_MS 5000

/* Returns the delay before the next try. *delay_ms keeps the state and starts as 0. */
unsigned backoff_next_ms(unsigned *delay_ms);

#endif
