/* SPDX-License-Identifier: ISC */
/*
 * The terminal of a pane as its program has set it, and what it has not read yet. Input that
 * is not read is not submitted, whatever the screen shows; and the shell behind a program
 * reads what the program never reads.
 */
#pragma once

#include "base/base.h"

#define PANE_TTY_LINE_MAX 4095 /* bytes that the kernel keeps of a line that it edits */

struct pane_tty {
	bool is_known; /* false: it cannot be asked, and nothing else counts */
	bool is_cooked; /* the kernel edits lines: the program may not be reading at all */
	bool has_echo;
	bool has_signals; /* C-c and the like: line editors leave them on, agents do not */
	bool is_first; /* the pane's first process is in front: no shell behind it */
	int unread; /* bytes, when cooked: of whole lines */
};

/* A process and its terminal, as the kernel has them (proc(5)). */
struct tty_process {
	char state; /* T: stopped; Z or X: ended */
	pid_t parent;
	pid_t group;
	int tty; /* its number; 0: none */
	pid_t front; /* the group in front of that terminal */
	uint64_t start; /* clock ticks since boot */
};

/* False if the process has gone. */
bool pane_tty_process(pid_t pid, struct tty_process *ret_process);

/* path is the terminal's, pid that of the pane's first process. */
void pane_tty_read(const char *path, pid_t pid, struct pane_tty *ret_tty);

/* Whether no line of a text is longer than the terminal keeps: the rest would be lost in silence. */
bool pane_tty_keeps(const struct pane_tty *tty, const char *text, size_t len);

/*
 * The name of the program in front as tmux forms it, read just now: the model's may be that
 * of a program which has replaced itself since. False if it cannot be read.
 */
bool pane_tty_front(pid_t pid, char *out, size_t size);

/* The leader of the group in front of the terminal that a process has; 0 if it cannot be read. */
pid_t pane_tty_front_pid(pid_t pid);

/* The name of a process, formed in the same way. */
bool pane_tty_program(pid_t pid, char *out, size_t size);
