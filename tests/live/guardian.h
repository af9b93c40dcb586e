/* SPDX-License-Identifier: ISC */
/* A process that outlives the test by a moment, and cleans up after it. */
#pragma once

#include <sys/types.h>

/* Once; also ends the test in good order at SIGTERM, SIGINT and SIGALRM. */
void guardian_start(void);

/* Register an object: a process to kill, a directory to remove. */
void guardian_process(pid_t pid);
void guardian_directory(const char *path);
