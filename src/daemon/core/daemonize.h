/* SPDX-License-Identifier: ISC */
/*
 * Leaving the terminal: the program forks, and its first process waits until the second
 * says that it is ready, or why it is not.
 */
#ifndef DAEMON_CORE_DAEMONIZE_H
#define DAEMON_CORE_DAEMONIZE_H

/*
 * Forks. In the child it returns 0: it leads a session of its own, in the root directory,
 * and has closed what it inherited but standard streams and keep_fd (-1: none). The
 * parent never returns: it exits as daemonize_ready() in the child says. Returns -1 with
 * errno if it cannot fork.
 */
int daemonize_enter(int keep_fd);

/*
 * Says that all is well: the parent exits with 0, and standard streams are no longer
 * the terminal's. Without daemonize_enter() it does nothing.
 */
void daemonize_ready(void);

#endif
