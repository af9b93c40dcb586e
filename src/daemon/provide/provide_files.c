/* SPDX-License-Identifier: ISC */
/* From files to providers. */
#include "daemon/provide/provide_files.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "daemon/provide/provide_event.h"
#include "daemon/provide/provide_flow.h"
#include "daemon/provide/provide_program.h"
#include "daemon/provide/provider_file.h"
#include "daemon/server/peer.h"
#include "daemon/tool/tool_folder.h"

#define FOLDERS 2

static void on_program_failed(void *data, const char *reason)
{
	provide_flow_fail(data, false, reason);
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
	provider->program =
	    provide_program_new(&(struct provide_program_parts){.base = set->parts.base,
				    .jobs = set->parts.jobs,
				    .socket = set->parts.socket,
				    .failed = on_program_failed,
				    .data = provider},
		file);
}

static void remove_file(struct provider *provider)
{
	struct peer *peer = provider->peer;
	provide_flow_fail(provider, false, "ended: its file has changed");
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
