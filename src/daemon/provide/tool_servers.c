/* SPDX-License-Identifier: ISC */
#include "daemon/provide/tool_servers.h"

#include "base/hash.h"
#include "base/process.h"
#include "daemon/provide/provide_exchange.h"
#include "daemon/provide/provide_program.h"
#include "daemon/tmux/tmux.h"
#include "wire/address.h"

enum {
	/* time until muxbus-tools must call provide; it gives up earlier, with a reason */
	WAIT_MS = 30000,
	REASON_SIZE = 1024,
	ERR_MAX = 64 * 1024, /* bytes of standard error that are kept */
	IDLE_MS = 600000,
	OWN_WORDS = 3, /* number of words for muxbus-tools, before those of the server's command */
};

static bool is_same(const char *const *one, const char *const *other)
{
	if (one == NULL)
		return false;
	for (; *one != NULL && *other != NULL && strcmp(*one, *other) == 0; one++)
		other++;
	return *one == NULL && *other == NULL;
}

/* Returns a hash of a command. It has no random key, so that each daemon computes the same hash. */
static uint64_t hash_command(const char *const *words)
{
	uint64_t hash = 0;
	for (; *words != NULL; words++)
		hash = hash_with_key(&(struct hash_key){{hash, 0}}, *words, strlen(*words) + 1);
	return hash;
}

/* Finds the pane whose calls the server serves; cleared: it serves all panes. */
static void find_owner(
    const struct declaration *declaration, const struct pane_ref *pane, struct pane_ref *ret_owner)
{
	pane_ref_clear(ret_owner);
	if (!declaration->server.is_per_daemon)
		*ret_owner = *pane;
}

static struct provider *find(const struct provide_set *set, const struct declaration *declaration,
    const struct pane_ref *pane)
{
	struct pane_ref owner;
	find_owner(declaration, pane, &owner);
	list_each (struct provider, provider, &set->providers, link)
		if (provider->server != NULL &&
		    strcmp(provider->server->name, declaration->server.name) == 0 &&
		    pane_ref_same_pane(&provider->server->pane, &owner))
			return provider;
	return NULL;
}

bool tool_servers_need_start(const struct provide_set *set, const struct declaration *declaration,
    const struct pane_ref *pane)
{
	const struct provider *provider = find(set, declaration, pane);
	return provider == NULL || !provide_program_runs(provider->program) ||
	    !is_same(provider->server->command, declaration->server.command);
}

/* Makes room for one more server, by removing ones that are off. Returns false if there is none. */
static bool has_room(struct provide_set *set)
{
	size_t count = 0;
	list_each (struct provider, provider, &set->providers, link)
		count += provider->server != NULL;
	list_each_safe (struct provider, provider, &set->providers, link) {
		if (count < TOOL_SERVERS_MAX)
			break;
		if (provider->server == NULL ||
		    strcmp(provide_program_state(provider->program), "off") != 0 ||
		    provide_calls_open(&set->calls, provider) > 0)
			continue;
		provider_free(provider);
		count--;
	}
	return count < TOOL_SERVERS_MAX;
}

/* Names the job, so that the next daemon knows which server it is. */
static void name_job(struct provider *provider)
{
	const struct tool_server *server = provider->server;
	char pane[PANE_REF_TEXT_SIZE] = "";
	if (server->pane.pane != MUXBUS_NO_ID)
		pane_ref_format(&server->pane, pane);
	(void)snprintf(provider->job_name, sizeof provider->job_name,
	    JOB_PROVIDER_PREFIX "%.64s@%s#%016" PRIx64, server->name, pane,
	    hash_command(server->command));
}

static const struct job *start(void *data, char *ret_reason, size_t size)
{
	struct provider *provider = data;
	struct tool_server *server = provider->server;
	const struct daemon *parts = provider->set->parts;
	const char *argv[OWN_WORDS + DECLARATION_WORDS_MAX + 1] = {NULL};
	char tools[PATH_MAX], bytes[32];
	sibling_find("muxbus-tools", tools, sizeof tools);
	(void)snprintf(bytes, sizeof bytes, "%zu", (size_t)parts->config->limits.result_bytes);
	argv[0] = tools;
	argv[1] = bytes;
	argv[2] = server->name;
	argv[OWN_WORDS] = server->program;
	for (size_t at = 1; at < DECLARATION_WORDS_MAX && server->command[at] != NULL; at++)
		argv[OWN_WORDS + at] = server->command[at];
	tool_server_list_finish(&server->list);
	server->is_stale = server->is_leaving = false;
	name_job(provider);
	return job_start(parts->jobs,
	    &(struct job_order){.command = provider->title,
		.argv = argv,
		.session_env = server->session_env,
		.env = server->env,
		.cwd = server->cwd,
		.name = provider->job_name,
		.out_max = ERR_MAX,
		.has_err = true,
		.is_silent = true,
		.is_program = true},
	    ret_reason, size);
}

/* Writes why a server has ended: a signal, the last line on standard error, or its status. */
static void explain(void *data, const struct job *job, char *ret_reason, size_t size)
{
	const struct provider *provider = data;
	int64_t from, end = 0;
	struct buf text = BUF(ERR_MAX);
	char *line;
	(void)job_read(
	    provider->set->parts->jobs, job, JOB_FILE_ERR, 0, ERR_MAX, &text, &from, &end);
	while (text.len > 0 && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	line = text.len > 0 ? strrchr((char *)text.data, '\n') : NULL;
	if (job->status.signal > 0)
		(void)snprintf(ret_reason, size, "has lost its muxbus-tools: signal %d (%s)",
		    job->status.signal, strsignal(job->status.signal));
	else if (text.len > 0)
		(void)snprintf(ret_reason, size, "%s", line != NULL ? line + 1 : (char *)text.data);
	else
		(void)snprintf(ret_reason, size, "has lost its muxbus-tools: exit status %d",
		    job->status.exit_code);
	buf_finish(&text);
}

/* Adds a server. job_name: that of its running job; NULL: none runs. */
static struct provider *add(
    struct provide_set *set, const char *name, const struct pane_ref *pane, const char *job_name)
{
	struct provider *provider = provider_new(set);
	provider->server = xcalloc(1, sizeof *provider->server);
	provider->server->name = xstrdup(name);
	provider->server->pane = *pane;
	(void)snprintf(provider->name, sizeof provider->name, "%.64s", provider->server->name);
	(void)snprintf(
	    provider->job_name, sizeof provider->job_name, "%s", job_name != NULL ? job_name : "");
	(void)snprintf(provider->title, sizeof provider->title, "the server \"%.64s\"",
	    provider->server->name);
	provider->program = provide_program_new(&(struct provide_program_parts){
	    .base = set->parts->base,
	    .jobs = set->parts->jobs,
	    .title = provider->title,
	    .job_name = job_name != NULL ? provider->job_name : NULL,
	    .idle_ms = IDLE_MS, /* until a call sets another time */
	    .wait_ms = WAIT_MS,
	    .start = start,
	    .explain = explain,
	    .failed = provide_exchange_program_failed,
	    .data = provider,
	});
	return provider;
}

void tool_servers_take_up(struct provide_set *set)
{
	next_each (const struct job, job, job_next, set->parts->jobs) {
		char name[DECLARATION_NAME_MAX + 1], text[PANE_REF_TEXT_SIZE] = "";
		struct pane_ref pane;
		uint64_t hash;
		pane_ref_clear(&pane);
		if (job->state != JOB_RUNNING || !job->is_program || job->name == NULL ||
		    (sscanf(job->name, JOB_PROVIDER_PREFIX "%64[^@]@%79[^#]#%" SCNx64, name, text,
			 &hash) != 3 &&
			sscanf(job->name, JOB_PROVIDER_PREFIX "%64[^@]@#%" SCNx64, name, &hash) !=
			    2) ||
		    (text[0] != '\0' && !pane_ref_parse(text, &pane)))
			continue;
		add(set, name, &pane, job->name)->server->taken = hash;
	}
}

static void keep_start(struct tool_server *server, const struct declaration *declaration,
    const struct tool_server_start *given)
{
	const char *home = address_home();
	mem_free(server->program);
	mem_free(server->cwd);
	mem_free(server->session_env);
	mem_free(server->env);
	server->program = xstrdup(given->program);
	server->cwd = xstrdup(!declaration->server.is_per_daemon ? given->cwd
		: home != NULL                                   ? home
								 : "/");
	server->session_env = job_env_join(given->session_env, NULL, SIZE_MAX);
	server->env = job_env_join(given->env, NULL, SIZE_MAX);
}

struct provider *tool_servers_get(struct provide_set *set, const struct declaration *declaration,
    const struct pane_ref *pane, const struct tool_server_start *given)
{
	struct provider *provider = find(set, declaration, pane);
	struct tool_server *server;
	if (provider == NULL && !has_room(set))
		return NULL;
	if (provider == NULL) {
		struct pane_ref owner;
		find_owner(declaration, pane, &owner);
		provider = add(set, declaration->server.name, &owner, NULL);
	}
	server = provider->server;
	provide_program_set_idle(provider->program, declaration->server.idle_ms);
	if (!is_same(server->command, declaration->server.command)) {
		bool goes_on = server->command == NULL &&
		    server->taken == hash_command(declaration->server.command);
		mem_free(server->command);
		server->command = job_env_join(declaration->server.command, NULL, SIZE_MAX);
		server->is_stale = !goes_on && provide_program_runs(provider->program);
	}
	if (given != NULL)
		keep_start(server, declaration, given);
	return provider;
}

void tool_servers_check_panes(struct provide_set *set, struct tmux *tmux)
{
	list_each_safe (struct provider, provider, &set->providers, link) {
		if (provider->server == NULL || provider->server->pane.pane == MUXBUS_NO_ID ||
		    pane_fate(tmux, &provider->server->pane) != PANE_GONE)
			continue;
		provide_exchange_fail(provider, false, true, "was ended: its pane is closed");
		provider_free(provider);
	}
}

/* The processes of a server. The first two of the tree are our own, and are not measured. */
struct measure {
	size_t count;
	pid_t first;
	int64_t bytes;
};

static void measure_one(void *data, pid_t pid)
{
	struct measure *measure = data;
	if (measure->count++ < 2)
		return;
	if (measure->first == 0)
		measure->first = pid;
	measure->bytes += process_memory(pid);
}

static void write_server(struct json_writer *writer, const struct provider *provider)
{
	const char *reason = provide_program_reason(provider->program);
	pid_t pid = provide_program_pid(provider->program);
	struct measure measure = {0};
	if (pid > 0)
		process_tree_walk(pid, measure_one, &measure);
	json_object_begin(writer, NULL);
	json_put_str(writer, "name", provider->server->name);
	json_put_id(writer, "pane", '%', provider->server->pane.pane);
	json_put_str(writer, "state", provide_program_state(provider->program));
	json_put_known_int(writer, "pid", measure.first > 0, measure.first);
	json_put_int(writer, "rss_bytes", measure.bytes);
	json_put_int(writer, "calls", (int64_t)provider->calls);
	json_put_int(
	    writer, "running", (int64_t)provide_calls_open(&provider->set->calls, provider));
	json_put_str(writer, "reason", *reason != '\0' ? reason : NULL);
	json_object_end(writer);
}

void tool_servers_write(const struct provide_set *set, struct json_writer *writer)
{
	list_each (const struct provider, provider, &set->providers, link)
		if (provider->server != NULL)
			write_server(writer, provider);
}

const char *tool_servers_mismatch(
    const struct provide_set *set, const struct declaration *declaration)
{
	static char reason[REASON_SIZE];
	const char *gives[DECLARATION_PARAMETERS_MAX + 1];
	declaration_list_gives(declaration, gives);
	list_each (const struct provider, provider, &set->providers, link) {
		const struct tool_server *server = provider->server;
		if (server != NULL && server->list.is_read &&
		    strcmp(server->name, declaration->server.name) == 0 &&
		    tool_server_list_check(
			&server->list, declaration->server.tool, gives, reason, sizeof reason) < 0)
			return reason;
	}
	return NULL;
}
