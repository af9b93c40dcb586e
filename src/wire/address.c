/* SPDX-License-Identifier: ISC */
#include "wire/address.h"

#include "base/file.h"

#include <pwd.h>
#include <sys/socket.h>

#define KEY_NAME_MAX 32
#define LINKS_MAX 40 /* maximum number of links to follow; the kernel has the same limit */

struct address_parts {
	char dir[PATH_MAX];
	const char *name;
};

static int fits(int len, size_t size)
{
	return len >= 0 && (size_t)len < size ? 0 : -1;
}

int address_socket(char *out, size_t size, const char *tmux_socket)
{
	return fits(snprintf(out, size, "%s.muxbus", tmux_socket), size);
}

bool address_without_suffix(char *out, size_t size, const char *socket)
{
	bool has_suffix = str_ends_in(socket, ".muxbus");
	size_t len = strlen(socket) - (has_suffix ? strlen(".muxbus") : 0);
	return fits(snprintf(out, size, "%.*s", (int)len, socket), size) == 0 && has_suffix;
}

static int split(const char *path, struct address_parts *ret)
{
	int len;
	ret->name = str_last_part(path);
	len = ret->name > path + 1 ? (int)(ret->name - path) - 1 : 1;
	return fits(snprintf(ret->dir, sizeof ret->dir, "%.*s", len, ret->name > path ? path : "."),
	    sizeof ret->dir);
}

static int resolve(char out[PATH_MAX], const char *path)
{
	struct address_parts parts;
	size_t len;
	if (split(path, &parts) < 0)
		return -1;
	if (!realpath(parts.dir, out))
		return fits(snprintf(out, PATH_MAX, "%s", path), PATH_MAX);
	len = strlen(out);
	return fits(snprintf(out + len, PATH_MAX - len, "%s%s", len > 1 ? "/" : "", parts.name),
	    PATH_MAX - len);
}

/* Returns the FNV-1a hash of a path, which tells apart paths that end alike; not for security. */
static uint64_t hash(const char *text)
{
	uint64_t value = 0xcbf29ce484222325u;
	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * 0x100000001b3u;
	return value;
}

/* Writes a readable part and a hash, "default-0123456789abcdef". Returns 0, or -1 if too long. */
static int make_key(char *out, size_t size, const char *tmux_socket)
{
	char path[PATH_MAX];
	char name[KEY_NAME_MAX + 1] = "";
	size_t len = 0;
	if (resolve(path, tmux_socket) < 0)
		return -1;
	for (const char *p = str_last_part(path); *p && len < KEY_NAME_MAX; p++) {
		bool is_plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		    (*p >= '0' && *p <= '9') || strchr("._-", *p);
		name[len++] = is_plain ? *p : '_';
	}
	return fits(snprintf(out, size, "%s-%016llx", name, (unsigned long long)hash(path)), size);
}

static int in_xdg(
    char *out, size_t size, const char *variable, const char *fallback, const char *name)
{
	const char *base = getenv(variable), *home = address_home();
	/* The XDG specification ignores relative paths. */
	if (base != NULL && base[0] == '/')
		return fits(snprintf(out, size, "%s/muxbus/%s", base, name), size);
	if (home == NULL)
		return -1;
	return fits(snprintf(out, size, "%s/%s/muxbus/%s", home, fallback, name), size);
}

int address_state(char *out, size_t size, const char *tmux_socket)
{
	char key[KEY_NAME_MAX + 32];
	if (make_key(key, sizeof key, tmux_socket) < 0)
		return -1;
	return in_xdg(out, size, "XDG_STATE_HOME", ".local/state", key);
}

int address_fleet_state(char *out, size_t size)
{
	return in_xdg(out, size, "XDG_STATE_HOME", ".local/state", "fleet");
}

int address_config(char *out, size_t size, const char *name)
{
	return in_xdg(out, size, "XDG_CONFIG_HOME", ".config", name);
}

int address_fleet(char *out, size_t size)
{
	const char *base = getenv("XDG_RUNTIME_DIR");
	if (base != NULL && base[0] == '/')
		return fits(snprintf(out, size, "%s/muxbus/fleet", base), size);
	return fits(snprintf(out, size, "/tmp/muxbus-%ld/fleet", (long)getuid()), size);
}

const char *address_home(void)
{
	const char *home = getenv("HOME");
	const struct passwd *account;
	if (home != NULL && home[0] == '/')
		return home;
	account = getpwuid(getuid());
	return account != NULL && account->pw_dir[0] == '/' ? account->pw_dir : NULL;
}

int address_absolute(char *out, size_t size, const char *path)
{
	char dir[PATH_MAX];
	if (path[0] == '/')
		return fits(snprintf(out, size, "%s", path), size);
	if (!getcwd(dir, sizeof dir))
		return -1;
	return fits(snprintf(out, size, "%s/%s", dir, path), size);
}

int address_server(char *out, size_t size, const char *path)
{
	char at[PATH_MAX], target[PATH_MAX];
	ssize_t len;
	if (address_absolute(out, size, path) < 0 || address_absolute(at, sizeof at, path) < 0)
		return -1;
	for (int i = 0; i < LINKS_MAX && (len = readlink(at, target, sizeof target - 1)) >= 0;
	     i++) {
		size_t dir = target[0] == '/' ? 0 : (size_t)(str_last_part(at) - at);
		if (dir + (size_t)len >= sizeof at)
			return 0;
		memcpy(at + dir, target, (size_t)len);
		at[dir + (size_t)len] = '\0';
	}
	if (strcmp(at, out) != 0 && resolve(target, at) == 0 &&
	    strlen(target) + strlen(".muxbus") <= ADDRESS_SOCKET_MAX && strlen(target) < size)
		memcpy(out, target, strlen(target) + 1);
	return 0;
}

static bool owner_is_trusted(uid_t uid)
{
	return uid == geteuid() || uid == 0;
}

static int check_name(int dir_fd, const char *path, const char *name, char *ret_reason, size_t size)
{
	struct stat st;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno == ENOENT)
			return 0;
		return str_refuse(ret_reason, size, "%s: %s", path, strerror(errno));
	}
	if (!S_ISSOCK(st.st_mode))
		return str_refuse(ret_reason, size, "%s: exists and is not a socket", path);
	if (!owner_is_trusted(st.st_uid))
		return str_refuse(ret_reason, size, "%s: the socket belongs to user %u", path,
		    (unsigned)st.st_uid);
	return 0;
}

static int check_open_dir(
    int dir_fd, const char *path, const struct address_parts *parts, char *ret_reason, size_t size)
{
	struct stat st;
	if (fstat(dir_fd, &st) < 0)
		return str_refuse(ret_reason, size, "%s: %s", parts->dir, strerror(errno));
	if (!owner_is_trusted(st.st_uid))
		return str_refuse(ret_reason, size,
		    "the directory %s belongs to user %u, who could replace the socket", parts->dir,
		    (unsigned)st.st_uid);
	/* A sticky directory is safe: others can add files to it, but cannot remove ours. */
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(st.st_mode & S_ISVTX))
		return str_refuse(ret_reason, size,
		    "other users can write to the directory %s (mode %04o): chmod go-w it, or "
		    "choose another",
		    parts->dir, (unsigned)st.st_mode & 07777);
	return check_name(dir_fd, path, parts->name, ret_reason, size);
}

int address_check(const char *path, char *ret_reason, size_t size)
{
	struct address_parts parts;
	struct stat st;
	int r, dir_fd;
	if (strlen(path) > ADDRESS_SOCKET_MAX)
		return str_refuse(ret_reason, size,
		    "the socket path has %zu bytes; at most %zu are allowed, so choose one with "
		    "-s: %.*s",
		    strlen(path), ADDRESS_SOCKET_MAX, (int)ADDRESS_SOCKET_MAX, path);
	(void)split(path, &parts);
	if (!*parts.name || strcmp(parts.name, ".") == 0 || strcmp(parts.name, "..") == 0)
		return str_refuse(ret_reason, size, "\"%s\" does not name a socket", path);

	dir_fd = open(parts.dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir_fd < 0) {
		int saved_errno = errno;
		if (lstat(parts.dir, &st) == 0 && S_ISLNK(st.st_mode))
			return str_refuse(ret_reason, size,
			    "%s is a symbolic link, which could lead elsewhere: name the directory "
			    "itself",
			    parts.dir);
		return str_refuse(ret_reason, size, "%s: %s", parts.dir, strerror(saved_errno));
	}
	r = check_open_dir(dir_fd, path, &parts, ret_reason, size);
	(void)close(dir_fd);
	return r == 0 ? file_check_parents(parts.dir, "the socket", ret_reason, size) : r;
}
