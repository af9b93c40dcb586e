/* SPDX-License-Identifier: ISC */
/* muxbus rerun: runs a command, and again after files have changed. */
#include <dirent.h>
#include <fnmatch.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/wait.h>

#include "base/process.h"
#include "cli/verb.h"
#include "cli/verbs/interrupt.h"

/*
 * The files that match patterns, watched by inotify. A pattern is a file, a folder (all files below
 * it), or has * ? [ ] in its parts, or ** for any number of folders. Wildcards do not match a dot
 * at the beginning of a name. Links to folders are not followed, except in the part before the
 * first wildcard.
 */

#define FILE_TREE_PATTERNS_MAX 64
#define FILE_TREE_FOLDERS_MAX 16384

#define EVENTS (IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVE | IN_MOVE_SELF | IN_ONLYDIR)

struct file_tree {
	int fd;
	char *patterns[FILE_TREE_PATTERNS_MAX];
	char *bases[FILE_TREE_PATTERNS_MAX]; /* for each pattern: the folder before its wildcard */
	size_t count;
	struct map folders; /* path by watch descriptor; a path ends in '/' or is "" */
	bool is_torn; /* a folder to watch is missing or unreadable: look for it each LOOK_MS */
	char name[PATH_MAX]; /* a changed file; "" if unknown */
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

static bool part_matches(const char *pattern, const char *path)
{
	char one[NAME_MAX + 1], other[NAME_MAX + 1];
	if (part_len(pattern) > NAME_MAX || part_len(path) > NAME_MAX)
		return false;
	snprintf(one, sizeof one, "%.*s", (int)part_len(pattern), pattern);
	snprintf(other, sizeof other, "%.*s", (int)part_len(path), path);
	return fnmatch(one, other, FNM_PERIOD) == 0;
}

/* Returns true if a pattern matches a path or, if as_folder, may match a path below it. */
static bool file_tree_matches(const char *pattern, const char *path, bool as_folder)
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
	return str_refuse(tree->reason, tree->reason_size, "inotify(7): %s", strerror(errno));
}

static int look_into(struct file_tree *tree, const char *path, bool is_new);

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

/* Stores the path of a watch. Returns 1, or 0 if already stored, or -1 with a reason. */
static int keep(struct file_tree *tree, int watch, const char *path)
{
	char *old = map_get(&tree->folders, (uint64_t)watch);
	if (old != NULL && strcmp(old, path) == 0)
		return 0;
	if (tree->folders.count >= FILE_TREE_FOLDERS_MAX)
		return str_refuse(tree->reason, tree->reason_size,
		    "there are more than %d folders to watch: name fewer", FILE_TREE_FOLDERS_MAX);
	mem_free(old);
	xmap_set(&tree->folders, (uint64_t)watch, xstrdup(path));
	return 1;
}

/* Watches a folder and the folders below it. is_new: files found there count as changed. */
static int look_into(struct file_tree *tree, const char *path, bool is_new)
{
	const char *name = *path != '\0' ? path : ".";
	int watch = inotify_add_watch(tree->fd, name, EVENTS);
	int r = watch < 0 ? fail(tree) : keep(tree, watch, path);
	struct dirent *entry;
	DIR *dir;
	if (watch < 0 && errno != ENOSPC && errno != ENOMEM)
		return 0; /* the folder is gone, or must not be read */
	dir = r > 0 ? opendir(name) : NULL;
	while (r >= 0 && dir != NULL && (entry = readdir(dir)) != NULL)
		r = look_at(tree, path, entry->d_name, is_new);
	if (dir != NULL)
		(void)closedir(dir);
	return r < 0 ? r : 0;
}

static void forget(struct file_tree *tree, const char *path)
{
	map_each (char, folder, &tree->folders) {
		uint64_t watch = map_key(&tree->folders, folder_at);
		if (strncmp(folder, path, strlen(path)) != 0)
			continue;
		(void)inotify_rm_watch(tree->fd, (int)watch); /* fails if the folder is gone */
		mem_free(map_remove(&tree->folders, watch));
	}
}

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

static int take_folder(
    struct file_tree *tree, const struct inotify_event *event, const char *folder)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s%s/", folder, event->name) >= (int)sizeof path)
		return 0;
	if (event->mask & (IN_CREATE | IN_MOVED_TO)) {
		forget(tree, path); /* forget an older folder with this name */
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

/*
 * Returns 1 with a changed file in *ret_name ("": events were lost), lent until the next call; 0 if
 * none has changed; -1 with a reason.
 */
static int file_tree_read(
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

/* Stores a pattern without "." and empty parts ("./src//a" is "src/a"), with "**" for a folder. */
static int take_pattern(struct file_tree *tree, const char *text)
{
	char pattern[PATH_MAX] = "";
	size_t len = 0, at;
	struct stat status;
	bool is_there, is_folder;
	if (strlen(text) > PATH_MAX - 4 || *text == '\0')
		return str_refuse(tree->reason, tree->reason_size,
		    "a pattern must have 1 to %d bytes", PATH_MAX - 4);
	is_there = stat(text, &status) == 0;
	is_folder = is_there && S_ISDIR(status.st_mode);
	/* Braces are no wildcards here, as the user may expect. */
	if (!is_there && strchr(text, '{') != NULL && strchr(text, ',') != NULL)
		return str_refuse(tree->reason, tree->reason_size,
		    "%s: braces are no wildcard: write a pattern for each", text);
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
	pattern[len] = '\0';
	/* The base ends at the last slash before the first wildcard or backslash. */
	at = strcspn(pattern, "*?[\\");
	/* A name without wildcards may be or become a folder, so match all files below it too. */
	strcpy(pattern + len, is_folder ? "**" : at == len ? "/**" : "");
	while (at > 0 && pattern[at - 1] != '/')
		at--;
	tree->patterns[tree->count] = xstrdup(pattern);
	tree->bases[tree->count++] = xmemdup(pattern, at);
	return 0;
}

static void file_tree_free(struct file_tree *tree)
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

static struct file_tree *file_tree_new(
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

enum {
	SETTLE_MS = 100, /* default of settle_ms */
	SETTLE_MAX = 10, /* longest wait while files keep changing, in units of settle_ms */
	KILL_MS = 2000, /* time from SIGTERM to SIGKILL */
	END_LOOK_MS = 10, /* interval of checks whether a group has ended */
	LOOK_MS = 500, /* interval of checks for a missing folder */
	EXIT_NOT_FOUND = 127,
};

struct rerun {
	bool is_quiet;
	bool kills; /* --restart: a change stops the running command */
	uint32_t runs; /* --count; 0: no limit */
	int64_t settle_ms; /* --settle: time without changes before the command runs */
	char **command;
	struct file_tree *tree;
	struct interrupt interrupt; /* extra_fd polls for changes and the command's end */
	struct child child; /* pid 0: not running */
	int64_t started_ms;
	int64_t kill_ms; /* time of SIGKILL; -1: no SIGTERM was sent */
	uint32_t count; /* runs that have ended */
	int status; /* exit status of the last run */
	bool is_due; /* a run is due: the first, or files have changed since the last run began */
	int64_t first_ms, last_ms; /* times of the first and the last change for the next run */
};

static const struct option_row options[] = {
    {"count", 'n', OPTION_COUNT, offsetof(struct rerun, runs), NULL},
    {"quiet", 'q', OPTION_FLAG, offsetof(struct rerun, is_quiet), NULL},
    {"restart", 'r', OPTION_FLAG, offsetof(struct rerun, kills), NULL},
    {"settle", 't', OPTION_DURATION, offsetof(struct rerun, settle_ms), NULL},
    {0},
};

static bool is_running(const struct rerun *rerun)
{
	return rerun->child.pid > 0;
}

static bool add(const struct rerun *rerun, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};
	if (rerun->interrupt.extra_fd >= 0 &&
	    epoll_ctl(rerun->interrupt.extra_fd, EPOLL_CTL_ADD, fd, &event) == 0)
		return true;
	cli_error("cannot wait for changes: %s", strerror(errno));
	return false;
}

static void signal_child(const struct rerun *rerun, int number)
{
	if (is_running(rerun))
		(void)kill(-rerun->child.pid, number);
}

/* Signals a process group. Returns false if processes of the group remain after KILL_MS. */
static bool ends_by(pid_t group, int number)
{
	int64_t due_ms = clock_deadline_ms(KILL_MS);
	(void)kill(-group, number);
	while (clock_left_ms(due_ms) > 0) {
		(void)waitpid(group, NULL, WNOHANG);
		if (kill(-group, 0) < 0)
			return true;
		(void)poll(NULL, 0, END_LOOK_MS);
	}
	return false;
}

/* Ends the command's process group: by a signal, or if need be by SIGTERM or SIGKILL. */
static void end_group(const struct rerun *rerun, int number)
{
	if (!is_running(rerun) || ends_by(rerun->child.pid, number))
		return;
	if (number == SIGTERM || !ends_by(rerun->child.pid, SIGTERM))
		(void)kill(-rerun->child.pid, SIGKILL);
}

static enum cli_status start(struct rerun *rerun)
{
	const struct child_options how = {
	    .argv = rerun->command,
	    .streams = {{.kind = CHILD_NULL}, {.kind = CHILD_INHERIT}, {.kind = CHILD_INHERIT}},
	    .group = CHILD_NEW_SESSION,
	    .wants_pidfd = true,
	};
	int error = child_start(&how, &rerun->child);
	rerun->is_due = false;
	rerun->kill_ms = -1;
	rerun->started_ms = clock_mono_ms();
	if (error != 0) {
		cli_error("%s: %s", rerun->command[0], strerror(error));
		rerun->status = EXIT_NOT_FOUND;
		return CLI_NO;
	}
	return add(rerun, rerun->child.pidfd) ? CLI_DONE : CLI_NO;
}

static void say_end(const struct rerun *rerun)
{
	struct buf took = BUF(64);
	if (rerun->is_quiet)
		return;
	show_duration(&took, clock_mono_ms() - rerun->started_ms);
	cli_error("%s: exit status %d after %s", rerun->command[0], rerun->status, buf_text(&took));
	buf_finish(&took);
}

static void look_for_end(struct rerun *rerun)
{
	int status;
	if (!is_running(rerun) || waitpid(rerun->child.pid, &status, WNOHANG) == 0)
		return;
	rerun->status = WIFSIGNALED(status) ? CLI_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
	end_group(rerun, SIGTERM);
	(void)close(rerun->child.pidfd);
	rerun->child.pid = 0;
	rerun->count++;
	say_end(rerun);
}

static enum cli_status look_for_changes(struct rerun *rerun)
{
	char reason[512];
	const char *name;
	int r = file_tree_read(rerun->tree, &name, reason, sizeof reason);
	if (r < 0)
		return cli_fail(CLI_NO, "%s", reason);
	if (r == 0)
		return CLI_DONE;
	if (!rerun->is_quiet && !rerun->is_due) {
		(void)fputs("muxbus: ", stderr);
		screen_print_line(stderr, *name != '\0' ? name : "a file");
		(void)fputs(" has changed\n", stderr);
	}
	rerun->last_ms = clock_mono_ms();
	rerun->first_ms = rerun->is_due ? rerun->first_ms : rerun->last_ms;
	rerun->is_due = true;
	return CLI_DONE;
}

static int64_t settled_in_ms(const struct rerun *rerun)
{
	int64_t now_ms = clock_mono_ms(), left = rerun->last_ms + rerun->settle_ms - now_ms;
	int64_t most = rerun->first_ms + SETTLE_MAX * rerun->settle_ms - now_ms;
	left = left < most ? left : most;
	return !rerun->is_due ? -1 : left > 0 ? left : 0;
}

/* Starts the command, or stops the running one, when due. *ret_ms: time until the next call. */
static enum cli_status act(struct rerun *rerun, int64_t *ret_ms)
{
	int64_t left = settled_in_ms(rerun);
	*ret_ms = left;
	if (is_running(rerun) && rerun->kill_ms >= 0) {
		*ret_ms = clock_left_ms(rerun->kill_ms);
		if (*ret_ms == 0)
			signal_child(rerun, SIGKILL);
		*ret_ms = *ret_ms > 0 ? *ret_ms : KILL_MS;
	} else if (is_running(rerun) && !rerun->kills) {
		*ret_ms = -1;
	} else if (is_running(rerun) && left == 0) {
		signal_child(rerun, SIGTERM);
		rerun->kill_ms = clock_deadline_ms(KILL_MS);
		*ret_ms = KILL_MS;
	} else if (left == 0) {
		*ret_ms = -1;
		if (start(rerun) != CLI_DONE)
			return CLI_NO;
	}
	if (rerun->tree->is_torn && (*ret_ms < 0 || *ret_ms > LOOK_MS))
		*ret_ms = LOOK_MS;
	return CLI_DONE;
}

static int run(struct rerun *rerun)
{
	enum interrupt_wake wake = INTERRUPT_TIME;
	int64_t ms;
	int number = SIGPIPE;
	while (look_for_changes(rerun) == CLI_DONE) {
		look_for_end(rerun);
		if (rerun->runs > 0 && rerun->count == rerun->runs)
			return rerun->status;
		if (act(rerun, &ms) != CLI_DONE)
			return rerun->status;
		wake = interrupt_wait(&rerun->interrupt, NULL, ms, &number);
		if (wake == INTERRUPT_SIGNAL || wake == INTERRUPT_READER) {
			end_group(rerun, wake == INTERRUPT_SIGNAL ? number : SIGTERM);
			return CLI_SIGNAL + number;
		}
	}
	return CLI_NO;
}

static enum cli_status split(int argc, char **argv, int first, int *ret_dashes)
{
	*ret_dashes = first;
	while (*ret_dashes < argc && strcmp(argv[*ret_dashes], "--") != 0)
		++*ret_dashes;
	if (*ret_dashes == first)
		return cli_usage("rerun", "a pattern is missing, such as 'src/**/*.c'");
	if (*ret_dashes + 1 >= argc)
		return cli_usage("rerun", "a command is missing behind --");
	return CLI_DONE;
}

enum cli_status rerun_run(struct cli *cli, int argc, char **argv)
{
	struct rerun rerun = {.settle_ms = SETTLE_MS, .is_due = true, .status = CLI_NO};
	char reason[512];
	int first, dashes, exit_status = CLI_NO;
	enum cli_status status;
	if (!option_read(cli, argc, argv, options, &rerun, &first, &status))
		return status;
	if (remote_is(cli) || cli->is_fleet)
		return cli_usage("rerun",
		    "the files of this machine are watched: leave out --host and --fleet, or unset "
		    "MUXBUS_HOST and MUXBUS_FLEET");
	if (strcmp(argv[first - 1], "--") == 0)
		first--;
	status = split(argc, argv, first, &dashes);
	if (status != CLI_DONE)
		return status;
	rerun.command = argv + dashes + 1;
	rerun.tree = file_tree_new(argv + first, (size_t)(dashes - first), reason, sizeof reason);
	if (rerun.tree == NULL)
		return cli_fail(CLI_NO, "%s", reason);
	if (interrupt_open(&rerun.interrupt) == 0) {
		rerun.interrupt.extra_fd = epoll_create1(EPOLL_CLOEXEC);
		if (add(&rerun, rerun.tree->fd))
			exit_status = run(&rerun);
		if (rerun.interrupt.extra_fd >= 0)
			(void)close(rerun.interrupt.extra_fd);
		exit_status = (int)interrupt_close(&rerun.interrupt, (enum cli_status)exit_status);
	}
	file_tree_free(rerun.tree);
	return (enum cli_status)exit_status;
}
