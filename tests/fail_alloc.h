/* SPDX-License-Identifier: ISC */
/*
 * Allocations that fail when a test wants them to. A fault test runs its scenario with the first
 * allocation failing, then the second, until one run needs no more of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Makes one allocation fail: the one after the next nth. */
void fail_alloc_arm(size_t nth);
/* Restores the C library's allocator. Returns true if an allocation has failed. */
bool fail_alloc_disarm(void);

/* Counts since the arming: the allocations requested, and those not yet freed. */
size_t fail_alloc_count(void);
long fail_alloc_live(void); /* blocks */
size_t fail_alloc_bytes(void);
