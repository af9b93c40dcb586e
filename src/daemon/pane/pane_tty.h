/* SPDX-License-Identifier: ISC */
/*
 * The terminal of a pane: its modes as its program has set them, and its unread input. Unread input
 * is not submitted, whatever the screen shows; if the program never reads it, the shell behind the
 * program does.
 */
#pragma once

#include "base/base.h"

#define PANE_TTY_LINE_MAX 4095 /* longest line that the kernel keeps while it edits */

struct pane_tty {
	bool is_known; /* false: ignore the other members */
	bool is_cooked; /* the kernel edits lines (ICANON), and the program may not read at all */
	bool has_echo;
	bool has_signals; /* C-c and others send signals: left on by line editors, not by agents */
	bool is_first; /* the pane's first process is in front, so no shell is behind it */
	int unread; /* unread bytes; if is_cooked, of complete lines */
};

/* From /proc/PID/stat (proc(5)). */
struct tty_process {
	char state; /* T: stopped; Z or X: ended */
	pid_t parent, group;
	pid_t session; /* also names the terminal, which belongs to one session */
	int tty; /* device number, which containers use again; 0: no terminal */
	pid_t front; /* foreground process group of the terminal */
	uint64_t start; /* clock ticks since boot */
};

bool pane_tty_process(pid_t pid, struct tty_process *ret_process);

/* pid is that of the pane's first process. */
void pane_tty_read(const char *path, pid_t pid, struct pane_tty *ret_tty);

/* Returns false if the kernel edits lines and would drop the end of a line of the text. */
bool pane_tty_keeps(const struct pane_tty *tty, const char *text, size_t len);

/*
 * Writes the name of the program in front like tmux, but read now: the model may have the name of a
 * program that has replaced itself. Returns false if it cannot be read.
 */
bool pane_tty_front(pid_t pid, char *out, size_t size);

/* Returns the foreground group of a process's terminal, or 0. */
pid_t pane_tty_front_pid(pid_t pid);

/* Writes a name as #{pane_current_command} has it. Returns false if it cannot be read. */
bool pane_tty_program(pid_t pid, char *out, size_t size);
