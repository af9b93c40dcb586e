/* SPDX-License-Identifier: ISC */
/*
 * The headers of C and POSIX that nearly every file needs. A header includes this one, or one that
 * does; so no other file names them.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* Marks a parameter that a function must have for its callers, and does not use. */
#define UNUSED __attribute__((unused))
