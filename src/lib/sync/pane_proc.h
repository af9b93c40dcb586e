/* SPDX-License-Identifier: ISC */
/*
 * The foreground command and directory of a pane, read from /proc exactly as the tmux server
 * reads them, so that tmux need not be asked. All supported versions of tmux (3.2 to 3.8) do the
 * same on Linux:
 *
 * - the process is the leader of the terminal's foreground process group;
 * - the command is its first argument, made a name: cut at a quote and at a blank, without leading
 *   "exec ", blanks and '-', without trailing control characters and non-ASCII bytes, and
 *   without directories if it begins with '/'; "-bash" is "bash", "./a" stays "./a";
 * - without a first argument (the leader has exited, as in `true | cat`, is a zombie, has erased
 *   its arguments) tmux uses the pane's start command, else its shell: PANE_PROC_START;
 * - the directory is the leader's, else the session leader's, else empty. A process of another
 *   user (su, sudo) hides its directory from tmux and from this code alike. The directory has
 *   "(deleted)" appended if it was removed, and may hold any bytes.
 *
 * tmux >= 3.7 encodes a name with control characters or '\', and empties a name of invalid UTF-8;
 * older versions keep the bytes. Such names, and names with characters outside ASCII, are not
 * known here. Nor is anything of a dead pane, whose process is gone: tmux gives an empty
 * directory and the start command. The process itself is checked at each read: a child of
 * the server that leads a session on the pane's terminal.
 *
 * A read can wait for the memory of a process that the kernel holds, just as tmux would.
 */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/* Which fields pane_proc_read() found; tmux must be asked for the others. */
enum pane_proc_known {
	PANE_PROC_COMMAND = 1 << 0,
	PANE_PROC_PATH = 1 << 1,
	/*
	 * In place of PANE_PROC_COMMAND: tmux names the start command or shell, which do not change
	 * until the pane is respawned. A caller may keep tmux's answer for this process, if
	 * reads before and after the question both gave PANE_PROC_START with the same group.
	 */
	PANE_PROC_START = 1 << 2,
};

/* The processes as the server sees them. */
struct pane_proc {
	int root; /* the directory /proc; -1: closed, and no field is known */
	pid_t server;
};

/* Neither text is ever cut: the kernel's paths and the accepted names are shorter. */
struct pane_foreground {
	pid_t group; /* 0 or less: none */
	char command[MUXBUS_NAME_MAX];
	char path[MUXBUS_NAME_MAX];
};

/*
 * Opens root ("/proc") for the panes of the server with that pid, which the kernel gives for its
 * socket (SO_PEERCRED). False, and closed, if the server sees other processes, files or rights
 * than this process: another namespace, root directory, user or set of capabilities.
 */
bool pane_proc_open(struct pane_proc *proc, const char *root, pid_t server);
void pane_proc_close(struct pane_proc *proc);

/*
 * Reads the foreground of the pane with that process and terminal. Returns the enum
 * pane_proc_known bits; the other fields are empty. Takes 7 system calls, about 7 us, no descriptor
 * beyond the call, and no memory.
 */
unsigned pane_proc_read(const struct pane_proc *proc, pid_t pid, const char *tty,
    struct pane_foreground *ret_foreground);
