/* SPDX-License-Identifier: ISC */
/* The place of a server's socket, its listener, and the matching binary. */
#include <muxbus.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "fake.h"
#include "lib/sync/attachment.h"
#include "lib/sync/state.h"
#include "tap.h"

/* setenv(), or unsetenv() for NULL. */
static void set(const char *name, const char *value)
{
	if (value != NULL)
		(void)setenv(name, value, 1);
	else
		(void)unsetenv(name);
}

static const struct {
	const char *name; /* -L */
	const char *path; /* -S */
	const char *tmux; /* $TMUX */
	const char *tmpdir; /* $TMUX_TMPDIR */
	const char *want; /* %u is the uid */
} paths[] = {
    {NULL, NULL, NULL, NULL, "/tmp/tmux-%u/default"},
    {"work", NULL, NULL, NULL, "/tmp/tmux-%u/work"},
    {NULL, "/x/y", NULL, NULL, "/x/y"},
    {"work", "/x/y", "/a/b,1,2", NULL, "/x/y"},
    {NULL, NULL, "/a/b,1,2", NULL, "/a/b"},
    {NULL, NULL, "/a/b", NULL, "/a/b"},
    {NULL, NULL, "", NULL, "/tmp/tmux-%u/default"},
    {NULL, NULL, ",1,2", NULL, "/tmp/tmux-%u/default"},
    {"work", NULL, "/a/b,1,2", NULL, "/tmp/tmux-%u/work"},
    {NULL, NULL, NULL, "/usr", "/usr/tmux-%u/default"},
    {"work", NULL, NULL, "/usr/../usr/", "/usr/tmux-%u/work"},
    {NULL, NULL, NULL, "/does/not/exist", "/tmp/tmux-%u/default"},
    {NULL, NULL, NULL, "", "/tmp/tmux-%u/default"},
};

static void test_paths(void)
{
	char want[128];
	char got[128];
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		set("TMUX", paths[i].tmux);
		set("TMUX_TMPDIR", paths[i].tmpdir);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		(void)snprintf(want, sizeof want, paths[i].want, (unsigned)getuid());
#pragma GCC diagnostic pop
		is_int(muxbus_socket_path(got, sizeof got, paths[i].name, paths[i].path), 0,
		    "path %zu", i);
		is_str(got, want, "path %zu is that", i);
	}
	set("TMUX", NULL);
	set("TMUX_TMPDIR", NULL);
	is_int(muxbus_socket_path(got, 4, NULL, "/x/y"), MUXBUS_ERR_LIMIT, "a path without room");
	is_int(muxbus_socket_path(got, 5, NULL, "/x/y"), 0, "a path with just room");
}

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
	(void)number;
	alarms++;
}

/* Settles the spare connection of a sync, as after each turn of its loop, for a full queue. */
static void settle_spare(char *socket_path)
{
	static struct attachment primary;
	static struct muxbus_sync sync;
	sync.socket_path = socket_path;
	sync.primary = &primary;
	sync.spare = -1;
	alarms = 0;
	for (int i = 0; i < 10; i++)
		attachment_settle_spare(&sync);
	is_int(sync.spare, -1, "a sync gets no spare connection from a full queue");
	ok(alarms < 500, "and does not wait a tenth of a second each time (%d ms)", (int)alarms);
}

/* A listener with a full queue, and a signal each millisecond. */
static void test_full_queue(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/tmp/mbt-full-queue"};
	const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_alarm};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	int first = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t pid;
	(void)unlink(address.sun_path);
	if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
	    listen(listener, 0) != 0 ||
	    connect(first, (struct sockaddr *)&address, sizeof address) != 0)
		abort();
	(void)sigaction(SIGALRM, &action, NULL);
	(void)setitimer(ITIMER_REAL, &often, NULL);
	is_int(muxbus_server_pid(address.sun_path, &pid), MUXBUS_ERR_TIMEOUT,
	    "a listener with a full queue does not answer, also if signals come");
	settle_spare(address.sun_path);
	(void)setitimer(ITIMER_REAL, &never, NULL);
	close(first);
	close(listener);
	(void)unlink(address.sun_path);
}

static void test_server(void)
{
	struct fake fake;
	pid_t pid = 0;
	uid_t uid = 12345;
	char path[256];
	fake_start(&fake);
	is_int(muxbus_server_pid(fake.socket, &pid), 0, "who listens");
	is_int(pid, fake.listener, "is found");
	is_int(locate_server(fake.socket, &pid, &uid), 0, "and whose it is");
	is_int(uid, geteuid(), "too");
	ok(locate_server_binary(fake.listener, uid, path, sizeof path),
	    "a binary with tmux in its name");
	ok(!locate_server_binary(fake.listener, uid + 1, path, sizeof path),
	    "but not another user's");
	ok(!locate_server_binary(getpid(), uid, path, sizeof path), "nor one of another name");
	ok(!locate_server_binary(0, uid, path, sizeof path), "nor that of no process");
	fake_stop(&fake);
	pid = 7;
	is_int(muxbus_server_pid(fake.socket, &pid), MUXBUS_ERR_NO_SERVER, "no server listens");
	is_int(pid, 7, "and nothing is returned");
	memset(path, 'x', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	is_int(muxbus_server_pid(path, &pid), MUXBUS_ERR_SYSTEM, "a path that is too long");
	is_int(errno, ENAMETOOLONG, "errno says so");
	is_int(muxbus_server_pid("/dev/null", &pid), MUXBUS_ERR_NO_SERVER, "no socket");
}

static void test_program(void)
{
	char dir[] = "/tmp/muxbus-locate.XXXXXX";
	char path[512];
	char want[64];
	FILE *file;
	if (mkdtemp(dir) == NULL)
		return;
	(void)snprintf(want, sizeof want, "%s/prog", dir);
	(void)snprintf(path, sizeof path, "/nowhere:%s:/usr/bin", dir);
	set("PATH", path);
	ok(!locate_program("prog", path, sizeof path), "a missing program");
	file = fopen(want, "we");
	(void)fclose(file);
	(void)chmod(want, 0600);
	ok(geteuid() == 0 || !locate_program("prog", path, sizeof path),
	    "one that cannot be executed");
	(void)chmod(want, 0700);
	ok(locate_program("prog", path, sizeof path), "one that can");
	is_str(path, want, "is found by PATH");
	ok(locate_program(want, path, sizeof path), "by its path");
	is_str(path, want, "a path is taken unchanged");
	ok(!locate_program(dir, path, sizeof path), "a folder is none");
	ok(!locate_program("", path, sizeof path), "nor is an empty name");
	set("PATH", "");
	(void)!chdir(dir);
	ok(!locate_program("prog", path, sizeof path),
	    "nor is a program found only in the current folder");
	(void)unlink(want);
	(void)!chdir("/");
	(void)rmdir(dir);
}

int main(void)
{
	test_paths();
	test_server();
	test_full_queue();
	test_program();
	return done_testing();
}
