/* SPDX-License-Identifier: ISC */
/* From files to providers. */
#include "daemon/provide/provide_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "daemon/job/job.h"
#include "daemon/job/job_env.h"
#include "daemon/provide/provide_event.h"
#include "daemon/provide/provide_flow.h"
#include "daemon/provide/provide_program.h"
#include "daemon/provide/provider_file.h"
#include "daemon/server/peer.h"
#include "daemon/tool/tool_folder.h"

#define FOLDERS 2
#define OUT_MAX (1024 * 1024) /* bytes of a program's output that are kept */

/* Starts the job of a file's program. NULL with a reason. */
static const struct job *start(void *data, char *ret_reason, size_t size)
{
	struct provider *provider = data;
	const struct provide_parts *parts = &provider->set->parts;
	const struct provider_file *file = provider->file;
	const char *home = getenv("HOME");
	char path[PATH_MAX];
	char *socket = xasprintf("MUXBUS=%s", parts->socket);
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
			.cwd = home != NULL && home[0] == '/' ? home : "/",
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

static bool on_program_failed(void *data, const char *reason, bool has_provided)
{
	(void)has_provided;
	provide_flow_fail(data, false, false, reason);
	return false;
}

/* Takes a file over. A file that cannot be used stays, with the reason. */
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
		provide_event_take(provider, file->events, &failure))) {
		file->reason = xstrdup(failure.text);
	}
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
	    .base = set->parts.base,
	    .jobs = set->parts.jobs,
	    .title = provider->title,
	    .job_name = provider->job_name,
	    .is_with_daemon = file->life == PROVIDER_WITH_DAEMON,
	    .idle_ms = file->idle_ms,
	    .wait_ms = PROVIDE_WAIT_MS,
	    .start = start,
	    .failed = on_program_failed,
	    .data = provider,
	});
}

static void remove_file(struct provider *provider)
{
	struct peer *peer = provider->peer;
	provide_flow_fail(provider, false, false, "ended: its file has changed");
	if (peer != NULL)
		peer_set_ended(peer, NULL, NULL);
	provider_free(provider);
}

/* Whether a file is known, and as it was. */
static bool is_known(const struct provider_file *known, const struct provider_file *file)
{
	if (strcmp(known->path, file->path) != 0 || known->content != file->content)
		return false;
	return file->reason == NULL ||
	    (known->reason != NULL && strcmp(known->reason, file->reason) == 0);
}

/* Drops the files that are known from the list, and the providers of all others. */
static bool drop_files(struct provide_set *set, struct provider_file **files, size_t count)
{
	struct list *link, *after;
	bool has_changed = false;
	list_for_each_safe (link, after, &set->providers) {
		struct provider *provider = list_entry(link, struct provider, link);
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

void provide_files_read(void *data)
{
	struct provide_set *set = data;
	struct provider_file *files[PROVIDER_FILES_MAX];
	struct list peers, *link, *after;
	size_t count = 0;
	bool has_changed;
	for (size_t at = 0; at < FOLDERS; at++)
		count = provider_files_read(tool_folder_path(set->parts.folder, at), files, count);
	has_changed = drop_files(set, files, count);
	list_init(&peers);
	list_for_each_safe (link, after, &set->providers)
		if (list_entry(link, struct provider, link)->file == NULL) {
			list_remove(link);
			list_append(&peers, link);
		}
	if (has_changed)
		provider_publish(set, false); /* without the old rows of files */
	for (size_t at = 0; at < count; at++) {
		if (files[at] == NULL)
			continue;
		add_file(set, files[at]);
		provider_publish(set, false); /* the next file is checked against it */
		has_changed = true;
	}
	while (!list_is_empty(&peers)) {
		link = peers.next;
		list_remove(link);
		list_append(&set->providers, link);
	}
	provider_publish(set, has_changed);
}
