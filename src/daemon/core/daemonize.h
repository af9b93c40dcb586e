/* SPDX-License-Identifier: ISC */
/*
 * Leaving the terminal: the program forks, and the parent waits until the child reports
 * that it is ready or why it failed.
 */
#pragma once

/*
 * Forks. Returns 0 in the child, which leads a new session in the root directory and has
 * closed all inherited descriptors but the standard streams and keep_fd (-1: none). The
 * parent never returns: it exits when the child calls daemonize_ready() or ends. Returns -1 with
 * errno if it cannot fork.
 */
int daemonize_enter(int keep_fd);

/*
 * Reports success: the parent exits with 0, and the standard streams become /dev/null.
 * Without daemonize_enter() it does nothing.
 */
void daemonize_ready(void);
