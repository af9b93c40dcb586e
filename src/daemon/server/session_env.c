/* SPDX-License-Identifier: ISC */
#include "daemon/server/session_env.h"

#include "base/secret.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/request.h"
#include "daemon/server/requester.h"
#include "daemon/tmux/tmux.h"
#include "daemon/tmux/tmux_command.h"

/* Global variables from the terminal and shell in which tmux was started; not for jobs. */
static const char *const of_its_start[] = {
    "COLUMNS", "LINES", "OLDPWD", "PWD", "SHLVL", "TERM", "TMUX", "TMUX_PANE", "_", NULL};

static bool is_wanted(const char *variable)
{
	size_t len = strcspn(variable, "=");
	char *name = xmemdup(variable, len);
	bool is_there = getenv(name) != NULL || str_is_in(name, of_its_start);
	mem_free(name);
	return !is_there && variable[len] == '=' && !secret_is_variable(variable) &&
	    !secret_is_agents(variable);
}

static void add(char ***env, size_t *bytes, char *variable, bool is_global)
{
	size_t count = 0, len = strlen(variable) + 1;
	if ((is_global && !is_wanted(variable)) || *bytes + len > SESSION_ENV_BYTES_MAX) {
		mem_free(variable);
		return;
	}
	while ((*env)[count] != NULL)
		count++;
	*env = xrealloc(*env, (count + 2) * sizeof **env);
	(*env)[count] = variable;
	(*env)[count + 1] = NULL;
	*bytes += len;
}

/* Reads a quoted value, and moves *at behind the closing quote. The caller frees the value. */
static char *read_value(const char **at)
{
	char *value = xalloc(strlen(*at) + 1);
	size_t len = 0;
	for (; **at != '\0' && **at != '"'; ++*at) {
		bool is_escaped = **at == '\\' && (*at)[1] != '\0';
		*at += is_escaped;
		/* tmux 3.4 writes one backslash too many before a $. */
		len -= !is_escaped && **at == '$' && len > 0 && value[len - 1] == '\\';
		value[len++] = **at;
	}
	value[len] = '\0';
	*at += **at == '"';
	return value;
}

/* Reads output of `show-environment -s`. A line is NAME="value"; export NAME; or unset NAME; */
static void read_listing(char ***env, size_t *bytes, const char *text, bool is_global)
{
	static const char unset[] = "unset ";
	for (const char *at = text; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
		size_t len = strcspn(at, "=;\n\"");
		char *name, *value;
		if (strncmp(at, unset, strlen(unset)) == 0 && at[len] == ';') {
			add(env, bytes, xmemdup(at + strlen(unset), len - strlen(unset)),
			    is_global);
			continue;
		}
		if (len == 0 || at[len] != '=' || at[len + 1] != '"')
			continue;
		name = xmemdup(at, len);
		at += len + 2;
		value = read_value(&at);
		add(env, bytes, xasprintf("%s=%s", name, value), is_global);
		mem_free(name);
		mem_free(value);
	}
}

/* A question to tmux for the environment of a pane. */
struct look {
	struct list link;
	struct tmux *tmux;
	struct pane_ref pane;
	/* tmux was asked. A later request may follow a change, and so needs the next look. */
	bool has_begun;
	struct list askers;
};

struct asker {
	struct list link;
	void (*done)(void *data, char **env);
	void *data;
};

/* The open looks. A pane has at most one look that has begun, and one that waits for its end. */
static struct list looks = {&looks, &looks};

static struct look *find_look(const struct tmux *tmux, const struct pane_ref *pane, bool has_begun)
{
	list_each (struct look, look, &looks, link)
		if (look->tmux == tmux && look->has_begun == has_begun &&
		    pane_ref_same_pane(&look->pane, pane))
			return look;
	return NULL;
}

static void look_end(struct look *look, char **env)
{
	while (!list_is_empty(&look->askers)) {
		struct asker *asker = list_entry(look->askers.next, struct asker, link);
		size_t count = 0;
		char **copy;
		list_remove(&asker->link);
		while (env[count] != NULL)
			count++;
		copy = xcalloc(count + 1, sizeof *copy);
		for (size_t at = 0; at < count; at++)
			copy[at] = xstrdup(env[at]);
		asker->done(asker->data, copy);
		mem_free(asker);
	}
	mem_free_strings(env);
	mem_free(look);
}

static void look_begin(struct look *look);

static void on_reply(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct look *look = data, *next;
	char **env = xcalloc(1, sizeof *env);
	size_t bytes = 0;
	if (error < 0)
		log_info("a job has no environment of tmux: %s", muxbus_strerror(error));
	for (size_t i = 0; i < count; i++) {
		char *text = replies[i].error == 0 ? xmemdup(replies[i].body, replies[i].body_len)
						   : xstrdup("");
		read_listing(&env, &bytes, text, i == 0);
		mem_free(text);
	}
	list_remove(&look->link);
	next = find_look(look->tmux, &look->pane, false);
	if (next != NULL && error < 0)
		on_reply(next, error, NULL, 0);
	else if (next != NULL)
		look_begin(next);
	look_end(look, env);
}

static void look_begin(struct look *look)
{
	const struct pane_ref *pane = &look->pane;
	struct muxbus_command *command = tmux_command("show-environment", "-gs", NULL);
	int error;
	look->has_begun = true;
	if (pane->pane != MUXBUS_NO_ID) {
		muxbus_command_next(command);
		muxbus_command_args(
		    command, "show-environment", "-s", "-t", TMUX_ID('%', pane->pane), NULL);
	}
	error = muxbus_sync_run(tmux_sync(look->tmux), command, false, on_reply, look);
	if (error < 0)
		on_reply(look, error, NULL, 0);
}

void session_env_ask(struct tmux *tmux, const struct pane_ref *pane,
    void (*done)(void *data, char **env), void *data)
{
	struct look *look;
	struct asker *asker;
	if (tmux == NULL || !tmux_is_live(tmux)) {
		done(data, xcalloc(1, sizeof(char *)));
		return;
	}
	asker = xcalloc(1, sizeof *asker);
	asker->done = done;
	asker->data = data;
	look = find_look(tmux, pane, false);
	if (look == NULL) {
		look = xcalloc(1, sizeof *look);
		look->tmux = tmux;
		look->pane = *pane;
		list_init(&look->askers);
		list_append(&looks, &look->link);
	}
	list_append(&look->askers, &asker->link);
	if (find_look(tmux, pane, true) == NULL)
		look_begin(look);
}

struct wanting {
	struct request *request;
	struct pane_ref pane;
	dispatch_done_fn *done;
	void *data;
};

static void on_found(void *data, char **env)
{
	struct wanting *wanting = data;
	*request_session_env(wanting->request) = env;
	wanting->done(wanting->data, 0);
	mem_free(wanting);
}

static void begin(void *context, dispatch_done_fn *done, void *data)
{
	struct wanting *wanting = context;
	wanting->done = done;
	wanting->data = data;
	session_env_ask(request_daemon(wanting->request)->tmux, &wanting->pane, on_found, wanting);
}

bool session_env(struct request *request, const struct pane_ref *pane, const char *const **ret_env)
{
	static const char *const none[] = {NULL};
	struct tmux *tmux = request_daemon(request)->tmux;
	char **env = *request_session_env(request);
	struct wanting *wanting;
	*ret_env = env != NULL ? (const char *const *)env : none;
	if (env != NULL || tmux == NULL || !tmux_is_live(tmux))
		return true;
	/* A peer without a known pane may be in a pane that is newer than the model. */
	if (pane->pane == MUXBUS_NO_ID && !requester_is_outside(request) &&
	    dispatch_put_off(request))
		return false;
	wanting = xalloc(sizeof *wanting);
	*wanting = (struct wanting){.request = request, .pane = *pane};
	if (dispatch_put_off_until(request, begin, wanting))
		return false;
	mem_free(wanting);
	return true;
}
