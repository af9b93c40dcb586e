/* SPDX-License-Identifier: ISC */
/*
 * The terminal that muxbus top has to itself: raw, on its alternate screen, and given back as
 * it was however the program ends. Signals come as bytes on a descriptor.
 */
#ifndef CLI_TOP_TERMINAL_H
#define CLI_TOP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the terminal of standard input and output. 0, or -1 with errno. */
int top_terminal_open(void);

/* Gives it back; nothing happens if it is not taken. Safe in a signal handler. */
void top_terminal_close(void);

/* Gives it back, stops the program as C-z does, and takes it again when it goes on. */
void top_terminal_suspend(void);

/* Takes it anew after somebody stopped the program and let it go on. */
void top_terminal_resume(void);

void top_terminal_size(unsigned *ret_columns, unsigned *ret_rows);

/* To poll; a signal is there when it is readable. */
int top_terminal_signal_fd(void);

/* The next signal (SIGWINCH, SIGCONT, SIGTSTP, or one that ends the program); 0: none. */
int top_terminal_signal(void);

/* Writes all of it, at once. -1 if the terminal is gone. */
int top_terminal_write(const void *bytes, size_t len);

/* Gives it back, and ends the program by this signal. */
_Noreturn void top_terminal_die(int signal);

#endif
