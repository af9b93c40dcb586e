/* SPDX-License-Identifier: ISC */
#include "base/xalloc.h"

#include "base/log.h"
#include "base/map.h"

void xalloc_fail(void)
{
	log_error("out of memory");
	exit(EXIT_FAILURE);
}

static void *must_have(void *ptr)
{
	if (ptr == NULL)
		xalloc_fail();
	return ptr;
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

void xmap_set(struct map *map, uint64_t key, void *value)
{
	(void)must_have(map_set(map, key, value) == 0 ? map : NULL);
}

char *xasprintf(const char *format, ...)
{
	char *string;
	va_list args;
	int len;
	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	/* Treat a string longer than INT_MAX as out of memory. */
	string = must_have(len < 0 ? NULL : mem_alloc((size_t)len + 1));
	va_start(args, format);
	(void)vsnprintf(string, (size_t)len + 1, format, args);
	va_end(args);
	return string;
}
