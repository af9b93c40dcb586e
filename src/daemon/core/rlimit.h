/* SPDX-License-Identifier: ISC */
/*
 * How many descriptors this process may have: as many as the system lets it, while what it
 * starts gets what it was given itself.
 */
#ifndef DAEMON_CORE_RLIMIT_H
#define DAEMON_CORE_RLIMIT_H

/* Raises the soft limit to the hard one. */
void rlimit_raise_files(void);

/* As it was at first, for what is started now; then rlimit_raise_files() again. */
void files_limit_restore(void);

#endif
