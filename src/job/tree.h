/* SPDX-License-Identifier: ISC */
/*
 * The processes of a job or server: the command's process group and all other descendants of the
 * supervisor, which is a subreaper and so inherits orphans.
 */
#pragma once

/* Sends a signal to every descendant of this process. Returns how many there were. */
unsigned tree_signal(int signal);

/* Kills every descendant of this process, and reaps those it can. */
void tree_kill(void);
