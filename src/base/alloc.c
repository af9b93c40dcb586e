/* SPDX-License-Identifier: ISC */
#include "base/alloc.h"

static void *libc_reallocate(void *data UNUSED, void *ptr, size_t size)
{
	return realloc(ptr, size);
}

static void libc_release(void *data UNUSED, void *ptr)
{
	free(ptr);
}

static struct {
	void *(*reallocate)(void *data, void *ptr, size_t size);
	void (*release)(void *data, void *ptr);
	void *data;
} allocator = {libc_reallocate, libc_release, NULL};

void mem_set_allocator(void *(*reallocate)(void *data, void *ptr, size_t size),
    void (*release)(void *data, void *ptr), void *data)
{
	allocator.reallocate = reallocate != NULL ? reallocate : libc_reallocate;
	allocator.release = release != NULL ? release : libc_release;
	allocator.data = data;
}

void *mem_realloc(void *ptr, size_t size)
{
	/* A size of 0 allocates one byte, so that NULL means out of memory. */
	return allocator.reallocate(allocator.data, ptr, size ? size : 1);
}

void *mem_alloc(size_t size)
{
	return mem_realloc(NULL, size);
}

void *mem_calloc(size_t count, size_t size)
{
	size_t total;
	void *ptr;
	if (__builtin_mul_overflow(count, size, &total))
		return NULL;
	ptr = mem_alloc(total);
	if (ptr != NULL)
		memset(ptr, 0, total);
	return ptr;
}

void *mem_memdup(const void *bytes, size_t len)
{
	char *copy;
	if (len == SIZE_MAX)
		return NULL;
	copy = mem_alloc(len + 1);
	if (copy == NULL)
		return NULL;
	if (len)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	return copy;
}

char *mem_strdup(const char *string)
{
	return mem_memdup(string, strlen(string));
}

void mem_free(void *ptr)
{
	if (ptr != NULL)
		allocator.release(allocator.data, ptr);
}

void mem_free_strings(char **strings)
{
	for (size_t at = 0; strings != NULL && strings[at] != NULL; at++)
		mem_free(strings[at]);
	mem_free(strings);
}
