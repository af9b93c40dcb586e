/* SPDX-License-Identifier: ISC */
/* The files that patterns name. */
#include "cli/verbs/file_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/str.h"
#include "base/xalloc.h"

#define EVENTS (IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVE | IN_MOVE_SELF | IN_ONLYDIR)

struct file_tree {
	int fd;
	char *patterns[FILE_TREE_PATTERNS_MAX];
	char *bases[FILE_TREE_PATTERNS_MAX]; /* the folders in which they begin */
	size_t count;
	struct map folders; /* watch descriptors to their paths, which end in '/' or are "" */
	bool is_torn;
	char name[PATH_MAX]; /* of a file that has changed; "": not known */
	bool has_changed;
	char *reason;
	size_t reason_size;
};

static const char *next_part(const char *text)
{
	const char *slash = strchr(text, '/');
	return slash != NULL ? slash + 1 : text + strlen(text);
}

static size_t part_len(const char *text)
{
	return strcspn(text, "/");
}

/* Whether one part of a path matches one of a pattern. */
static bool part_matches(const char *pattern, const char *path)
{
	char one[NAME_MAX + 1], other[NAME_MAX + 1];
	if (part_len(pattern) > NAME_MAX || part_len(path) > NAME_MAX)
		return false;
	snprintf(one, sizeof one, "%.*s", (int)part_len(pattern), pattern);
	snprintf(other, sizeof other, "%.*s", (int)part_len(path), path);
	return fnmatch(one, other, FNM_PERIOD) == 0;
}

bool file_tree_matches(const char *pattern, const char *path, bool as_folder)
{
	bool is_any = strncmp(pattern, "**", 2) == 0 && part_len(pattern) == 2;
	if (*path == '\0')
		return as_folder ? *pattern != '\0' : *pattern == '\0' || (is_any && !pattern[2]);
	if (*pattern == '\0')
		return false;
	if (is_any)
		return file_tree_matches(next_part(pattern), path, as_folder) ||
		    (*path != '.' && file_tree_matches(pattern, next_part(path), as_folder));
	return part_matches(pattern, path) &&
	    file_tree_matches(next_part(pattern), next_part(path), as_folder);
}

static bool any_matches(const struct file_tree *tree, const char *path, bool as_folder)
{
	for (size_t i = 0; i < tree->count; i++)
		if (file_tree_matches(tree->patterns[i], path, as_folder))
			return true;
	return false;
}

static void note_change(struct file_tree *tree, const char *name)
{
	tree->has_changed = true;
	snprintf(tree->name, sizeof tree->name, "%s", name);
}

static int fail(struct file_tree *tree)
{
	if (errno == ENOSPC)
		return str_refuse(tree->reason, tree->reason_size,
		    "the limit of watched folders is reached: name fewer, or see "
		    "fs.inotify.max_user_watches in inotify(7)");
	return str_refuse(tree->reason, tree->reason_size, "%s", strerror(errno));
}

static int look_into(struct file_tree *tree, const char *path, bool is_new);

/* Looks at an entry of a folder. */
static int look_at(struct file_tree *tree, const char *folder, const char *name, bool is_new)
{
	char path[PATH_MAX];
	struct stat status;
	int len = snprintf(path, sizeof path, "%s%s", folder, name);
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || len >= (int)sizeof path - 1 ||
	    lstat(path, &status) < 0)
		return 0;
	if (!S_ISDIR(status.st_mode)) {
		if (is_new && any_matches(tree, path, false))
			note_change(tree, path);
		return 0;
	}
	if (!any_matches(tree, path, true))
		return 0;
	strcpy(path + len, "/");
	return look_into(tree, path, is_new);
}

/* Keeps the path of a watch. 0: it has it already. */
static int keep(struct file_tree *tree, int watch, const char *path)
{
	char *old = map_get(&tree->folders, (uint64_t)watch);
	if (old != NULL && strcmp(old, path) == 0)
		return 0;
	if (tree->folders.count >= FILE_TREE_FOLDERS_MAX)
		return str_refuse(tree->reason, tree->reason_size,
		    "there are more than %d folders to watch: name fewer", FILE_TREE_FOLDERS_MAX);
	mem_free(old);
	if (map_set(&tree->folders, (uint64_t)watch, xstrdup(path)) < 0)
		return fail(tree);
	return 1;
}

/* Watches a folder, then all below it; a file that is found there has changed if is_new. */
static int look_into(struct file_tree *tree, const char *path, bool is_new)
{
	const char *name = *path != '\0' ? path : ".";
	int watch = inotify_add_watch(tree->fd, name, EVENTS);
	int r = watch < 0 ? fail(tree) : keep(tree, watch, path);
	struct dirent *entry;
	DIR *dir;
	if (watch < 0 && errno != ENOSPC && errno != ENOMEM)
		return 0; /* it is gone, or may not be read */
	dir = r > 0 ? opendir(name) : NULL;
	while (r >= 0 && dir != NULL && (entry = readdir(dir)) != NULL)
		r = look_at(tree, path, entry->d_name, is_new);
	if (dir != NULL)
		(void)closedir(dir);
	return r < 0 ? r : 0;
}

/* Forgets a folder, and all below it. */
static void forget(struct file_tree *tree, const char *path)
{
	size_t cursor = 0;
	uint64_t watch;
	void *at;
	while (map_next(&tree->folders, &cursor, &watch, &at)) {
		if (strncmp(at, path, strlen(path)) != 0)
			continue;
		(void)inotify_rm_watch(tree->fd, (int)watch); /* it may be gone */
		mem_free(map_remove(&tree->folders, watch));
	}
}

/* Looks at the folders of all patterns. */
static int look_at_all(struct file_tree *tree, bool is_new)
{
	int r = 0;
	tree->is_torn = false;
	for (size_t i = 0; i < tree->count && r >= 0; i++) {
		r = look_into(tree, tree->bases[i], is_new);
		tree->is_torn |= access(*tree->bases[i] ? tree->bases[i] : ".", R_OK | X_OK) < 0;
	}
	return r;
}

/* A folder came, went or was moved. */
static int take_folder(
    struct file_tree *tree, const struct inotify_event *event, const char *folder)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s%s/", folder, event->name) >= (int)sizeof path)
		return 0;
	if (event->mask & (IN_CREATE | IN_MOVED_TO)) {
		forget(tree, path); /* of another one that had the name */
		return look_at(tree, folder, event->name, true);
	}
	path[strlen(path) - 1] = '\0';
	if (event->mask & (IN_DELETE | IN_MOVED_FROM) && any_matches(tree, path, true)) {
		note_change(tree, path);
		strcat(path, "/");
		forget(tree, path);
	}
	return 0;
}

static int take_event(struct file_tree *tree, const struct inotify_event *event)
{
	const char *folder = map_get(&tree->folders, (uint64_t)event->wd);
	char path[PATH_MAX];
	if (event->mask & IN_Q_OVERFLOW) {
		note_change(tree, "");
		forget(tree, "");
		return look_at_all(tree, false);
	}
	if (folder == NULL)
		return 0;
	if (event->mask & (IN_IGNORED | IN_MOVE_SELF)) {
		tree->is_torn = true;
		snprintf(path, sizeof path, "%s", folder);
		forget(tree, path);
		return 0;
	}
	if (event->mask & IN_ISDIR)
		return event->len > 0 ? take_folder(tree, event, folder) : 0;
	if (event->len > 0 &&
	    snprintf(path, sizeof path, "%s%s", folder, event->name) < (int)sizeof path &&
	    any_matches(tree, path, false))
		note_change(tree, path);
	return 0;
}

int file_tree_read(
    struct file_tree *tree, const char **ret_name, char *ret_reason, size_t reason_size)
{
	char bytes[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t len;
	int r = 0;
	tree->reason = ret_reason;
	tree->reason_size = reason_size;
	tree->has_changed = false;
	while (r >= 0 && (len = read(tree->fd, bytes, sizeof bytes)) > 0) {
		for (char *at = bytes; at < bytes + len && r >= 0;) {
			struct inotify_event *event = (void *)at;
			r = take_event(tree, event);
			at += sizeof *event + event->len;
		}
	}
	if (r >= 0 && tree->is_torn)
		r = look_at_all(tree, true);
	*ret_name = tree->name;
	return r < 0 ? r : tree->has_changed;
}

/* Takes a pattern, without what says nothing: "./src//a" is "src/a", and a folder all below it. */
static int take_pattern(struct file_tree *tree, const char *text)
{
	char pattern[PATH_MAX] = "";
	size_t len = 0, at;
	struct stat status;
	bool is_folder;
	if (strlen(text) > PATH_MAX - 4 || *text == '\0')
		return str_refuse(tree->reason, tree->reason_size,
		    "a pattern must have 1 to %d bytes", PATH_MAX - 4);
	is_folder = stat(text, &status) == 0 && S_ISDIR(status.st_mode);
	if (*text == '/')
		pattern[len++] = '/';
	for (; *text != '\0'; text = next_part(text)) {
		size_t part = part_len(text);
		if (part == 0 || (part == 1 && *text == '.'))
			continue;
		memcpy(pattern + len, text, part);
		len += part;
		pattern[len++] = '/';
	}
	while (len > 0 && pattern[len - 1] == '/' && !is_folder)
		len--;
	strcpy(pattern + len, is_folder ? "**" : "");
	/* The base is all up to the last slash before the first wildcard. */
	at = strcspn(pattern, "*?[\\");
	while (at > 0 && pattern[at - 1] != '/')
		at--;
	tree->patterns[tree->count] = xstrdup(pattern);
	tree->bases[tree->count++] = xmemdup(pattern, at);
	return 0;
}

struct file_tree *file_tree_new(
    char *const *patterns, size_t count, char *ret_reason, size_t reason_size)
{
	struct file_tree *tree = xcalloc(1, sizeof *tree);
	int r = 0;
	tree->reason = ret_reason;
	tree->reason_size = reason_size;
	map_init(&tree->folders);
	tree->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (tree->fd < 0)
		r = fail(tree);
	else if (count > FILE_TREE_PATTERNS_MAX)
		r = str_refuse(ret_reason, reason_size,
		    "there are more than %d patterns: quote "
		    "them, so that the shell does not replace them",
		    FILE_TREE_PATTERNS_MAX);
	for (size_t i = 0; i < count && r >= 0; i++) {
		r = take_pattern(tree, patterns[i]);
		if (r >= 0 && access(*tree->bases[i] ? tree->bases[i] : ".", R_OK | X_OK) < 0)
			r = str_refuse(
			    ret_reason, reason_size, "%s: %s", patterns[i], strerror(errno));
	}
	if (r >= 0)
		r = look_at_all(tree, false);
	if (r >= 0)
		return tree;
	file_tree_free(tree);
	return NULL;
}

void file_tree_free(struct file_tree *tree)
{
	if (tree == NULL)
		return;
	for (size_t i = 0; i < tree->count; i++) {
		mem_free(tree->patterns[i]);
		mem_free(tree->bases[i]);
	}
	forget(tree, "");
	map_finish(&tree->folders);
	if (tree->fd >= 0)
		(void)close(tree->fd);
	mem_free(tree);
}

int file_tree_fd(const struct file_tree *tree)
{
	return tree->fd;
}

bool file_tree_is_torn(const struct file_tree *tree)
{
	return tree->is_torn;
}
