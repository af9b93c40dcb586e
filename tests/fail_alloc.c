/* SPDX-License-Identifier: ISC */
/* Allocations that fail when a test wants them to. */
#include "fail_alloc.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static struct {
	size_t nth;
	size_t count;
	long live;
	size_t bytes;
	bool has_failed;
} state;

static void *reallocate(void *data, void *ptr, size_t size)
{
	size_t old_bytes;
	void *block;
	(void)data;
	if (state.count++ == state.nth) {
		state.has_failed = true;
		return NULL;
	}
	old_bytes = ptr != NULL ? malloc_usable_size(ptr) : 0;
	block = realloc(ptr, size);
	if (block == NULL)
		return NULL;
	if (ptr == NULL)
		memset(block, 0xa5, malloc_usable_size(block)); /* callers must not rely on zeros */
	state.live += ptr == NULL;
	state.bytes += malloc_usable_size(block) - old_bytes;
	return block;
}

static void release(void *data, void *ptr)
{
	(void)data;
	state.live--;
	state.bytes -= malloc_usable_size(ptr);
	free(ptr);
}

void fail_alloc_arm(size_t nth)
{
	state.nth = nth;
	state.count = 0;
	state.live = 0;
	state.bytes = 0;
	state.has_failed = false;
	mem_set_allocator(reallocate, release, NULL);
}

bool fail_alloc_disarm(void)
{
	mem_set_allocator(NULL, NULL, NULL);
	return state.has_failed;
}

size_t fail_alloc_count(void)
{
	return state.count;
}

long fail_alloc_live(void)
{
	return state.live;
}

size_t fail_alloc_bytes(void)
{
	return state.bytes;
}
