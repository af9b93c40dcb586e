/* SPDX-License-Identifier: ISC */
/*
 * Where the next command of execute_cli starts, kept per pane, so that later connections and
 * daemons find it: the directory in which the last command ended. It counts only for programs of
 * the pane that have the same current directory as the program that called execute_cli last.
 */
#pragma once

#include "base/base.h"

struct pane_ref;
struct store;

/* pid is that of the program that asks; 0: not known. Returns false if no directory is known. */
bool pane_cwd_find(
    struct store *store, const struct pane_ref *pane, pid_t pid, char *out, size_t size);
/* Keeps cwd for a pane, if there is one. A cwd that is not UTF-8 removes the kept one. */
void pane_cwd_keep(struct store *store, const struct pane_ref *pane, pid_t pid, const char *cwd);
