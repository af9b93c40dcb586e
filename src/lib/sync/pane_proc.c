/* SPDX-License-Identifier: ISC */
#include "lib/sync/pane_proc.h"

#include <sys/sysmacros.h>

#include "base/process.h"

#define FILE_NAME_MAX 64 /* fits "4194304/ns/user" */
#define LINK_MAX_BYTES 64 /* fits "pid:[4026531836]" */
#define STAT_MAX 1024 /* fits 52 numbers and a name of 64 bytes */
#define STATUS_MAX 4096
#define PTS_MAJOR 136 /* UNIX98 pseudo terminals, from Linux admin-guide/devices.txt */

/* The first fields after the name in /proc/PID/stat. */
enum stat_field { STAT_PARENT, STAT_GROUP, STAT_SESSION, STAT_TTY, STAT_FOREGROUND, STAT_FIELDS };

static void write_name(char name[FILE_NAME_MAX], pid_t pid, const char *file)
{
	size_t len = sizeof "self" - 1;
	if (pid == 0)
		memcpy(name, "self", len);
	else
		len = str_put_u64(name, (uint64_t)pid, 1);
	name[len] = '/';
	memcpy(name + len + 1, file, strlen(file) + 1);
}

/* Reads a file of a process (pid 0: ours) as a string. Returns its length, or -1 with errno. */
static ssize_t read_file(
    const struct pane_proc *proc, pid_t pid, const char *file, char *text, size_t size)
{
	char name[FILE_NAME_MAX];
	ssize_t len;
	int error, fd;
	write_name(name, pid, file);
	fd = openat(proc->root, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -1;
	len = read(fd, text, size - 1);
	error = errno;
	close(fd);
	errno = error;
	text[len < 0 ? 0 : len] = '\0';
	return len;
}

static ssize_t read_link(
    const struct pane_proc *proc, pid_t pid, const char *file, char *text, size_t size)
{
	char name[FILE_NAME_MAX];
	ssize_t len;
	write_name(name, pid, file);
	len = readlinkat(proc->root, name, text, size - 1);
	text[len < 0 ? 0 : len] = '\0';
	return len;
}

static bool is_own_proc(const struct pane_proc *proc)
{
	char self[LINK_MAX_BYTES], pid[LINK_MAX_BYTES];
	ssize_t len = readlinkat(proc->root, "self", self, sizeof self - 1);
	if (len < 0)
		return false;
	self[len] = '\0';
	(void)snprintf(pid, sizeof pid, "%d", (int)getpid());
	return strcmp(self, pid) == 0;
}

static bool has_same_namespace(const struct pane_proc *proc, const char *file)
{
	char own[LINK_MAX_BYTES], other[LINK_MAX_BYTES];
	return read_link(proc, 0, file, own, sizeof own) > 0 &&
	    read_link(proc, proc->server, file, other, sizeof other) > 0 && strcmp(own, other) == 0;
}

static bool has_same_root(const struct pane_proc *proc)
{
	char name[FILE_NAME_MAX];
	struct stat own, other;
	write_name(name, proc->server, "root");
	return fstatat(proc->root, "self/root", &own, 0) == 0 &&
	    fstatat(proc->root, name, &other, 0) == 0 && own.st_dev == other.st_dev &&
	    own.st_ino == other.st_ino;
}

static bool has_same_line(const char *own, const char *other, const char *key)
{
	const char *a = strstr(own, key), *b = strstr(other, key);
	size_t len;
	if (a == NULL || b == NULL)
		return false;
	len = strcspn(a + 1, "\n") + 1;
	return len == strcspn(b + 1, "\n") + 1 && memcmp(a, b, len) == 0;
}

static bool has_same_rights(const struct pane_proc *proc)
{
	char own[STATUS_MAX], other[STATUS_MAX];
	return read_file(proc, 0, "status", own, sizeof own) > 0 &&
	    read_file(proc, proc->server, "status", other, sizeof other) > 0 &&
	    has_same_line(own, other, "\nUid:") && has_same_line(own, other, "\nCapEff:");
}

bool pane_proc_open(struct pane_proc *proc, const char *root, pid_t server)
{
	*proc = (struct pane_proc){.root = -1, .server = server};
	if (server <= 0)
		return false;
	proc->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc->root < 0)
		return false;
	if (is_own_proc(proc) && has_same_namespace(proc, "ns/pid") &&
	    has_same_namespace(proc, "ns/mnt") && has_same_namespace(proc, "ns/user") &&
	    has_same_root(proc) && has_same_rights(proc))
		return true;
	pane_proc_close(proc);
	return false;
}

void pane_proc_close(struct pane_proc *proc)
{
	if (proc->root >= 0)
		close(proc->root);
	proc->root = -1;
}

/* Returns true for an error of this process, which the tmux server may not have. */
static bool is_own_error(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM || error == EINTR;
}

/* Reads the fields of "1 (name) S 2 3 ...", where the name may contain ')' and blanks. */
static bool parse_stat(const char *line, int64_t fields[STAT_FIELDS])
{
	const char *p = strrchr(line, ')');
	if (p == NULL || strlen(p) < 4 || p[1] != ' ' || p[3] != ' ')
		return false;
	p += 4;
	for (int i = 0; i < STAT_FIELDS; i++) {
		const char *end = strchr(p, ' ');
		if (end == NULL || !str_parse_i64(p, (size_t)(end - p), &fields[i]))
			return false;
		p = end + 1;
	}
	return true;
}

/* Finds a terminal's device numbers, by its path if possible. Returns false for other files. */
static bool find_device(const char *path, unsigned *ret_major, unsigned *ret_minor)
{
	static const char pts[] = "/dev/pts/";
	struct stat status;
	*ret_major = PTS_MAJOR;
	if (strncmp(path, pts, sizeof pts - 1) == 0 &&
	    str_parse_u32(path + sizeof pts - 1, strlen(path) - sizeof pts + 1, ret_minor))
		return true;
	if (stat(path, &status) != 0 || !S_ISCHR(status.st_mode))
		return false;
	*ret_major = major(status.st_rdev);
	*ret_minor = minor(status.st_rdev);
	return true;
}

static bool is_device(int64_t number, const char *path)
{
	uint32_t device = (uint32_t)number;
	unsigned major_number, minor_number;
	return find_device(path, &major_number, &minor_number) &&
	    major_number == (device >> 8 & 0xfff) &&
	    minor_number == ((device & 0xff) | (device >> 12 & 0xfff00));
}

static bool read_group(const struct pane_proc *proc, pid_t pid, const char *tty, pid_t *ret_group)
{
	int64_t fields[STAT_FIELDS];
	char line[STAT_MAX];
	if (read_file(proc, pid, "stat", line, sizeof line) <= 0 || !parse_stat(line, fields) ||
	    fields[STAT_PARENT] != proc->server || fields[STAT_SESSION] != pid ||
	    !is_device(fields[STAT_TTY], tty))
		return false;
	*ret_group = (pid_t)fields[STAT_FOREGROUND];
	return true;
}

/* Returns true if all versions of tmux print the name unchanged. */
static bool is_plain(const char *name)
{
	for (; *name != '\0'; name++)
		if (*name <= ' ' || *name > '~' || *name == '\\')
			return false;
	return true;
}

static unsigned read_command(const struct pane_proc *proc, struct pane_foreground *foreground)
{
	char *line = foreground->command;
	const size_t size = sizeof foreground->command;
	const char *name;
	ssize_t len = -1;
	errno = ENOENT;
	if (foreground->group > 0)
		len = read_file(proc, foreground->group, "cmdline", line, size);
	if (len < 0 && is_own_error(errno))
		return 0;
	if (len <= 0 || line[0] == '\0')
		return PANE_PROC_START;
	if ((size_t)len == size - 1 && strlen(line) == (size_t)len)
		return 0; /* the first argument may be cut off */
	name = process_cut_name(line);
	if (!is_plain(name))
		return 0;
	memmove(line, name, strlen(name) + 1);
	return PANE_PROC_COMMAND;
}

static unsigned read_path(
    const struct pane_proc *proc, pid_t pid, struct pane_foreground *foreground)
{
	ssize_t len = -1;
	errno = ENOENT;
	if (foreground->group > 0)
		len = read_link(
		    proc, foreground->group, "cwd", foreground->path, sizeof foreground->path);
	if (len < 0 && !is_own_error(errno))
		len = read_link(proc, pid, "cwd", foreground->path, sizeof foreground->path);
	return len < 0 && is_own_error(errno) ? 0 : PANE_PROC_PATH;
}

unsigned pane_proc_read(const struct pane_proc *proc, pid_t pid, const char *tty,
    struct pane_foreground *ret_foreground)
{
	unsigned known = 0;
	ret_foreground->group = 0;
	ret_foreground->path[0] = '\0';
	if (proc->root >= 0 && pid > 0 && read_group(proc, pid, tty, &ret_foreground->group))
		known = read_command(proc, ret_foreground) | read_path(proc, pid, ret_foreground);
	if (!(known & PANE_PROC_COMMAND))
		ret_foreground->command[0] = '\0';
	return known;
}
