/* SPDX-License-Identifier: ISC */
/* The state directory and the lock in it: made, or refused because others could write there. */
#include "daemon/core/state_dir.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/core/lock.h"
#include "tap.h"

enum { OTHER_USER = 54321 };

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

/* Takes the lock of a directory whose lock file is another file, and writes into it. */
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

int main(void)
{
	if (mkdtemp(top) == NULL)
		abort();
	test_modes();
	test_links();
	test_owners();
	test_lock();
	(void)nftw(top, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	return done_testing();
}
