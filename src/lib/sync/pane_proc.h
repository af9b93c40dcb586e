/* SPDX-License-Identifier: ISC */
/*
 * Reads the foreground command and directory of a pane from /proc exactly as the tmux server does,
 * so that tmux need not be asked. All supported versions of tmux (3.3 to 3.8) do the same on Linux:
 *
 * - the process is the leader of the terminal's foreground process group;
 * - the command is its first argument, made into a name: cut at a quote and at a blank, without
 * leading "exec ", blanks and '-', without trailing control characters and non-ASCII bytes, and
 * without directories if it begins with '/'; "-bash" is "bash", "./a" stays "./a";
 * - without a first argument (the leader has exited, as in `true | cat`, is a zombie, has erased
 * its arguments) tmux uses the pane's start command, else its shell: PANE_PROC_START;
 * - the directory is the leader's, else the session leader's, else empty. A process of another user
 * (su, sudo) hides its directory from tmux and from this code alike. The directory has "(deleted)"
 * appended if it was removed, and may contain any bytes.
 *
 * tmux 3.7 and later encodes a name with control characters or '\', and empties a name of invalid
 * UTF-8; older versions keep the bytes. This code does not read such names, or names with
 * characters outside of ASCII, or dead panes, which have no process (tmux shows an empty directory
 * and the start command). Each read checks that the process is a child of the server and leads a
 * session on the pane's terminal.
 *
 * Like tmux itself, a read may wait for the memory of a process that the kernel holds.
 */
#pragma once

#include <muxbus.h>

#include "base/base.h"

/* The fields that pane_proc_read() has read. The caller must ask tmux for the others. */
enum pane_proc_known {
	PANE_PROC_COMMAND = 1 << 0,
	PANE_PROC_PATH = 1 << 1,
	/*
	 * Instead of PANE_PROC_COMMAND: tmux shows the start command or shell. The caller may keep
	 * tmux's answer if reads before and after have this bit and the same group.
	 */
	PANE_PROC_START = 1 << 2,
};

struct pane_proc {
	int root; /* descriptor of /proc; -1: closed, so that no field can be read */
	pid_t server;
};

/* Texts are not cut, because kernel paths and accepted names are shorter. */
struct pane_foreground {
	pid_t group;
	char command[MUXBUS_NAME_MAX];
	char path[MUXBUS_NAME_MAX];
};

/*
 * Opens root ("/proc") for the server's pid. Returns false if that fails, or if the server may see
 * other processes or files: another namespace, root directory, user or set of capabilities.
 */
bool pane_proc_open(struct pane_proc *proc, const char *root, pid_t server);
void pane_proc_close(struct pane_proc *proc);

/*
 * Reads the foreground of the pane whose first process is pid, on the terminal tty. Returns the
 * fields that were read, a set of enum pane_proc_known; others are empty. Takes about 7 us.
 */
unsigned pane_proc_read(const struct pane_proc *proc, pid_t pid, const char *tty,
    struct pane_foreground *ret_foreground);
