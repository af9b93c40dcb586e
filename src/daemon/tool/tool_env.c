/* SPDX-License-Identifier: ISC */
/* The variables of declared tools. */
#include "daemon/tool/tool_env.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <muxbus.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "daemon/core/config.h"
#include "daemon/core/pane_ref.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tool/declaration.h"

#define VARIABLES 8

/* TMUX as tmux sets it in the pane: its socket, its process and the session; NULL: not known. */
static char *make_tmux(
    const struct config *config, const struct tmux *tmux, const struct pane_ref *pane)
{
	const struct muxbus_model *model = tmux_model(tmux);
	const struct muxbus_pane *found = muxbus_model_pane(model, pane->pane);
	const struct muxbus_link *link = NULL;
	if (found == NULL)
		return NULL;
	while (
	    (link = muxbus_model_next_link(model, link)) != NULL && link->window != found->window)
		continue;
	if (link == NULL)
		return NULL;
	return xasprintf(
	    "TMUX=%s,%ld,%" PRIu32, config->tmux_socket, (long)pane->server_pid, link->session);
}

/* Makes the private folder of a group. */
static char *make_state(const struct config *config, const char *group)
{
	char path[PATH_MAX + DECLARATION_NAME_MAX + 16];
	(void)snprintf(path, sizeof path, "%s/tools", config->state_dir);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		log_warning("%s: %s", path, strerror(errno));
	(void)snprintf(path, sizeof path, "%s/tools/%s", config->state_dir, group);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		log_warning("%s: %s", path, strerror(errno));
	return xasprintf("MUXBUS_TOOL_STATE=%s", path);
}

char **tool_env_new(const struct config *config, const struct tmux *tmux,
    const struct declaration *declaration, const struct pane_ref *pane, size_t shown_bytes,
    const char *spelled)
{
	bool has_pane = pane->pane != MUXBUS_NO_ID;
	char *place = has_pane ? make_tmux(config, tmux, pane) : NULL;
	char **env = xcalloc(VARIABLES + 1, sizeof *env);
	size_t at = 0;
	env[at++] = xasprintf("MUXBUS=%s", config->socket);
	env[at++] = xasprintf("MUXBUS_TOOL=%s", declaration->name);
	env[at++] = make_state(config, declaration->group);
	env[at++] = shown_bytes > 0 ? xasprintf("MUXBUS_SHOWN_BYTES=%zu", shown_bytes)
				    : xstrdup("MUXBUS_SHOWN_BYTES");
	env[at++] = xasprintf("MUXBUS_SPELLED=%s", spelled);
	env[at++] = place != NULL ? place : xstrdup("TMUX");
	env[at++] =
	    has_pane ? xasprintf("MUXBUS_PANE=%%%" PRIu32, pane->pane) : xstrdup("MUXBUS_PANE");
	env[at++] = has_pane ? xasprintf("TMUX_PANE=%%%" PRIu32, pane->pane) : xstrdup("TMUX_PANE");
	return env;
}

void tool_env_free(char **env)
{
	for (size_t at = 0; env != NULL && env[at] != NULL; at++)
		mem_free(env[at]);
	mem_free(env);
}
