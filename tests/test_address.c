/* SPDX-License-Identifier: ISC */
/* Addresses: their form, and directories that are unsafe for a socket. Some checks need root. */
#include "wire/address.h"

#include <fcntl.h>
#include <limits.h>
#include <muxbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "tap.h"

#define OTHER_UID 12345

static char top[64] = "/tmp/muxbus-test-XXXXXX";
static char reason[400];

/* Ends the test if its precondition could not be made. */
static void must(int r)
{
	if (r < 0) {
		perror(top);
		exit(99);
	}
}

/* A path below the test's directory. */
static const char *at(const char *name)
{
	static char paths[4][200];
	static int next;
	char *path = paths[next++ % 4];
	(void)snprintf(path, sizeof paths[0], "%s/%s", top, name);
	return path;
}

static int check(const char *path)
{
	reason[0] = '\0';
	return address_check(path, reason, sizeof reason);
}

static void make_dir(const char *name, mode_t mode)
{
	(void)mkdir(at(name), 0700);
	(void)chmod(at(name), mode);
}

static int make_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;
	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		(void)bind(fd, (struct sockaddr *)&address, sizeof address);
	return fd;
}

/* A server has one address, whatever path names it. */
static void test_server(void)
{
	char out[PATH_MAX], real[PATH_MAX], target[PATH_MAX], deep[120];
	(void)snprintf(real, sizeof real, "%s/target", top);
	must(symlink("target", at("to_server")));
	must(symlink(at("to_server"), at("to_it")));
	must(symlink("to_itself", at("to_itself")));
	is_int(address_server(out, sizeof out, real), 0, "a path");
	is_str(out, real, "stays");
	is_int(address_server(out, sizeof out, at("to_server")), 0, "a link to nothing yet");
	is_str(out, real, "leads there");
	is_int(address_server(out, sizeof out, at("to_it")), 0, "so does a link to it");
	is_str(out, real, "also");
	is_int(address_server(out, sizeof out, at("to_itself")), 0, "a loop");
	is_str(out, at("to_itself"), "stays");
	memset(deep, 'x', sizeof deep - 1);
	deep[sizeof deep - 1] = '\0';
	(void)snprintf(target, sizeof target, "/tmp/%s", deep);
	must(symlink(target, at("long")));
	is_int(address_server(out, sizeof out, at("long")), 0, "a link to a path that is too long");
	is_str(out, at("long"), "stays");
	is_int(address_server(out, 5, at("to_server")), -1, "what does not fit is refused");
}

static void test_paths(void)
{
	char out[200], same[200], other[200];
	is_int(address_socket(out, sizeof out, "/tmp/tmux-0/default"), 0, "the socket");
	is_str(out, "/tmp/tmux-0/default.muxbus", "lies beside tmux's");
	is_int(address_socket(out, 26, "/tmp/tmux-0/default"), -1, "what does not fit is refused");
	is_int(address_socket(out, 27, "/tmp/tmux-0/default"), 0, "what just fits is not");

	(void)setenv("XDG_STATE_HOME", "/state", 1);
	(void)setenv("HOME", "/home/me", 1);
	is_int(address_state(out, sizeof out, at("default")), 0, "the state");
	ok(strncmp(out, "/state/muxbus/default-", 22) == 0 && strlen(out) == 22 + 16, "%s", out);
	(void)snprintf(same, sizeof same, "%s/./default", top);
	(void)address_state(other, sizeof other, same);
	is_str(other, out, "the same for another spelling of the path");
	(void)address_state(other, sizeof other, "/elsewhere/default");
	ok(strcmp(other, out) != 0, "another for the same name elsewhere");
	is_int(address_state(out, sizeof out, "/x/a b\n\xc3\xa9/../w;k"), 0, "odd characters");
	is_int(address_state(out, sizeof out, "/x/a b;\x1b\xc3\xa9"), 0, "in the name");
	ok(strncmp(out, "/state/muxbus/a_b____-", 22) == 0, "are replaced: %s", out);
	is_int(address_state(out, 30, "/tmp/default"), -1, "what does not fit is refused");
	(void)setenv("XDG_STATE_HOME", "relative", 1);
	(void)address_state(out, sizeof out, "/tmp/default");
	ok(strncmp(out, "/home/me/.local/state/muxbus/default-", 37) == 0,
	    "a relative one is ignored");
	(void)unsetenv("XDG_STATE_HOME");
	(void)unsetenv("HOME");
	is_int(address_state(out, sizeof out, "/tmp/default"), 0, "without HOME");
	ok(strncmp(out, address_home(), strlen(address_home())) == 0, "the account has one: %s",
	    out);
}

static void test_names(void)
{
	char path[300];
	struct sockaddr_un address;
	size_t limit = sizeof address.sun_path - 1;
	static const char *const wrong[] = {"", "/", ".", "..", "/tmp/", "/tmp/.", "/tmp/.."};
	size_t len;
	(void)snprintf(path, sizeof path, "%s/", top);
	len = strlen(path);
	memset(path + len, 'x', limit - len);
	path[limit] = '\0';
	is_int(check(path), 0, "a path of %zu bytes", limit);
	path[limit] = 'x';
	path[limit + 1] = '\0';
	is_int(check(path), -1, "one byte more");
	ok(strstr(reason, "has 108 bytes; at most 107 are allowed") && strstr(reason, top), "%s",
	    reason);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		is_int(check(wrong[i]), -1, "\"%s\" is not a name", wrong[i]);
		ok(*reason, "%s", reason);
	}
	is_int(check(at("none/sock")), -1, "a directory that does not exist");
	ok(strstr(reason, "none: No such file"), "%s", reason);
}

static void test_directories(void)
{
	char absolute[PATH_MAX];
	int here, fd;
	make_dir("private", 0700);
	is_int(check(at("private/sock")), 0, "a private directory");
	make_dir("readable", 0755);
	is_int(check(at("readable/sock")), 0, "one that others can read");
	make_dir("group", 0770);
	is_int(check(at("group/sock")), -1, "one that a group can write to");
	ok(strstr(reason, "other users can write") && strstr(reason, "0770"), "%s", reason);
	make_dir("open", 0777);
	is_int(check(at("open/sock")), -1, "one that is writable for all users");
	make_dir("sticky", 01777);
	is_int(check(at("sticky/sock")), 0, "a sticky one");
	must(symlink("private", at("link")));
	is_int(check(at("link/sock")), -1, "a link to one");
	ok(strstr(reason, "symbolic link"), "%s", reason);
	fd = open(at("file"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	is_int(check(at("file/sock")), -1, "a file is no directory");
	make_dir("sticky/in", 0700);
	is_int(check(at("sticky/in/sock")), 0, "a directory in a sticky one");
	make_dir("open/in", 0700);
	is_int(check(at("open/in/sock")), -1, "a directory that others can rename");
	ok(strstr(reason, "open is writable by everyone (mode 0777)"), "%s", reason);
	must(symlink("open", at("way")));
	is_int(check(at("way/in/sock")), -1, "by whatever path");
	here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	must(chdir(at("private")));
	is_int(check("sock"), 0, "a relative path");
	is_int(address_absolute(absolute, sizeof absolute, "sock"), 0, "made absolute");
	is_str(absolute, at("private/sock"), "begins with the current directory");
	is_int(address_absolute(absolute, sizeof absolute, "/x"), 0, "an absolute one");
	is_str(absolute, "/x", "stays");
	is_int(address_absolute(absolute, 5, "sock"), -1, "a path that does not fit is refused");
	must(chdir(at("open")));
	is_int(check("sock"), -1, "is checked too");
	must(fchdir(here));
	close(here);
}

/* The library finds the same socket of tmux. */
static void is_same(const char *name, const char *path)
{
	char ours[200];
	char theirs[200];
	is_int(file_tmux_socket(ours, sizeof ours, name, path), 0, "a tmux socket");
	(void)muxbus_socket_path(theirs, sizeof theirs, name, path);
	is_str(ours, theirs, "%s, as the library says", ours);
}

static void test_tmux(void)
{
	char small[10];
	static const char *const dirs[] = {NULL, "", "/", "/nowhere", top};
	static const char *const tmuxes[] = {NULL, "", ",1,2", "/a/b,1,2", "/a/b"};
	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		(void)(dirs[i] != NULL ? setenv("TMUX_TMPDIR", dirs[i], 1)
				       : unsetenv("TMUX_TMPDIR"));
		for (size_t j = 0; j < sizeof tmuxes / sizeof *tmuxes; j++) {
			(void)(tmuxes[j] != NULL ? setenv("TMUX", tmuxes[j], 1) : unsetenv("TMUX"));
			is_same(NULL, NULL);
			is_same("work", NULL);
			is_same(NULL, "/x/y");
		}
	}
	(void)unsetenv("TMUX");
	is_int(
	    file_tmux_socket(small, sizeof small, NULL, NULL), -1, "no room for the default one");
	is_int(
	    file_tmux_socket(small, sizeof small, NULL, "/123456789"), -1, "nor for a given one");
	is_int(file_tmux_socket(small, sizeof small, NULL, "/12345678"), 0, "just enough");
}

static void test_existing(void)
{
	int fd = make_socket(at("private/there"));
	is_int(check(at("private/there")), 0, "a socket that is there already");
	close(fd);
	must(symlink("there", at("private/planted")));
	is_int(check(at("private/planted")), -1, "a link where the socket is to be");
	ok(strstr(reason, "is not a socket"), "%s", reason);
	must(symlink("nowhere", at("private/dangling")));
	is_int(check(at("private/dangling")), -1, "a link that leads nowhere");
	is_int(check(at("private")), -1, "a directory in its place");
}

static void test_others(void)
{
	int fd;
	if (geteuid() != 0) {
		skip("only root can make what belongs to others");
		return;
	}
	make_dir("theirs", 0755);
	must(chown(at("theirs"), OTHER_UID, OTHER_UID));
	is_int(check(at("theirs/sock")), -1, "another user's directory");
	ok(strstr(reason, "belongs to user 12345"), "%s", reason);
	make_dir("theirs", 01777);
	must(chown(at("theirs"), OTHER_UID, OTHER_UID));
	is_int(check(at("theirs/sock")), -1, "sticky or not");
	fd = make_socket(at("sticky/squatted"));
	must(chown(at("sticky/squatted"), OTHER_UID, OTHER_UID));
	is_int(check(at("sticky/squatted")), -1, "another user's socket in a sticky directory");
	ok(strstr(reason, "the socket belongs to user 12345"), "%s", reason);
	close(fd);
	(void)chmod(top, 0755);
	if (seteuid(OTHER_UID) == 0) {
		is_int(check(at("readable/sock")), 0, "root's directory is trusted by other users");
		is_int(check(at("theirs/sock")), 0, "and their own");
		must(seteuid(0));
	}
}

int main(void)
{
	char command[100];
	if (!mkdtemp(top))
		skip_all("no directory to work in");
	(void)umask(0);
	test_paths();
	test_server();
	test_names();
	test_directories();
	test_existing();
	test_tmux();
	test_others();
	(void)snprintf(command, sizeof command, "rm -rf %s", top);
	return system(command) == 0 ? done_testing() : 99;
}
