/* SPDX-License-Identifier: ISC */
/* The messages of libmuxbus, in the log of the daemon. */
#ifndef DAEMON_CORE_LIBRARY_LOG_H
#define DAEMON_CORE_LIBRARY_LOG_H

/* From now on. */
void library_log_take(void);

#endif
