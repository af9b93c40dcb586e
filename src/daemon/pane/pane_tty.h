/* SPDX-License-Identifier: ISC */
/*
 * The terminal of a pane: its modes as the program has set them, its unread input, and the program
 * in front of it. An unread text is not submitted, whatever the screen shows. If the program does
 * not read it, the shell behind the program will.
 */
#pragma once

#include "base/base.h"

/* maximum bytes of a line that the kernel keeps while it edits lines */
#define PANE_TTY_LINE_MAX 4095

struct pane_tty {
	bool is_known; /* false: ignore the other members */
	bool is_cooked; /* the kernel edits lines (ICANON); then the program may not read at all */
	bool has_echo;
	/* keys such as C-c send signals; line editors leave this on, agents usually turn it off */
	bool has_signals;
	bool is_first; /* the pane's first process is in front, so there is no shell behind it */
	int unread; /* number of unread bytes; if is_cooked, only those of complete lines */
};

/* A process and its terminal, from /proc/PID/stat (proc(5)). */
struct tty_process {
	char state; /* T or t: stopped; Z or X: ended */
	pid_t parent, group;
	/* session; also identifies the terminal, which belongs to one session */
	pid_t session;
	/* device number of the terminal; 0: none. Two containers may use the same number */
	int tty;
	pid_t front; /* foreground process group of the terminal */
	uint64_t start; /* clock ticks since boot */
};

/* Reads a process. Returns false if this fails. */
bool pane_tty_process(pid_t pid, struct tty_process *ret_process);

/* Reads the terminal at path. pid: the pane's first process. */
void pane_tty_read(const char *path, pid_t pid, struct pane_tty *ret_tty);

/* Returns false if the kernel edits lines and would cut a line of the text. */
bool pane_tty_keeps(const struct pane_tty *tty, const char *text, size_t len);

/*
 * Writes the present name of the program in front, as tmux does. The model may have the name of a
 * program that has replaced itself. Returns false if the name is unknown or too long.
 */
bool pane_tty_front(pid_t pid, char *out, size_t size);

/* Returns the foreground group of a process's terminal, or 0. */
pid_t pane_tty_front_pid(pid_t pid);

/* Writes the name of a process as in #{pane_current_command}; false if unknown or too long. */
bool pane_tty_program(pid_t pid, char *out, size_t size);
