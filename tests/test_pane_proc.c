/* SPDX-License-Identifier: ISC */
/* The foreground of a pane, from a directory that looks like /proc. */
#include "lib/sync/pane_proc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

enum { SERVER = 77, PANE = 100, OTHER = 200, COMMAND = PANE_PROC_COMMAND, PATH = PANE_PROC_PATH };

static char root[] = "/tmp/pane_proc.XXXXXX";
static struct pane_proc proc;
static struct pane_foreground foreground;

/* A name in the directory, in one of four buffers. */
static const char *in_root(const char *format, ...)
{
	static char names[4][256];
	static unsigned next;
	char *name = names[next++ % 4];
	int len = snprintf(name, 256, "%s/", root);
	va_list args;
	va_start(args, format);
	(void)vsnprintf(name + len, 256 - (size_t)len, format, args);
	va_end(args);
	return name;
}

static void write_file(const char *name, const void *bytes, size_t len)
{
	FILE *file = fopen(name, "w");
	if (file == NULL || fwrite(bytes, 1, len, file) != len || fclose(file) != 0)
		printf("Bail out! %s: %s\n", name, strerror(errno));
}

static void make_link(const char *target, const char *name)
{
	(void)unlink(name);
	if (symlink(target, name) != 0)
		printf("Bail out! %s: %s\n", name, strerror(errno));
}

static void set_stat(int pid, const char *line)
{
	write_file(in_root("%d/stat", pid), line, strlen(line));
}

static void set_command(int pid, const char *bytes, size_t len)
{
	write_file(in_root("%d/cmdline", pid), bytes, len);
}

static void make_process(int pid)
{
	(void)mkdir(in_root("%d", pid), 0700);
	(void)mkdir(in_root("%d/ns", pid), 0700);
	make_link("pid:[1]", in_root("%d/ns/pid", pid));
	make_link("mnt:[2]", in_root("%d/ns/mnt", pid));
	make_link("user:[3]", in_root("%d/ns/user", pid));
	make_link("/", in_root("%d/root", pid));
	make_link("/tmp/cwd", in_root("%d/cwd", pid));
	write_file(in_root("%d/status", pid), "Name:\tx\nUid:\t1\t1\t1\t1\nCapEff:\t0\n", 32);
}

static void make_root(void)
{
	char self[16];
	if (mkdtemp(root) == NULL)
		printf("Bail out! %s: %s\n", root, strerror(errno));
	(void)snprintf(self, sizeof self, "%d", (int)getpid());
	make_link(self, in_root("self"));
	make_process((int)getpid());
	make_process(SERVER);
	make_process(PANE);
	make_process(OTHER);
}

static bool opens(void)
{
	bool is_open = pane_proc_open(&proc, root, SERVER);
	pane_proc_close(&proc);
	return is_open;
}

static void test_server(void)
{
	static const char *const links[] = {"ns/pid", "ns/mnt", "ns/user", "root"};
	static const char *const statuses[] = {"Uid:\t1\t2\t1\t1\nCapEff:\t0\n",
	    "Uid:\t1\t1\t1\t1\nCapEff:\t01\n", "Uid:\t1\t1\t1\t1\n", ""};
	char good[64];
	ok(opens(), "a server that sees the same processes");
	ok(!pane_proc_open(&proc, "/nosuch", SERVER) && proc.root == -1, "no /proc");
	ok(!pane_proc_open(&proc, root, 78) && !pane_proc_open(&proc, root, 0) &&
		!pane_proc_open(&proc, root, -1),
	    "no such server");
	is_int(pane_proc_read(&proc, PANE, "/dev/null", &foreground), 0, "then no field is known");
	for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
		const char *name = in_root("%d/%s", SERVER, links[i]);
		ssize_t len = readlink(name, good, sizeof good - 1);
		good[len] = '\0';
		make_link("/dev", name);
		ok(!opens(), "a server with another %s", links[i]);
		make_link(good, name);
	}
	for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
		char status[64];
		(void)snprintf(status, sizeof status, "Name:\tx\n%s", statuses[i]);
		write_file(in_root("%d/status", SERVER), status, strlen(status));
		ok(!opens(), "a server with other rights (%zu)", i);
	}
	make_process(SERVER);
	make_link("1", in_root("self"));
	ok(!opens(), "a /proc of other processes");
	(void)snprintf(good, sizeof good, "%d", (int)getpid());
	make_link(good, in_root("self"));
	ok(opens(), "and as before");
}

static unsigned look(void)
{
	memset(&foreground, 'x', sizeof foreground);
	return pane_proc_read(&proc, PANE, "/dev/null", &foreground);
}

/* The numbers are the parent, the group, the session, the terminal and its group. */
static void test_pane(void)
{
	static const char *const bad[] = {"100 (sh) S 78 100 100 259 200 0",
	    "100 (sh) S 77 100 99 259 200 0", "100 (sh) S 77 100 100 260 200 0",
	    "100 (sh) Z 77 100 100 0 -1 0", "100 (sh) S 77 100 100 259",
	    "100 (sh) S 77 100 x 259 200 0", "100 (sh", "100 (sh)", "100 (sh) ", ")", ") S ", "(",
	    ""};
	set_command(OTHER, "cat\0-v", 7);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		set_stat(PANE, bad[i]);
		ok(look() == 0 && foreground.command[0] == '\0' && foreground.path[0] == '\0',
		    "not the pane's process: %s", bad[i]);
	}
	set_stat(PANE, "100 (a) S 1 1 1 1 1 (b) S 77 100 100 259 200 0");
	is_int(look(), COMMAND | PATH, "a name with ')' and blanks");
	is_int(foreground.group, OTHER, "the foreground group");
	is_str(foreground.command, "cat", "its command");
	is_str(foreground.path, "/tmp/cwd", "its directory");
	is_int(pane_proc_read(&proc, PANE, "/dev/zero", &foreground), 0, "another terminal");
	is_int(pane_proc_read(&proc, PANE, "/nosuch", &foreground), 0, "no terminal");
	is_int(pane_proc_read(&proc, 101, "/dev/null", &foreground), 0, "no process");
}

static void test_terminal(void)
{
	set_stat(PANE, "100 (sh) S 77 100 100 34823 200 0");
	is_int(pane_proc_read(&proc, PANE, "/dev/pts/7", &foreground), COMMAND | PATH,
	    "a pseudo terminal");
	is_int(pane_proc_read(&proc, PANE, "/dev/pts/6", &foreground), 0, "another one");
	set_stat(PANE, "100 (sh) S 77 100 100 1083391 200 0");
	is_int(pane_proc_read(&proc, PANE, "/dev/pts/511", &foreground), 0, "another major number");
	set_stat(PANE, "100 (sh) S 77 100 100 1083647 200 0");
	is_int(pane_proc_read(&proc, PANE, "/dev/pts/511", &foreground), COMMAND | PATH,
	    "a number of more than 8 bits");
	is_int(pane_proc_read(&proc, 0, "/dev/null", &foreground), 0, "no pid");
	set_stat(PANE, "100 (sh) S 77 100 100 259 200 0");
}

static void test_commands(void)
{
	static const struct {
		const char *line;
		const char *command; /* NULL: not known */
	} rows[] = {
	    {"-bash", "bash"},
	    {"/bin/sh", "sh"},
	    {"/usr/bin/", "bin"},
	    {"/", "/"},
	    {"///", "/"},
	    {"./a/b", "./a/b"},
	    {"a/b", "a/b"},
	    {"- - -x y", "x"},
	    {"---", ""},
	    {"\"a b\" c", "a"},
	    {"\"", ""},
	    {"a\"b", "a"},
	    {"exec vi x", "vi"},
	    {"\"exec vi\"", "vi"},
	    {"exec", "exec"},
	    {"nginx: master", "nginx:"},
	    {"caf\303\251", "caf"},
	    {"a\001\n", "a"},
	    {"/a/\177", "a"},
	    {"\303\251", NULL},
	    {"\303\251a", NULL},
	    {"\377a", NULL},
	    {"a\tb", NULL},
	    {"a\\b", NULL},
	    {"/\\/b", "b"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		bool is_known = rows[i].command != NULL;
		set_command(OTHER, rows[i].line, strlen(rows[i].line) + 1);
		is_int(look(), is_known ? COMMAND | PATH : PATH, "a command %s", rows[i].line);
		is_str(foreground.command, is_known ? rows[i].command : "", "its name");
		set_command(OTHER, rows[i].line, strlen(rows[i].line));
		is_int(look(), is_known ? COMMAND | PATH : PATH, "the same without an end");
	}
}

static void test_long_command(void)
{
	static char line[MUXBUS_NAME_MAX + 1];
	memset(line, 'a', sizeof line);
	line[MUXBUS_NAME_MAX - 2] = '\0';
	set_command(OTHER, line, sizeof line);
	is_int(look(), COMMAND | PATH, "the longest first argument");
	is_int((long long)strlen(foreground.command), MUXBUS_NAME_MAX - 2, "is whole");
	line[MUXBUS_NAME_MAX - 2] = 'a';
	set_command(OTHER, line, MUXBUS_NAME_MAX);
	is_int(look(), PATH, "a longer one is not known");
	set_command(OTHER, line, sizeof line);
	is_int(look(), PATH, "nor one without an end");
	is_str(foreground.command, "", "and not given");
}

static void test_missing(void)
{
	struct rlimit limit, none;
	set_command(OTHER, "", 0);
	is_int(look(), PANE_PROC_START | PATH, "no arguments");
	set_command(OTHER, "\0cat", 5);
	is_int(look(), PANE_PROC_START | PATH, "an empty first argument");
	(void)unlink(in_root("%d/cmdline", OTHER));
	(void)unlink(in_root("%d/cwd", OTHER));
	make_link("/of/the/leader", in_root("%d/cwd", PANE));
	is_int(look(), PANE_PROC_START | PATH, "a leader that has exited");
	is_str(foreground.path, "/of/the/leader", "the directory of the session's leader");
	(void)unlink(in_root("%d/cwd", PANE));
	is_int(look(), PANE_PROC_START | PATH, "no directory");
	is_str(foreground.path, "", "is an empty one");
	make_link("/of/the/leader", in_root("%d/cwd", PANE));
	set_stat(PANE, "100 (sh) S 77 100 100 259 0 0");
	is_int(look(), PANE_PROC_START | PATH, "no foreground group");
	is_str(foreground.path, "/of/the/leader", "the directory of the session's leader");
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	(void)setrlimit(RLIMIT_NOFILE, &none);
	is_int(look(), 0, "no descriptors left: not known");
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

int main(void)
{
	char remove[64];
	make_root();
	test_server();
	ok(pane_proc_open(&proc, root, SERVER), "open");
	test_pane();
	test_terminal();
	test_commands();
	test_long_command();
	test_missing();
	pane_proc_close(&proc);
	(void)snprintf(remove, sizeof remove, "rm -rf %s", root);
	is_int(system(remove), 0, "removed");
	return done_testing();
}
