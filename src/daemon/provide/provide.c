/* SPDX-License-Identifier: ISC */
#include "daemon/provide/provide.h"

#include "daemon/provide/offer.h"
#include "daemon/provide/provide_exchange.h"
#include "daemon/provide/provide_program.h"
#include "daemon/provide/provider_file.h"
#include "daemon/provide/tool_servers.h"
#include "daemon/server/dispatch.h"
#include "daemon/server/peer.h"
#include "daemon/server/server.h"
#include "daemon/tool/tool_folder.h"
#include "io/loop_timer.h"
#include "wire/address.h"

#define FOLDERS 2
#define OUT_MAX (1024 * 1024) /* bytes of a program's output that are kept */

static const struct job *start(void *data, char *ret_reason, size_t size)
{
	struct provider *provider = data;
	const struct daemon *parts = provider->set->parts;
	const struct provider_file *file = provider->file;
	const char *home = address_home();
	char path[PATH_MAX];
	char *socket = xasprintf("MUXBUS=%s", parts->config->socket);
	char *name = xasprintf("MUXBUS_PROVIDER=%s", file->name);
	const char *const env[] = {socket, name, "MUXBUS_PANE", "TMUX", "TMUX_PANE", NULL};
	const struct job *job = NULL;
	const char **argv = job_env_join(file->program, NULL, SIZE_MAX);
	if (provider_file_program(file, path, ret_reason, size)) {
		argv[0] = path;
		job = job_start(parts->jobs,
		    &(struct job_order){.command = provider->job_name,
			.argv = argv,
			.env = env,
			.cwd = home != NULL ? home : "/",
			.name = provider->job_name,
			.out_max = OUT_MAX,
			.is_silent = true,
			.is_program = true},
		    ret_reason, size);
	}
	mem_free(argv);
	mem_free(socket);
	mem_free(name);
	return job;
}

static void add_file(struct provide_set *set, struct provider_file *file)
{
	struct provider *provider = provider_new(set);
	struct tool_failure failure;
	struct list offers;
	size_t names = 0;
	list_init(&offers);
	provider->file = file;
	(void)snprintf(provider->name, sizeof provider->name, "%.64s", file->name);
	if (file->reason == NULL &&
	    !(provider_read_rows(provider, file->methods, &offers, &names, &failure) &&
		provider_take_kinds(provider, file->events, &failure)))
		file->reason = xstrdup(failure.text);
	if (file->reason != NULL) {
		provider_free_offers(&offers);
		log_warning("%s: %s", file->path, file->reason);
		return;
	}
	provider_set_offers(provider, &offers, names);
	(void)snprintf(provider->title, sizeof provider->title, "the provider %.64s", file->name);
	(void)snprintf(provider->job_name, sizeof provider->job_name, "%s%.64s",
	    JOB_PROVIDER_PREFIX, file->name);
	provider->program = provide_program_new(&(struct provide_program_parts){
	    .base = set->parts->base,
	    .jobs = set->parts->jobs,
	    .title = provider->title,
	    .job_name = provider->job_name,
	    .is_with_daemon = file->life == PROVIDER_WITH_DAEMON,
	    .idle_ms = file->idle_ms,
	    .wait_ms = PROVIDE_WAIT_MS,
	    .start = start,
	    .failed = provide_exchange_program_failed,
	    .data = provider,
	});
}

static void remove_file(struct provider *provider)
{
	provide_exchange_fail(provider, false, false, "ended: its file has changed");
	provider_free(provider);
}

static bool is_known(const struct provider_file *known, const struct provider_file *file)
{
	if (strcmp(known->path, file->path) != 0 || known->content != file->content)
		return false;
	return file->reason == NULL ||
	    (known->reason != NULL && strcmp(known->reason, file->reason) == 0);
}

/* Frees providers whose files have changed or were removed. Returns true if there was one. */
static bool drop_files(struct provide_set *set, struct provider_file **files, size_t count)
{
	bool has_changed = false;
	list_each_safe (struct provider, provider, &set->providers, link) {
		size_t at = 0;
		if (provider->file == NULL)
			continue;
		while (at < count && (files[at] == NULL || !is_known(provider->file, files[at])))
			at++;
		if (at < count) {
			provider_file_free(files[at]);
			files[at] = NULL;
		} else {
			remove_file(provider);
			has_changed = true;
		}
	}
	return has_changed;
}

static void provide_files_read(void *data)
{
	struct provide_set *set = data;
	struct provider_file *files[PROVIDER_FILES_MAX];
	struct list peers;
	size_t count = 0;
	bool has_changed;
	for (size_t at = 0; at < FOLDERS; at++)
		count = provider_files_read(tool_folder_path(set->parts->tools, at), files, count);
	has_changed = drop_files(set, files, count);
	list_init(&peers);
	list_each_safe (struct provider, provider, &set->providers, link)
		if (provider->file == NULL)
			list_move(&peers, &provider->link);
	if (has_changed)
		provider_publish(set, false); /* removes the rows of the freed providers */
	for (size_t at = 0; at < count; at++) {
		if (files[at] == NULL)
			continue;
		add_file(set, files[at]);
		/* so that the next file is checked against these rows */
		provider_publish(set, false);
		has_changed = true;
	}
	while (!list_is_empty(&peers))
		list_move(&set->providers, peers.next);
	provider_publish(set, has_changed);
}

#define RESULT_SPARE 4096 /* bytes of a line without its result */

/* A request that is handled again when the process of another program may be known. */
struct provide_waiter {
	struct list link;
	struct loop_timer *timer;
	void (*done)(void *data, int error);
	void *data;
};

static void on_peer_ended(void *data)
{
	struct provider *provider = data;
	struct provide_set *set = provider->set;
	provider->peer = NULL;
	if (set->is_ending)
		return;
	provide_exchange_fail(provider, true, false,
	    provider->server != NULL ? "has lost its muxbus-tools" : "ended");
	if (provider->program != NULL) {
		provide_program_left(provider->program);
		return;
	}
	provider_free(provider);
	provider_publish(set, false);
}

/*
 * Returns true if a peer is the provider's program. Descendants of a file's program count; those of
 * a tool server do not, as they may be other providers.
 */
static bool is_program(const struct provider *provider, const struct peer *peer)
{
	if (provider->program == NULL || peer_pid(peer) <= 0)
		return false;
	return provider->server != NULL ? provide_program_pid(provider->program) == peer_pid(peer)
					: provide_program_has(provider->program, peer_pid(peer));
}

static struct provider *find_program(const struct provide_set *set, const struct peer *peer)
{
	list_each (struct provider, provider, &set->providers, link)
		if (is_program(provider, peer))
			return provider;
	return NULL;
}

bool provide_is_unknown(const struct provide_set *set, const struct peer *peer)
{
	if (provider_find(set, peer) != NULL || find_program(set, peer) != NULL)
		return false;
	list_each (const struct provider, provider, &set->providers, link)
		if (provider->program != NULL && provide_program_is_unknown(provider->program))
			return true;
	return false;
}

static void wake(void *data)
{
	struct provide_waiter *waiter = data;
	list_remove(&waiter->link);
	loop_timer_free(waiter->timer);
	waiter->done(waiter->data, 0);
	mem_free(waiter);
}

void provide_await(void *data, void (*done)(void *data, int error), void *done_data)
{
	struct provide_set *set = data;
	struct provide_waiter *waiter = xalloc(sizeof *waiter);
	*waiter = (struct provide_waiter){.done = done,
	    .data = done_data,
	    .timer = loop_timer_new(set->parts->base, wake, waiter)};
	list_append(&set->waiters, &waiter->link);
	/* for the case that no job starts or ends before */
	loop_timer_arm(waiter->timer, PROVIDE_WAIT_MS);
}

static void wake_waiters(struct provide_set *set)
{
	/* done() may add a waiter again, which is not called now */
	const struct list *last = set->waiters.prev;
	bool is_last = list_is_empty(&set->waiters);
	while (!is_last) {
		is_last = set->waiters.next == last;
		wake(list_entry(set->waiters.next, struct provide_waiter, link));
	}
}

static void on_job(struct job_listener *listener, const struct job *job UNUSED)
{
	wake_waiters(list_entry(listener, struct provide_set, listener));
}

static bool has_name(const struct provider *provider, const char *name)
{
	list_each (const struct offer, offer, &provider->offers, link)
		if (strcmp(offer->declaration->name, name) == 0)
			return true;
	return false;
}

/* Checks the rows that a program gives: each must be in the program's file. */
static bool check_rows(
    const struct provider *provider, const struct json *rows, struct tool_failure *ret_failure)
{
	json_each (row, rows) {
		const char *name = json_get_str(row, "name", "");
		if (!has_name(provider, name))
			return tool_fail(ret_failure, MESSAGE_REFUSED,
			    "methods: \"%.64s\" does not stand in %.600s", name,
			    provider->file->path);
	}
	return true;
}

/* Takes a program that has just called provide. */
static bool take_program(struct provider *provider, struct peer *peer, const struct json *rows,
    struct tool_failure *ret_failure)
{
	size_t result_max =
	    (size_t)provider->set->parts->config->limits.result_bytes + RESULT_SPARE;
	char reason[DECLARATION_REASON_SIZE];
	if (provider->server == NULL && !check_rows(provider, rows, ret_failure))
		return false;
	if (provider->server != NULL &&
	    tool_server_list_read(&provider->server->list, rows, reason, sizeof reason) < 0)
		return tool_fail(ret_failure, MESSAGE_PARAMS, "%s", reason);
	if (provider->server != NULL && *peer_line_max(peer) < result_max)
		*peer_line_max(peer) = result_max;
	if (provider->peer != NULL && provider->peer != peer) {
		peer_set_ended(provider->peer, NULL, NULL);
		provide_exchange_fail(provider, true, false, "has connected again");
	}
	provider->peer = peer;
	provider->strays = 0;
	peer_set_ended(peer, on_peer_ended, provider);
	provide_program_came(provider->program);
	return true;
}

static struct provider *provider_of_peer(struct provide_set *set, struct peer *peer)
{
	struct provider *provider;
	size_t count = 0;
	list_each (const struct provider, other, &set->providers, link)
		count += other->program == NULL;
	if (count >= PROVIDERS_MAX)
		return NULL;
	provider = provider_new(set);
	provider->peer = peer;
	(void)snprintf(provider->name, sizeof provider->name, "process %ld", (long)peer_pid(peer));
	return provider;
}

bool provide_take(struct provide_set *set, struct peer *peer, const struct json *rows,
    const struct json *events, struct tool_failure *ret_failure)
{
	struct provider *provider = provider_find(set, peer);
	struct list offers;
	bool is_new = provider == NULL;
	size_t names;
	if (provider == NULL)
		provider = find_program(set, peer);
	if (!is_new && provider->server != NULL && rows == NULL)
		return (provider->server->is_leaving = true);
	if (provider != NULL && provider->program != NULL)
		return provider_take_kinds(provider, events, ret_failure) &&
		    take_program(provider, peer, rows, ret_failure);
	if (rows == NULL)
		return tool_fail(ret_failure, MESSAGE_PARAMS,
		    "methods: is required, unless the program of a provider's file provides");
	if (provider == NULL)
		provider = provider_of_peer(set, peer);
	if (provider == NULL)
		return tool_fail(ret_failure, MESSAGE_LIMIT,
		    "%d peers provide already, the most there may be", PROVIDERS_MAX);
	list_init(&offers);
	if (!provider_read_rows(provider, rows, &offers, &names, ret_failure) ||
	    !provider_take_kinds(provider, events, ret_failure)) {
		provider_free_offers(&offers);
		if (is_new)
			provider_free(provider);
		return false;
	}
	provider_set_offers(provider, &offers, names);
	peer_set_ended(peer, on_peer_ended, provider);
	provider_publish(set, false);
	return true;
}

struct provide_set *provide_set_new(
    const struct daemon *parts, void (*changed)(void *data, bool is_listed), void *data)
{
	struct provide_set *set = xcalloc(1, sizeof *set);
	set->parts = parts;
	set->handle = provide_exchange_handle;
	set->changed = changed;
	set->data = data;
	set->listener = (struct job_listener){.started = on_job, .ended = on_job};
	list_init(&set->providers);
	list_init(&set->retired);
	list_init(&set->waiters);
	provide_calls_init(&set->calls);
	job_listen(parts->jobs, &set->listener, "");
	tool_folder_set_read(parts->tools, provide_files_read, set);
	provide_files_read(set);
	tool_servers_take_up(set);
	dispatch_hooks(server_dispatch(parts->server))->response = provide_exchange_response;
	dispatch_hooks(server_dispatch(parts->server))->response_data = set;
	return set;
}

void provide_set_stop(struct provide_set *set)
{
	if (set == NULL)
		return;
	set->is_ending = true;
	/* The next daemon continues such a call, or notifies that it has failed. */
	list_each_safe (struct provide_call, call, &set->calls.list, link)
		if (call->request == NULL)
			provide_call_free(call);
	list_each (struct provider, provider, &set->providers, link) {
		provide_program_free(provider->program, true);
		provider->program = NULL;
	}
}

void provide_set_free(struct provide_set *set)
{
	if (set == NULL)
		return;
	wake_waiters(set);
	method_set_rows(METHOD_PROVIDED, NULL, 0);
	while (!list_is_empty(&set->calls.list))
		provide_call_free(list_entry(set->calls.list.next, struct provide_call, link));
	while (!list_is_empty(&set->providers))
		provider_free(list_entry(set->providers.next, struct provider, link));
	provider_free_offers(&set->retired);
	tool_folder_set_read(set->parts->tools, NULL, NULL);
	list_remove(&set->listener.link);
	mem_free(set);
}

void provide_resume(const struct provide_set *set, const struct peer *peer)
{
	struct provider *provider = provider_find(set, peer);
	if (provider != NULL && (provider->server == NULL || !provider->server->is_leaving))
		provide_exchange_resume(provider);
}

void provide_write_names(
    const struct provide_set *set, const struct peer *peer, struct json_writer *writer)
{
	const struct provider *provider = provider_find(set, peer);
	if (provider == NULL)
		return;
	list_each (const struct offer, offer, &provider->offers, link)
		json_put_str(writer, NULL, offer->declaration->name);
}

static const char *state_of(const struct provider *provider)
{
	if (provider->file == NULL)
		return "ready";
	return provider->program != NULL ? provide_program_state(provider->program) : "broken";
}

static const char *reason_of(const struct provider *provider)
{
	const char *reason =
	    provider->program != NULL ? provide_program_reason(provider->program) : "";
	if (provider->file != NULL && provider->file->reason != NULL)
		return provider->file->reason;
	return *reason != '\0' ? reason : NULL;
}

void provide_write(const struct provide_set *set, struct json_writer *writer)
{
	list_each (const struct provider, provider, &set->providers, link) {
		if (provider->server != NULL)
			continue; /* tool servers are listed by list_tools */
		json_object_begin(writer, NULL);
		json_put_str(writer, "name", provider->name);
		json_put_str(writer, "file", provider->file != NULL ? provider->file->path : NULL);
		json_put_str(writer, "state", state_of(provider));
		json_put_str(writer, "reason", reason_of(provider));
		json_put_known_int(writer, "pid", provider->peer != NULL,
		    provider->peer != NULL ? peer_pid(provider->peer) : 0);
		json_array_begin(writer, "methods");
		list_each (const struct offer, offer, &provider->offers, link)
			json_put_str(writer, NULL, offer->declaration->name);
		json_array_end(writer);
		json_put_int(writer, "calls", (int64_t)provider->calls);
		json_put_int(writer, "open", (int64_t)provide_calls_open(&set->calls, provider));
		json_object_end(writer);
	}
}
