/* SPDX-License-Identifier: ISC */
/* The session environment: variables that tmux gives to new panes of a session; also for jobs. */
#pragma once

#include "base/base.h"

/* maximum bytes; further variables are left out */
#define SESSION_ENV_BYTES_MAX ((size_t)256 * 1024)

struct pane_ref;
struct request;
struct tmux;

/*
 * Sets *ret_env to the environment for a job of a pane, as changes to the daemon's environment:
 * "NAME=value" sets a variable, "NAME" removes one. Global variables of tmux are left out if the
 * daemon has them, if they hold secrets, or if they belong to an agent or to the terminal from
 * which tmux was started. The list is empty if tmux cannot be asked. The strings are valid until
 * the request ends. Returns false if the request is put off: its handler must return without
 * touching the request, and is called again later.
 */
bool session_env(struct request *request, const struct pane_ref *pane, const char *const **ret_env);

/*
 * Asks tmux for the environment, and calls done once, perhaps before this function returns. done
 * must free the strings and the list. tmux may be NULL.
 */
void session_env_ask(struct tmux *tmux, const struct pane_ref *pane,
    void (*done)(void *data, char **env), void *data);
