/* SPDX-License-Identifier: ISC */
/* Allocates memory. Out of memory returns NULL here; in xalloc.h it ends the program. */
#pragma once

#include "base/std.h"

/* Sets how the functions below allocate and free. NULL restores the functions of the C library. */
void mem_set_allocator(void *(*reallocate)(void *data, void *ptr, size_t size),
    void (*release)(void *data, void *ptr), void *data);

void *mem_alloc(size_t size) __attribute__((malloc, warn_unused_result));
void *mem_calloc(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
void *mem_realloc(void *ptr, size_t size) __attribute__((warn_unused_result));
char *mem_strdup(const char *string) __attribute__((malloc, warn_unused_result));
/* Returns a copy of len bytes, followed by a NUL. */
void *mem_memdup(const void *bytes, size_t len) __attribute__((malloc, warn_unused_result));
void mem_free(void *ptr);
void mem_free_strings(char **strings); /* frees a NULL-terminated array and its strings */
