/* SPDX-License-Identifier: ISC */
/* Allocates memory for programs. Out of memory ends the process with a message and status 1. */
#pragma once

#include "base/alloc.h" /* for mem_free() and mem_free_strings() */

_Noreturn void xalloc_fail(void); /* ends the process as if out of memory */
void *xalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *ptr, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *string) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *bytes, size_t len) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *format, ...)
    __attribute__((format(printf, 1, 2), nonnull(1), returns_nonnull));
