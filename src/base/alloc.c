/* SPDX-License-Identifier: ISC */
/* Memory: one pair of functions behind everything, so that a test can make any of it fail. */
#include "base/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static void *libc_reallocate(void *data, void *ptr, size_t size)
{
	(void)data;
	return realloc(ptr, size);
}

static void libc_release(void *data, void *ptr)
{
	(void)data;
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
	/* Nothing is still something: NULL means out of memory and that alone. */
	return allocator.reallocate(allocator.data, ptr, size ? size : 1);
}

void *mem_alloc(size_t size)
{
	return mem_realloc(NULL, size);
}

void *mem_calloc(size_t count, size_t size)
{
	size_t total;
	if (__builtin_mul_overflow(count, size, &total))
		return NULL;
	void *ptr = mem_alloc(total);
	if (ptr != NULL)
		memset(ptr, 0, total);
	return ptr;
}

void *mem_memdup(const void *bytes, size_t len)
{
	if (len == SIZE_MAX)
		return NULL;
	char *copy = mem_alloc(len + 1);
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

/* Ends the program if ptr is NULL. */
static void *must_have(void *ptr)
{
	if (ptr != NULL)
		return ptr;
	log_error("out of memory");
	exit(EXIT_FAILURE);
}

void *xalloc(size_t size)
{
	return must_have(mem_alloc(size));
}

void *xcalloc(size_t count, size_t size)
{
	return must_have(mem_calloc(count, size));
}

void *xrealloc(void *ptr, size_t size)
{
	return must_have(mem_realloc(ptr, size));
}

char *xstrdup(const char *string)
{
	return must_have(mem_strdup(string));
}

void *xmemdup(const void *bytes, size_t len)
{
	return must_have(mem_memdup(bytes, len));
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	/* A string past INT_MAX is as much out of memory as any. */
	char *string = must_have(len < 0 ? NULL : mem_alloc((size_t)len + 1));
	va_start(args, format);
	(void)vsnprintf(string, (size_t)len + 1, format, args);
	va_end(args);
	return string;
}
