/* SPDX-License-Identifier: ISC */
/*
 * Where the next command of execute_cli works, for connections of a pane to come, also to the next
 * daemon: the directory in which the last command ended, of programs of the pane that work in the
 * same directory of their own. A program that has gone elsewhere meanwhile begins there.
 */
#pragma once

#include "base/base.h"

struct pane_ref;
struct store;

/* pid: of the program that asks, 0: not known. False: no directory is known. */
bool pane_cwd_find(
    struct store *store, const struct pane_ref *pane, pid_t pid, char *out, size_t size);
/* Nothing without a pane. A path that is not UTF-8 is not kept, nor is the one before. */
void pane_cwd_keep(struct store *store, const struct pane_ref *pane, pid_t pid, const char *cwd);
