/* SPDX-License-Identifier: ISC */
/* The list of hosts: the user's hosts file, and the daemons in tmux's folder of sockets. */
#include <dirent.h>

#include "base/file.h"
#include "daemon/core/rlimit.h"
#include "daemon/file/folder_watch.h"
#include "daemon/file/inotify_hub.h"
#include "daemon/fleet/fleet_parts.h"
#include "daemon/fleet/host.h"
#include "io/loop_timer.h"
#include "wire/address.h"

static const char suffix[] = ".muxbus"; /* suffix of a daemon's socket */

/* delay before hosts are read again after a resource limit (rlimit_text()) */
enum { AGAIN_MS = 5000 };

struct hosts_file {
	struct host_set *hosts;
	struct inotify_hub *hub;
	struct folder_watch *config, *sockets;
	struct loop_timer *again;
	char path[PATH_MAX]; /* "" if none */
	char sockets_dir[PATH_MAX]; /* directory of tmux's sockets */
	char own_name[HOST_NAME_BYTES + 1];
	struct hosts_file_error errors[HOSTS_FILE_ERRORS + 1]; /* the last counts all later ones */
	size_t error_count;
	/* the hosts that were read, with the strings of local daemons (texts) */
	struct host_spec specs[HOSTS_MAX];
	size_t spec_count;
	char *texts[HOSTS_MAX + 1];
	size_t text_count;
};

static void add_error(struct hosts_file *file, unsigned line, const char *text)
{
	size_t at = file->error_count++;
	struct hosts_file_error *error =
	    &file->errors[at < HOSTS_FILE_ERRORS ? at : HOSTS_FILE_ERRORS];
	if (at <= HOSTS_FILE_ERRORS)
		error->line = line;
	if (at < HOSTS_FILE_ERRORS)
		(void)snprintf(error->text, sizeof error->text, "%s", text);
	else
		(void)snprintf(error->text, sizeof error->text, "further errors, not listed: %zu",
		    at + 1 - HOSTS_FILE_ERRORS);
}

/* Adds a host to specs. Returns false for a duplicate, or if there are HOSTS_MAX. */
static bool want(struct hosts_file *file, unsigned line, const struct host_spec *spec)
{
	for (size_t at = 0; at < file->spec_count; at++)
		if (strcmp(file->specs[at].name, spec->name) == 0 &&
		    strcmp(file->specs[at].server, spec->server) == 0) {
			add_error(file, line, "there is a host of this name and server already");
			return false;
		}
	if (file->spec_count == HOSTS_MAX) {
		add_error(file, line, "there are 1000 hosts already");
		return false;
	}
	file->specs[file->spec_count++] = *spec;
	return true;
}

/* If a resource limit prevents reading hosts, keeps the present ones, and reads again later. */
static void keep_hosts(struct hosts_file *file, bool is_local, int error)
{
	if (rlimit_text(error) == NULL)
		return;
	host_each (file->hosts, host)
		if ((host->spec.socket != NULL) == is_local)
			(void)want(file, 0, &host->spec);
	loop_timer_arm(file->again, AGAIN_MS);
}

static int is_socket(const struct dirent *entry)
{
	return str_ends_in(entry->d_name, suffix);
}

/* Finds the user's daemons with a socket in tmux's folder, up to a limit. On error, keeps those. */
static void read_local(struct hosts_file *file)
{
	struct dirent **entries;
	struct stat status;
	int count = scandir(file->sockets_dir, &entries, is_socket, alphasort);
	if (count < 0)
		keep_hosts(file, true, errno);
	for (int at = 0; at < count; at++) {
		char *path = xasprintf("%s/%s", file->sockets_dir, entries[at]->d_name);
		char *server = entries[at]->d_name;
		server[strlen(server) - (sizeof suffix - 1)] = '\0';
		if (file->text_count + 2 <= HOSTS_MAX && host_line_is_name(server) &&
		    lstat(path, &status) == 0 && S_ISSOCK(status.st_mode) &&
		    status.st_uid == geteuid()) {
			server = file->texts[file->text_count++] = xstrdup(server);
			file->texts[file->text_count++] = path;
			(void)want(file, 0,
			    &(struct host_spec){
				.name = file->own_name, .server = server, .socket = path});
		} else {
			mem_free(path);
		}
		free(entries[at]);
	}
	if (count >= 0)
		free(entries);
}

/* Reads the hosts file. The text stays empty if the file does not exist or cannot be used. */
static void read_text(struct hosts_file *file, struct buf *text)
{
	char reason[HOSTS_FILE_ERROR_SIZE] = "";
	if (file_read_safe(file->path, text, reason, sizeof reason) == 0 || errno == ENOENT ||
	    errno == ENOTDIR)
		return;
	keep_hosts(file, false, errno);
	add_error(file, 0, reason);
	buf_clear(text);
}

static void read_lines(struct hosts_file *file, char *text)
{
	char *line, reason[HOSTS_FILE_ERROR_SIZE];
	struct host_spec spec;
	for (unsigned number = 1; (line = strsep(&text, "\n")) != NULL; number++) {
		int result = host_line_read(line, &spec, reason, sizeof reason);
		if (result < 0)
			add_error(file, number, reason);
		else if (result > 0)
			(void)want(file, number, &spec);
	}
}

static bool is_wanted(const struct hosts_file *file, const struct host *host)
{
	for (size_t at = 0; at < file->spec_count; at++)
		if (host_is(host, &file->specs[at]))
			return true;
	return false;
}

/*
 * A host that is listed no more may have been renamed. Returns its new spec if the new name is
 * free, or belongs to another host that is listed no more. Else returns NULL.
 */
static const struct host_spec *find_new_name(const struct hosts_file *file, const struct host *host)
{
	for (size_t at = 0; at < file->spec_count; at++) {
		const struct host_spec *spec = &file->specs[at];
		const struct host *other = host_set_find(file->hosts, spec->name, spec->server);
		if (host_is_renamed(host, spec) && (other == NULL || !is_wanted(file, other)))
			return spec;
	}
	return NULL;
}

/* Renames a host. Another host of that name gets a temporary name that no file can have. */
static void rename_host(struct hosts_file *file, struct host *host, const struct host_spec *spec)
{
	struct host *other = host_set_find(file->hosts, spec->name, spec->server);
	static unsigned number;
	char name[16];
	struct host_spec away;
	if (other != NULL) {
		(void)snprintf(name, sizeof name, "?%u", ++number);
		away = other->spec;
		away.ssh = away.ssh != NULL ? away.ssh : away.name;
		away.name = name;
		host_rename(other, &away);
	}
	host_rename(host, spec);
}

/*
 * Removes hosts that are no longer listed. If renames, renames those that have a new name instead.
 * Returns true if there was an unlisted host.
 */
static bool change_hosts(struct hosts_file *file, bool renames)
{
	struct host *host = host_set_next(file->hosts, NULL), *next;
	bool is_changed = false;
	for (; host != NULL; host = next) {
		const struct host_spec *spec;
		next = host_set_next(file->hosts, host);
		if (is_wanted(file, host))
			continue;
		spec = find_new_name(file, host);
		if (spec == NULL)
			host_remove(host);
		else if (renames)
			rename_host(file, host, spec);
		is_changed = true;
	}
	return is_changed;
}

static void apply(struct hosts_file *file)
{
	/* removes hosts first, so that their names are free for others */
	(void)change_hosts(file, false);
	while (change_hosts(file, true))
		continue;
	for (size_t at = 0; at < file->spec_count; at++)
		(void)host_add(file->hosts, &file->specs[at]); /* cannot fail: at most HOSTS_MAX */
}

static void on_changed(void *data)
{
	struct hosts_file *file = data;
	const struct hosts_file_error *error;
	struct buf text = BUF(HOSTS_FILE_BYTES);
	if (folder_watch_is_written(file->config))
		return; /* on_changed() is called again when the file is closed */
	file->error_count = file->spec_count = file->text_count = 0;
	read_local(file);
	read_text(file, &text);
	read_lines(file, (char *)text.data);
	for (size_t at = 0; (error = hosts_file_error(file, at)) != NULL; at++)
		log_warning("%s:%u: %s", file->path, error->line, error->text);
	apply(file);
	buf_finish(&text);
	while (file->text_count > 0)
		mem_free(file->texts[--file->text_count]);
}

/* Sets the name of this machine without its domain; "localhost" if that is no valid name. */
static void set_own_name(struct hosts_file *file)
{
	char *name = file->own_name;
	if (gethostname(name, sizeof file->own_name - 1) < 0)
		name[0] = '\0';
	name[strcspn(name, ".")] = '\0';
	if (!host_line_is_name(name))
		(void)snprintf(name, sizeof file->own_name, "localhost");
}

static struct folder_watch *watch_folder(
    struct hosts_file *file, struct event_base *base, const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	if (slash == NULL)
		return NULL;
	(void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
	return folder_watch_new(base, file->hub, folder, on_changed, file);
}

struct hosts_file *hosts_file_new(struct event_base *base, struct host_set *hosts)
{
	struct hosts_file *file = xcalloc(1, sizeof *file);
	char *slash;
	file->hosts = hosts;
	set_own_name(file);
	if (address_config(file->path, sizeof file->path, "hosts") < 0)
		file->path[0] = '\0';
	if (file_tmux_socket(file->sockets_dir, sizeof file->sockets_dir, "default", NULL) < 0)
		file->sockets_dir[0] = '\0';
	file->again = loop_timer_new(base, on_changed, file);
	file->hub = inotify_hub_new(base, NULL, NULL);
	file->config = watch_folder(file, base, file->path);
	file->sockets = watch_folder(file, base, file->sockets_dir);
	slash = strrchr(file->sockets_dir, '/');
	if (slash != NULL)
		*slash = '\0';
	on_changed(file);
	return file;
}

void hosts_file_free(struct hosts_file *file)
{
	if (file == NULL)
		return;
	folder_watch_free(file->config);
	folder_watch_free(file->sockets);
	inotify_hub_free(file->hub);
	loop_timer_free(file->again);
	mem_free(file);
}

const char *hosts_file_path(const struct hosts_file *file)
{
	return file->path;
}

const struct hosts_file_error *hosts_file_error(const struct hosts_file *file, size_t at)
{
	return at < file->error_count && at <= HOSTS_FILE_ERRORS ? &file->errors[at] : NULL;
}
