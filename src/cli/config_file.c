/* SPDX-License-Identifier: ISC */
#include "cli/config_file.h"

#include <dirent.h>
#include <time.h>

#include "base/file.h"
#include "wire/address.h"

#define NEW_MODE 0600 /* mode of a new file, which may later hold secrets */
#define NEW_DIR_MODE 0700
#define LINKS_MAX 40

static bool fail(char *ret_reason, size_t size, const char *path, const char *what)
{
	(void)snprintf(ret_reason, size, "%s: %s", path, what);
	return false;
}

static bool follow_links(const char *path, char target[PATH_MAX])
{
	char link[PATH_MAX];
	if (realpath(path, target) != NULL)
		return true;
	(void)snprintf(target, PATH_MAX, "%s", path);
	for (int i = 0; i < LINKS_MAX; i++) {
		ssize_t len = readlink(target, link, sizeof link - 1);
		char *slash = strrchr(target, '/');
		size_t dir = slash != NULL ? (size_t)(slash - target) + 1 : 0;
		if (len < 0)
			return true; /* the path is no link, or cannot be read */
		link[len] = '\0';
		dir = link[0] == '/' ? 0 : dir;
		if (dir + (size_t)len >= PATH_MAX) {
			errno = ENAMETOOLONG;
			return false;
		}
		memcpy(target + dir, link, (size_t)len + 1);
	}
	errno = ELOOP;
	return false;
}

/* If we are root, finds the owner for a new file: that of its nearest existing directory. */
static void find_owner(struct config_file *file)
{
	char dir[PATH_MAX], *slash;
	(void)snprintf(dir, sizeof dir, "%s", file->target);
	while (geteuid() == 0 && (slash = strrchr(dir, '/')) > dir) {
		*slash = '\0';
		if (stat(dir, &file->stat) == 0) {
			file->has_owner = file->stat.st_uid != 0;
			return;
		}
	}
}

bool config_file_read(struct config_file *file, const char *path, char *ret_reason, size_t size)
{
	const char *trouble = NULL;
	int fd;
	*file = (struct config_file){0};
	buf_init(&file->text, CONFIG_FILE_MAX);
	if (strlen(path) >= sizeof file->path)
		return fail(ret_reason, size, path, strerror(ENAMETOOLONG));
	(void)snprintf(file->path, sizeof file->path, "%s", path);
	if (!follow_links(path, file->target))
		return fail(ret_reason, size, path, strerror(errno));
	fd = open(file->target, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT) {
		find_owner(file);
		return true;
	}
	if (fd < 0)
		return fail(ret_reason, size, path, strerror(errno));
	if (fstat(fd, &file->stat) < 0)
		trouble = strerror(errno);
	else if (!S_ISREG(file->stat.st_mode))
		trouble = "it is not a regular file";
	else if (file_read_all(fd, &file->text) < 0)
		trouble = strerror(errno);
	(void)close(fd);
	file->is_there = true;
	return trouble != NULL ? fail(ret_reason, size, path, trouble) : true;
}

static bool make_dirs(const struct config_file *file)
{
	char dir[PATH_MAX];
	(void)snprintf(dir, sizeof dir, "%s", file->target);
	return file_make_folders(dir, NEW_DIR_MODE, file->has_owner ? &file->stat : NULL) == 0;
}

static bool copy_owner(int fd, const struct config_file *like)
{
	uid_t uid = like->stat.st_uid != geteuid() ? like->stat.st_uid : (uid_t)-1;
	/* If the group cannot be set, the mode must grant nothing to the group. */
	bool has_group = fchown(fd, (uid_t)-1, like->stat.st_gid) == 0;
	mode_t mode = like->stat.st_mode & (has_group ? 0777 : 0707);
	if (fchown(fd, uid, (gid_t)-1) < 0)
		return false;
	return !like->is_there || fchmod(fd, mode) == 0;
}

static bool write_new(const char *path, const struct buf *text, const struct config_file *like)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, NEW_MODE);
	bool is_done;
	if (fd < 0)
		return false;
	is_done = file_write_all(fd, text->data, text->len) == 0 &&
	    (!(like->is_there || like->has_owner) || copy_owner(fd, like)) && fsync(fd) == 0;
	if (close(fd) < 0 || !is_done) {
		int saved_errno = errno;
		(void)unlink(path);
		errno = saved_errno;
		return false;
	}
	return true;
}

static bool is_unchanged(const struct config_file *file)
{
	struct stat now;
	if (stat(file->target, &now) < 0)
		return !file->is_there && errno == ENOENT;
	return file->is_there && now.st_ino == file->stat.st_ino &&
	    now.st_size == file->stat.st_size && now.st_mtim.tv_sec == file->stat.st_mtim.tv_sec &&
	    now.st_mtim.tv_nsec == file->stat.st_mtim.tv_nsec;
}

static bool keep_backup(struct config_file *file)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm utc;
	file->backup[0] = '\0';
	if (!file->is_there)
		return true;
	(void)strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
	for (int n = 1; n < 100; n++) {
		int len = snprintf(file->backup, sizeof file->backup, "%s.%s%s%.0d.bak",
		    file->target, stamp, n > 1 ? "-" : "", n > 1 ? n : 0);
		if (len < 0 || (size_t)len >= sizeof file->backup) {
			errno = ENAMETOOLONG;
			return false;
		}
		if (write_new(file->backup, &file->text, file))
			return true;
		if (errno != EEXIST)
			return false;
	}
	return false;
}

static bool is_ours(const struct config_file *file, char *ret_reason, size_t size)
{
	return !file->is_there || file->stat.st_uid == geteuid() || geteuid() == 0 ||
	    fail(ret_reason, size, file->path,
		"it belongs to another user, who alone can change it");
}

bool config_file_write(struct config_file *file, const struct buf *text, bool has_backup,
    char *ret_reason, size_t size)
{
	char path[PATH_MAX + 32];
	const char *trouble = NULL;
	(void)snprintf(path, sizeof path, "%s.new-%ld", file->target, (long)getpid());
	if (!is_ours(file, ret_reason, size))
		return false;
	if (file->is_there && buf_is_equal(text, &file->text))
		return true;
	/* Make no directories behind a symbolic link, since their disk may just not be mounted. */
	if ((strcmp(file->path, file->target) == 0 && !make_dirs(file)) ||
	    !write_new(path, text, file))
		return fail(ret_reason, size, path, strerror(errno));
	if (has_backup && !keep_backup(file))
		trouble = strerror(errno);
	else if (!is_unchanged(file))
		trouble = "it was changed meanwhile; try again";
	else if (rename(path, file->target) < 0)
		trouble = strerror(errno);
	if (trouble == NULL)
		return true;
	(void)unlink(path);
	return fail(ret_reason, size, file->path, trouble);
}

static bool is_same_folder(const struct stat *one, const char *path)
{
	struct stat other;
	return path != NULL && stat(path, &other) == 0 && one->st_dev == other.st_dev &&
	    one->st_ino == other.st_ino;
}

static void remove_folders(const char *path)
{
	const char *home = address_home();
	static char dir[PATH_MAX], here[PATH_MAX];
	struct stat status;
	size_t home_len = home != NULL ? strlen(home) : 0;
	size_t here_len = getcwd(here, sizeof here) != NULL ? strlen(here) : 0;
	char *slash;
	(void)snprintf(dir, sizeof dir, "%s", path);
	while ((slash = strrchr(dir, '/')) != NULL) {
		*slash = '\0';
		if (stat(dir, &status) < 0 || is_same_folder(&status, ".") ||
		    is_same_folder(&status, home) || rmdir(dir) < 0 ||
		    !((home_len > 0 && strncmp(dir, home, home_len) == 0) ||
			(here_len > 0 && strncmp(dir, here, here_len) == 0)))
			return;
	}
}

bool config_file_remove(struct config_file *file, bool has_backup, char *ret_reason, size_t size)
{
	const char *trouble = NULL;
	if (!is_ours(file, ret_reason, size))
		return false;
	if (has_backup && !keep_backup(file))
		trouble = strerror(errno);
	else if (!is_unchanged(file))
		trouble = "it was changed meanwhile; try again";
	else if (unlink(file->path) < 0)
		trouble = strerror(errno);
	if (trouble != NULL)
		return fail(ret_reason, size, file->path, trouble);
	remove_folders(file->path);
	return true;
}

void config_splice(struct buf *text, size_t begin, size_t end, const void *bytes, size_t len)
{
	struct buf out = BUF(text->max);
	int r;
	r = buf_append(&out, text->data, begin);
	r |= buf_append(&out, bytes, len);
	r |= buf_append(&out, buf_text(text) + end, text->len - end);
	if (r < 0)
		xalloc_fail();
	buf_finish(text);
	*text = out;
}

/* Returns true for the name of a backup: BASE.TIME.bak or BASE.TIME-N.bak. */
static bool is_backup(const char *name, const char *base)
{
	size_t len = strlen(base);
	const char *end = strrchr(name, '.');
	return strncmp(name, base, len) == 0 && name[len] == '.' && end != NULL &&
	    end > name + len && strcmp(end, ".bak") == 0 &&
	    strspn(name + len + 1, "0123456789TZ-") == (size_t)(end - name) - len - 1;
}

void config_file_each_backup(
    const struct config_file *file, bool (*visit)(void *data, const struct buf *text), void *data)
{
	const char *slash = strrchr(file->target, '/');
	static char folder[PATH_MAX], path[PATH_MAX], reason[PATH_MAX + 128];
	const struct dirent *entry;
	DIR *dir;
	(void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - file->target), file->target);
	dir = opendir(folder);
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		static struct config_file backup;
		int len = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		if (!is_backup(entry->d_name, slash + 1) || len < 0 || (size_t)len >= sizeof path)
			continue;
		if (config_file_read(&backup, path, reason, sizeof reason) &&
		    strcmp(backup.target, path) == 0 && visit(data, &backup.text))
			(void)unlink(path);
		buf_finish(&backup.text);
	}
	if (dir != NULL)
		(void)closedir(dir);
}
