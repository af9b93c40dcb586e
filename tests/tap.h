/* SPDX-License-Identifier: ISC */
/*
 * The Test Anything Protocol: one line a check. A test's main() makes its checks and ends with
 * `return done_testing();`, which prints the plan. A failed check prints the actual and the
 * expected value, and the test continues.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TAP_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* Each returns true if it passed. */
bool ok(bool cond, const char *fmt, ...) TAP_PRINTF(2, 3);
bool is_int(long long got, long long want, const char *fmt, ...) TAP_PRINTF(3, 4);
bool is_str(const char *got, const char *want, const char *fmt, ...) TAP_PRINTF(3, 4);
bool is_mem(const void *got, size_t got_len, const void *want, size_t want_len, const char *fmt,
    ...) TAP_PRINTF(5, 6);

/* Prints a remark, which has no effect on the result. Several lines are allowed. */
void diag(const char *fmt, ...) TAP_PRINTF(1, 2);

/* Counts as neither passed nor failed. */
void skip(const char *reason);

/* Ends the program: the whole test cannot run here. Call it before any check. */
_Noreturn void skip_all(const char *reason);

/* Prints the plan; returns what main() is to return. */
int done_testing(void);
