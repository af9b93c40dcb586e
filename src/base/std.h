/* SPDX-License-Identifier: ISC */
/* The headers of C and POSIX that most files need. Only this file of src includes them. */
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

#define UNUSED __attribute__((unused)) /* a parameter that a callback must have and does not use */
