/* SPDX-License-Identifier: ISC */
/* Session environment: the variables that tmux gives to new panes of a session, for jobs too. */
#pragma once

#include "base/base.h"

#define SESSION_ENV_BYTES_MAX ((size_t)256 * 1024) /* later variables are left out */

struct pane_ref;
struct request;
struct tmux;

/*
 * Sets *ret_env to the environment for a job of a pane, as changes to that of the daemon:
 * "NAME=value" sets a variable, "NAME" removes it. A global variable of tmux counts only if the
 * daemon lacks it, and it is no secret and not an agent's. The strings are lent until the request
 * ends. Returns false if the handler will be called again, and must leave the request alone.
 */
bool session_env(struct request *request, const struct pane_ref *pane, const char *const **ret_env);

/* Calls done once, perhaps at once; done frees the strings and the list. tmux may be NULL. */
void session_env_ask(struct tmux *tmux, const struct pane_ref *pane,
    void (*done)(void *data, char **env), void *data);
