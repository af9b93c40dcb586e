/* SPDX-License-Identifier: ISC */
/*
 * The processes of a job: the command's process group, and whatever else descends from the
 * supervisor, which as a subreaper inherits those whose parents have ended.
 */
#ifndef JOB_TREE_H
#define JOB_TREE_H

#include <stdbool.h>
#include <sys/types.h>

/* Sends a signal to every descendant of this process. Returns how many there were. */
unsigned tree_signal(int signal);

/* Whether this process has a child, ended or not. */
bool tree_has_children(void);

#endif
