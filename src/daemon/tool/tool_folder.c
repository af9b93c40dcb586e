/* SPDX-License-Identifier: ISC */
#include "daemon/tool/tool_folder.h"

#include <dirent.h>

#include "base/file.h"
#include "base/hash.h"
#include "daemon/file/folder_watch.h"
#include "daemon/file/inotify_hub.h"
#include "daemon/tool/tool_program.h"
#include "wire/address.h"

#define PLACES 2
#define REASON_SIZE 768
struct place {
	struct folder_watch *watch;
	char path[PATH_MAX]; /* "": not read */
};

struct tool_folder {
	struct tool_folder_parts parts;
	void (*read)(void *data); /* called after each reading; NULL: none */
	void *read_data;
	struct inotify_hub *hub;
	struct json_reader *reader; /* only during a reading */
	struct place places[PLACES];
	struct list tools; /* sorted by name */
	struct list retired; /* old rows that requests may still use */
	size_t count;
	uint64_t content; /* hash of the listed tools */
	uint64_t trouble; /* hash of the warnings in the log, which are not repeated */
};

const char *const tool_state_names[] = {
    [TOOL_LISTED] = "listed",
    [TOOL_HIDDEN] = "hidden",
    [TOOL_BROKEN] = "broken",
};

const struct tool *tool_of(const struct method *method)
{
	return (const struct tool *)method;
}

const struct tool *tool_next(const struct tool_folder *folder, const struct tool *previous)
{
	const struct list *link = previous == NULL ? folder->tools.next : previous->link.next;
	return link == &folder->tools ? NULL : list_entry(link, const struct tool, link);
}

static void tool_free(struct tool *tool)
{
	list_remove(&tool->link);
	method_free_tables(&tool->method);
	declaration_free(tool->declaration);
	mem_free(tool->file);
	mem_free(tool->dir);
	mem_free(tool->name);
	mem_free(tool->reason);
	mem_free(tool);
}

static void free_retired(struct tool_folder *folder)
{
	list_each_safe (struct tool, tool, &folder->retired, link)
		if (tool->uses == 0)
			tool_free(tool);
}

static void set_state(struct tool *tool, enum tool_state state, const char *reason)
{
	tool->state = state;
	mem_free(tool->reason);
	tool->reason = xstrdup(reason);
}

/* Returns true if each call needs the directory of a pane, as tmux knows it now. */
static bool needs_place(const struct declaration *declaration)
{
	return declaration->run != NULL || declaration->server.is_per_daemon ||
	    declaration->server.env != NULL;
}

static void set_row(struct tool *tool, const struct tool_folder *folder)
{
	const struct declaration *declaration = tool->declaration;
	tool->method = (struct method){
	    .name = declaration->name,
	    .also = declaration->also,
	    .effects = declaration->is_read_only ? METHOD_READS : METHOD_RUNS | METHOD_CLOSES,
	    .title = declaration->title,
	    .summary = declaration->description,
	    .fields = declaration->fields,
	    .args_size = declaration->args_size,
	    .results = declaration->results,
	    .result_schema = declaration->result_schema,
	    .flags = METHOD_WAITS | METHOD_OPEN_WORLD |
		(needs_place(declaration) ? 0 : METHOD_LOOKS_ITSELF) |
		(declaration->answer == DECLARATION_IMAGE || declaration->run == NULL ? METHOD_IMAGE
										      : 0) |
		(tool->state == TOOL_HIDDEN || !declaration->is_listed ? METHOD_HIDDEN : 0),
	    .handle = folder->parts.handle,
	    .group = declaration->group,
	    .uses = &tool->uses,
	};
	method_add_key(&tool->method);
}

/* Returns true if one of the alternatives exists. */
static bool is_there(const struct tool *tool, const char *const *names)
{
	char path[PATH_MAX];
	for (; *names != NULL; names++)
		if (tool_program_find(*names, tool->dir, getenv("PATH"), path, sizeof path))
			return true;
	return false;
}

/*
 * Sets the state: hidden if its own or a needed program is missing, broken if its program stands
 * beside the declaration ("./NAME") and other users can change it.
 */
static void check_programs(struct tool *tool)
{
	const struct declaration *declaration = tool->declaration;
	const char *const *words =
	    declaration->run != NULL ? declaration->run : declaration->server.command;
	const char *const program[] = {words[0], NULL};
	char path[PATH_MAX], reason[PATH_MAX + 256];
	struct stat status;
	const char *const *const *need = declaration->programs;
	while (need != NULL && *need != NULL && is_there(tool, *need))
		need++;
	if (need != NULL && *need != NULL) {
		bool is_data = tool_program_is_data((*need)[0]);
		int len = snprintf(reason, sizeof reason, "%s", tool_program_shown((*need)[0]));
		for (size_t at = 1; (*need)[at] != NULL && (size_t)len < sizeof reason; at++)
			len += snprintf(
			    reason + len, sizeof reason - (size_t)len, " or %s", (*need)[at]);
		if ((size_t)len < sizeof reason)
			len += snprintf(
			    reason + len, sizeof reason - (size_t)len, " is not installed");
		if (is_data && words[0][0] == '.' && (size_t)len < sizeof reason)
			(void)snprintf(reason + len, sizeof reason - (size_t)len,
			    ", run: %s%s --install", tool->dir, words[0] + 1);
		set_state(tool, TOOL_HIDDEN, reason);
	} else if (!is_there(tool, program)) {
		(void)snprintf(reason, sizeof reason, "%s %s", words[0],
		    words[0][0] == '.'       ? "is not an executable file beside the declaration"
			: words[0][0] == '/' ? "is not an executable file"
					     : "is not installed");
		set_state(tool, TOOL_HIDDEN, reason);
	} else if (words[0][0] == '.' &&
	    tool_program_find(words[0], tool->dir, NULL, path, sizeof path) &&
	    stat(path, &status) == 0 && !file_is_safe(path, &status, reason, sizeof reason)) {
		set_state(tool, TOOL_BROKEN, reason);
	}
}

static struct tool *find(const struct tool_folder *folder, const char *name)
{
	list_each (struct tool, tool, &folder->tools, link)
		if (tool->state != TOOL_BROKEN && strcmp(tool->name, name) == 0)
			return tool;
	return NULL;
}

static void replace_others(struct tool_folder *folder, const struct tool *tool)
{
	list_each_safe (struct tool, other, &folder->tools, link) {
		if (strcmp(other->name, tool->name) != 0 || strcmp(other->dir, tool->dir) == 0)
			continue;
		tool_free(other);
		folder->count--;
	}
}

/* Inserts a tool; a usable one replaces that of the same name from an earlier folder. */
static void insert(struct tool_folder *folder, struct tool *tool)
{
	const struct tool *other = find(folder, tool->name);
	struct list *before;
	if (other != NULL && strcmp(other->dir, tool->dir) == 0 && tool->state != TOOL_BROKEN) {
		char reason[REASON_SIZE];
		(void)snprintf(reason, sizeof reason, "name: \"%s\" is declared in %.600s as well",
		    tool->name, other->file);
		set_state(tool, TOOL_BROKEN, reason);
	}
	if (tool->state != TOOL_BROKEN)
		replace_others(folder, tool);
	before = folder->tools.next;
	while (before != &folder->tools &&
	    strcmp(list_entry(before, struct tool, link)->name, tool->name) < 0)
		before = before->next;
	list_append(before, &tool->link);
	folder->count++;
}

static void read_tool(struct tool_folder *folder, const struct place *place, const char *file)
{
	struct buf text = BUF(DECLARATION_BYTES_MAX);
	char reason[REASON_SIZE] = "";
	struct tool *tool = xcalloc(1, sizeof *tool);
	list_init(&tool->link);
	tool->dir = xstrdup(place->path);
	tool->file = xasprintf("%s/%s", place->path, file);
	if (file_read_safe(tool->file, &text, reason, sizeof reason) == 0)
		tool->declaration =
		    declaration_read(folder->reader, buf_text(&text), text.len, reason);
	buf_finish(&text);
	if (tool->declaration != NULL) {
		tool->name = xstrdup(tool->declaration->name);
		check_programs(tool);
	} else {
		tool->name = xmemdup(file, strlen(file) - strlen(".json"));
		set_state(tool, TOOL_BROKEN, reason);
	}
	insert(folder, tool);
	if (tool->state != TOOL_BROKEN)
		set_row(tool, folder);
}

static int is_declaration(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && str_ends_in(entry->d_name, ".json");
}

/* Adds a broken entry that says why a folder is not read. */
static void refuse_folder(struct tool_folder *folder, const char *path, const char *reason)
{
	struct tool *tool = xcalloc(1, sizeof *tool);
	list_init(&tool->link);
	tool->dir = xstrdup(path);
	tool->file = xstrdup(path);
	tool->name = xstrdup("*");
	set_state(tool, TOOL_BROKEN, reason);
	insert(folder, tool);
}

/* Returns the variable MUXBUS_TOOLS, which replaces the shipped folder; NULL: unset or relative. */
static const char *given_path(void)
{
	const char *path = getenv("MUXBUS_TOOLS");
	return path != NULL && *path == '/' ? path : NULL;
}

/* Adds a broken entry for a relative MUXBUS_TOOLS, which is not used. */
static void refuse_relative(struct tool_folder *folder)
{
	const char *path = getenv("MUXBUS_TOOLS");
	char reason[PATH_MAX + 256], *value;
	if (path == NULL || *path == '\0' || *path == '/')
		return;
	(void)snprintf(reason, sizeof reason,
	    "MUXBUS_TOOLS must be an absolute path; %s is read instead", folder->places[0].path);
	value = xasprintf("MUXBUS_TOOLS=%s", path);
	refuse_folder(folder, value, reason);
	mem_free(value);
}

static bool is_same_folder(const char *path, const struct stat *other)
{
	struct stat status;
	return stat(path, &status) == 0 && status.st_dev == other->st_dev &&
	    status.st_ino == other->st_ino;
}

void tool_folder_set_read(struct tool_folder *folder, void (*read)(void *data), void *data)
{
	folder->read = read;
	folder->read_data = data;
}

const char *tool_folder_path(const struct tool_folder *folder, size_t at)
{
	const char *path = folder->places[at].path;
	char reason[PATH_MAX + 256];
	struct stat status;
	if (path[0] == '\0' || stat(path, &status) < 0 ||
	    !file_is_safe(path, &status, reason, sizeof reason) ||
	    (at > 0 && is_same_folder(folder->places[0].path, &status)))
		return NULL;
	return path;
}

static void read_place(struct tool_folder *folder, const struct place *place)
{
	char reason[PATH_MAX + 256];
	struct dirent **entries;
	struct stat status;
	int count;
	if (place->path[0] == '\0' || stat(place->path, &status) < 0)
		return;
	if (!file_is_safe(place->path, &status, reason, sizeof reason)) {
		refuse_folder(folder, place->path, reason);
		return;
	}
	if (place != folder->places && is_same_folder(folder->places[0].path, &status))
		return;
	count = scandir(place->path, &entries, is_declaration, alphasort);
	if (count < 0)
		return;
	for (int at = 0; at < count; at++) {
		if (folder->count < TOOLS_MAX)
			read_tool(folder, place, entries[at]->d_name);
		else if (folder->count == TOOLS_MAX && at + 1 == count)
			log_warning("%s: only %d declarations are read", place->path, TOOLS_MAX);
		free(entries[at]);
	}
	free(entries);
}

static uint64_t publish(struct tool_folder *folder)
{
	const struct method **rows = xcalloc(folder->count + 1, sizeof *rows);
	size_t count = 0;
	struct buf seen = BUF((size_t)64 * 1024 * 1024);
	uint64_t content;
	next_each (const struct tool, tool, tool_next, folder) {
		struct json_writer writer;
		if (tool->state == TOOL_BROKEN)
			continue;
		rows[count++] = &tool->method;
		if (tool->state == TOOL_HIDDEN)
			continue;
		json_writer_init(&writer, &seen);
		json_object_begin(&writer, NULL);
		method_write(&writer, tool->name, &tool->method);
		json_put_str(&writer, "group", tool->declaration->group);
		json_object_end(&writer);
	}
	method_set_rows(METHOD_DECLARED, rows, count);
	content = seen.len > 0 ? hash_bytes(seen.data, seen.len) : 0;
	buf_finish(&seen);
	mem_free(rows);
	return content;
}

static void log_trouble(struct tool_folder *folder)
{
	struct buf text = BUF((size_t)TOOLS_MAX * (PATH_MAX + REASON_SIZE));
	uint64_t trouble;
	next_each (const struct tool, tool, tool_next, folder)
		if (tool->state == TOOL_BROKEN)
			(void)buf_printf(&text, "%s: %s\n", tool->file, tool->reason);
	trouble = text.len > 0 ? hash_bytes(text.data, text.len) : 0;
	buf_finish(&text);
	if (trouble == folder->trouble)
		return;
	folder->trouble = trouble;
	next_each (const struct tool, tool, tool_next, folder)
		if (tool->state == TOOL_BROKEN)
			log_warning("%s: %s", tool->file, tool->reason);
}

static void read_places(struct tool_folder *folder)
{
	uint64_t content;
	/* Without a free descriptor all files would seem to be gone. */
	int fd = open("/", O_PATH | O_CLOEXEC);
	if (fd < 0) {
		log_warning("declared tools are not read again: %s", strerror(errno));
		return;
	}
	(void)close(fd);
	method_set_rows(METHOD_DECLARED, NULL, 0);
	list_each_safe (struct tool, tool, &folder->tools, link)
		list_move(&folder->retired, &tool->link);
	folder->count = 0;
	folder->reader = json_reader_new(DECLARATION_BYTES_MAX);
	refuse_relative(folder);
	for (size_t at = 0; at < PLACES; at++)
		read_place(folder, &folder->places[at]);
	json_reader_free(folder->reader);
	folder->reader = NULL;
	log_trouble(folder);
	content = publish(folder);
	free_retired(folder);
	if (content != folder->content && folder->parts.changed != NULL)
		folder->parts.changed(folder->parts.data);
	folder->content = content;
	if (folder->read != NULL)
		folder->read(folder->read_data);
}

static void on_changed(void *data)
{
	struct tool_folder *folder = data;
	for (size_t at = 0; at < PLACES; at++)
		if (folder_watch_is_written(folder->places[at].watch))
			return; /* on_changed() is called again when the file is complete */
	read_places(folder);
}

void tool_folder_read(struct tool_folder *folder)
{
	(void)inotify_hub_take(folder->hub); /* notices whether a write has begun */
	on_changed(folder);
}

static void watch_places(struct tool_folder *folder)
{
	folder->hub = inotify_hub_new(folder->parts.base, NULL, NULL);
	for (size_t at = 0; at < PLACES; at++) {
		struct place *place = &folder->places[at];
		if (place->path[0] != '\0')
			place->watch = folder_watch_new(
			    folder->parts.base, folder->hub, place->path, on_changed, folder);
	}
}

static void set_paths(struct tool_folder *folder)
{
	const char *shipped = given_path();
	char *path = folder->places[1].path;
	(void)snprintf(
	    folder->places[0].path, PATH_MAX, "%s", shipped != NULL ? shipped : MUXBUS_TOOLSDIR);
	if (address_config(path, PATH_MAX, "tools") < 0)
		path[0] = '\0';
}

struct tool_folder *tool_folder_new(const struct tool_folder_parts *parts)
{
	struct tool_folder *folder = xcalloc(1, sizeof *folder);
	folder->parts = *parts;
	list_init(&folder->tools);
	list_init(&folder->retired);
	set_paths(folder);
	watch_places(folder);
	tool_folder_read(folder);
	return folder;
}

void tool_folder_free(struct tool_folder *folder)
{
	if (folder == NULL)
		return;
	method_set_rows(METHOD_DECLARED, NULL, 0);
	while (!list_is_empty(&folder->tools))
		tool_free(list_entry(folder->tools.next, struct tool, link));
	while (!list_is_empty(&folder->retired))
		tool_free(list_entry(folder->retired.next, struct tool, link));
	for (size_t at = 0; at < PLACES; at++)
		folder_watch_free(folder->places[at].watch);
	inotify_hub_free(folder->hub);
	mem_free(folder);
}
