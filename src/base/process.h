/* SPDX-License-Identifier: ISC */
/* Who a process is: a number is used again, a number and a start time are not. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* When a process started, in clock ticks since boot; 0 if there is none. */
uint64_t process_start_ticks(pid_t pid);

/* A pidfd of the process that started then, or -1: it is another one, or gone. */
int process_open(pid_t pid, uint64_t start_ticks);

#endif
