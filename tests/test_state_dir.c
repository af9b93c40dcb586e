/* SPDX-License-Identifier: ISC */
/* The state directory and the lock in it: made, or refused because others could write there. */
#include "daemon/core/state_dir.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/core/start.h"
#include "tap.h"

enum {
	OTHER_USER = 54321,
	KEPT_MS = 200, /* how long the child of an ended holder keeps the locks */
};

static char top[] = "/tmp/muxbus-state-XXXXXX";
static char reason[1024];

static const char *place(const char *name)
{
	static char path[4][256];
	static unsigned next;
	char *out = path[next++ % 4];
	(void)snprintf(out, sizeof path[0], "%s/%s", top, name);
	return out;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status;
	(void)kind;
	(void)at;
	return remove(path);
}

static void make_dir(const char *name, mode_t mode)
{
	if (mkdir(place(name), 0700) < 0 || chmod(place(name), mode) < 0)
		abort();
}

static void check_dir(const char *name, const char *want, const char *what)
{
	int fd;
	reason[0] = '\0';
	fd = state_dir_open(place(name), reason, sizeof reason);
	if (want == NULL)
		ok(fd >= 0, "%s: %s", what, reason);
	else
		ok(fd < 0 && strstr(reason, want) != NULL, "%s: %s", what, reason);
	if (fd >= 0)
		(void)close(fd);
}

static unsigned mode_of(const char *name)
{
	struct stat st = {0};
	(void)stat(place(name), &st);
	return st.st_mode & 07777;
}

static void test_modes(void)
{
	check_dir("a/b/c", NULL, "a directory and its parents are made");
	is_int(mode_of("a/b/c"), 0700, "for us alone");
	is_int(mode_of("a"), 0700, "and so are parents");
	make_dir("readable", 0755);
	check_dir("readable", NULL, "one that others could read is taken");
	is_int(mode_of("readable"), 0700, "and closed to them");
	make_dir("open", 0777);
	check_dir("open", "run: chmod 700 '", "one that all could write to is refused");
	is_int(mode_of("open"), 0777, "and stays as it is");
	make_dir("sticky", 01777);
	check_dir("sticky", "writable by others", "also with the sticky bit");
	make_dir("group", 0770);
	check_dir("group", "writable by others", "also by its group");
	check_dir("open/b", "chmod o-w", "and so is an open parent");
	ok(access(place("open/b"), F_OK) < 0, "in which nothing is made");
	check_dir("open/b/c", "chmod o-w", "however far up");
	check_dir("sticky/b", NULL, "a parent with the sticky bit is fine");
	make_dir("umask", 0775);
	check_dir("umask/b", NULL, "or writable by a group, as with umask 002");
}

static void test_links(void)
{
	make_dir("real", 0700);
	if (symlink("real", place("link")) < 0 || symlink("open", place("door")) < 0)
		abort();
	check_dir("link", "symbolic link", "a symbolic link is refused");
	check_dir("link/b", NULL, "but can be a parent");
	check_dir("door/b", "chmod o-w", "unless it leads to an open directory");
	if (creat(place("file"), 0600) < 0)
		abort();
	check_dir("file", "not a directory", "a file is refused");
}

static void test_owners(void)
{
	if (geteuid() != 0) {
		skip("only root can give directories away");
		return;
	}
	make_dir("theirs", 0755);
	(void)!chown(place("theirs"), OTHER_USER, OTHER_USER);
	check_dir("theirs", "belongs to user 54321", "the directory of another user is refused");
	make_dir("foreign", 0755);
	(void)!chown(place("foreign"), OTHER_USER, OTHER_USER);
	check_dir("foreign/b", "XDG_STATE_HOME", "and so is one under theirs");
	ok(access(place("foreign/b"), F_OK) < 0, "in which nothing is made");
	if (symlink("real", place("trap")) < 0)
		abort();
	(void)!lchown(place("trap"), OTHER_USER, OTHER_USER);
	check_dir("trap/b", "belongs to user 54321", "or behind their symbolic link");
}

/* Takes the lock of a directory whose lock file links to "victim". Returns that file's text. */
static const char *victim_after(const char *name, enum lock_result want)
{
	static char text[64];
	struct lock_holder holder;
	int fd = -1, victim;
	ssize_t len;
	reason[0] = '\0';
	is_int(lock_take(place(name), &fd, &holder, reason, sizeof reason), want, "%s: %s", name,
	    reason);
	if (fd >= 0) {
		lock_describe(fd, "/run/socket");
		(void)close(fd);
	}
	victim = open(place("victim"), O_RDONLY | O_CLOEXEC);
	len = read(victim, text, sizeof text - 1);
	text[len > 0 ? len : 0] = '\0';
	(void)close(victim);
	return text;
}

static void test_lock(void)
{
	int fd = open(place("victim"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "precious", 8) != 8 || close(fd) < 0)
		abort();
	make_dir("soft", 0700);
	make_dir("hard", 0700);
	make_dir("pipe", 0700);
	if (symlink("../victim", place("soft/lock")) < 0 ||
	    link(place("victim"), place("hard/lock")) < 0 || mkfifo(place("pipe/lock"), 0600) < 0)
		abort();
	is_str(victim_after("soft", LOCK_ERROR), "precious", "a lock is no symbolic link");
	ok(strstr(reason, "symbolic link; remove it") != NULL, "which is said: %s", reason);
	is_str(victim_after("hard", LOCK_OK), "precious", "with a second name it is not written");
	is_str(victim_after("pipe", LOCK_ERROR), "precious", "nor is it a pipe");
}

/* A socket as tmux has one, of this process. Returns its path. */
static const char *make_server(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const char *path = place("tmux");
	memcpy(address.sun_path, path, strlen(path) + 1);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof address) < 0 ||
	    listen(fd, 16) < 0)
		abort();
	return path;
}

/* A process that takes both locks. It ends, and its child has them for a while, if at all. */
static pid_t start_holder(const char *tmux_socket, bool is_ending)
{
	int ready[2];
	char byte;
	pid_t holder;
	if (pipe(ready) < 0 || (holder = fork()) < 0)
		abort();
	if (holder == 0) {
		struct server_lock lock = {0};
		struct lock_holder other;
		int fd;
		if (lock_take(place("kept"), &fd, &other, reason, sizeof reason) != LOCK_OK ||
		    !lock_server(&lock, tmux_socket, &other))
			_exit(1);
		lock_describe(fd, "/run/socket");
		if (is_ending && fork() == 0) {
			(void)usleep(KEPT_MS * 1000);
			_exit(0);
		}
		if (write(ready[1], "r", 1) == 1)
			for (bool stays = !is_ending; stays;)
				(void)pause();
		(void)kill(getpid(), SIGKILL);
	}
	(void)close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		abort();
	(void)close(ready[0]);
	return holder;
}

/* The children that a killed daemon was starting have its descriptors until they have started. */
static void test_holder(void)
{
	struct server_lock lock = {0};
	struct lock_holder other;
	const char *tmux_socket = make_server();
	pid_t holder = start_holder(tmux_socket, true);
	int fd = -1;
	(void)waitpid(holder, NULL, 0);
	is_int(lock_take(place("kept"), &fd, &other, reason, sizeof reason), LOCK_OK,
	    "the directory of a daemon that was killed while it started a program is free soon");
	(void)close(fd);
	holder = start_holder(tmux_socket, true);
	(void)waitpid(holder, NULL, 0);
	ok(lock_server(&lock, tmux_socket, &other), "and so is its tmux server");
	(void)close(lock.fd);
	lock.server = 0;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
	holder = start_holder(tmux_socket, false);
	is_int(lock_take(place("kept"), &fd, &other, reason, sizeof reason), LOCK_HELD,
	    "a daemon that runs keeps its directory");
	is_int(other.pid, holder, "and is named");
	ok(!lock_server(&lock, tmux_socket, &other), "it keeps its tmux server");
	is_int(other.pid, holder, "and is named");
	lock = (struct server_lock){.fd = -1, .server = getpid()};
	ok(!lock_server(&lock, tmux_socket, &other),
	    "the lock of an ended server with its number is none of it");
	(void)kill(holder, SIGKILL);
	is_int(lock_take(place("kept"), &fd, &other, reason, sizeof reason), LOCK_OK,
	    "a daemon that was just killed has no directory");
	(void)close(fd);
	ok(lock_server(&lock, tmux_socket, &other), "and no tmux server");
	(void)close(lock.fd);
	(void)waitpid(holder, NULL, 0);
}

int main(void)
{
	if (mkdtemp(top) == NULL)
		abort();
	test_modes();
	test_links();
	test_owners();
	test_lock();
	test_holder();
	(void)nftw(top, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	return done_testing();
}
