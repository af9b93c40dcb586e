/* SPDX-License-Identifier: ISC */
/* The session environment: variables that tmux gives to a session's panes; jobs get them too. */
#pragma once

#include "base/base.h"

/* maximum bytes; further variables are left out */
#define SESSION_ENV_BYTES_MAX ((size_t)256 * 1024)

struct pane_ref;
struct request;
struct tmux;

/*
 * Sets *ret_env to the environment for a job of a pane, as changes to that of the daemon:
 * "NAME=value" sets a variable, "NAME" removes it. A global variable of tmux counts only if the
 * daemon lacks it, and it is no secret and not an agent's. The strings are valid until the request
 * ends. Returns false if the handler will be called again; it must then return without touching the
 * request.
 */
bool session_env(struct request *request, const struct pane_ref *pane, const char *const **ret_env);

/*
 * Asks tmux, and calls done once, perhaps before this function returns; done frees the strings and
 * the list. tmux may be NULL.
 */
void session_env_ask(struct tmux *tmux, const struct pane_ref *pane,
    void (*done)(void *data, char **env), void *data);
