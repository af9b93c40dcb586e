/* SPDX-License-Identifier: ISC */
/*
 * The terminal of muxbus top: raw, on its alternate screen, and restored however the program
 * ends. Signals arrive on a descriptor.
 */
#ifndef CLI_TOP_TERMINAL_H
#define CLI_TOP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Takes over the terminal of standard input and output. 0, or -1 with errno. */
int top_terminal_open(void);

/* Restores the terminal, if it was taken over. Safe in a signal handler. */
void top_terminal_close(void);

/* Restores the terminal, stops the program like C-z, and takes over again when it continues. */
void top_terminal_suspend(void);

/* Takes over again after the program was stopped and continued from outside. */
void top_terminal_resume(void);

void top_terminal_size(unsigned *ret_columns, unsigned *ret_rows);

/* A descriptor to poll; readable if a signal is pending. */
int top_terminal_signal_fd(void);

/* The next signal (SIGWINCH, SIGCONT, SIGTSTP, or one that ends the program); 0: none. */
int top_terminal_signal(void);

/* Writes all bytes at once. -1 if the terminal is gone. */
int top_terminal_write(const void *bytes, size_t len);

/* Restores the terminal, and ends the program by this signal. */
_Noreturn void top_terminal_die(int signal);

#endif
