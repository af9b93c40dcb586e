/* SPDX-License-Identifier: ISC */
/* The pane of a process: with a /proc of our own, and with panes whose terminals are devices. */
#include "daemon/server/peer_pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "lib/model/model.h"
#include "tap.h"

#define SOCKET "/tmp/tmux-0/default"

static pid_t server; /* 0: not known */

static unsigned start; /* of processes that are added, in ticks */
static unsigned sid; /* their session; 0: each terminal has one */

static char proc[] = "/tmp/muxbus-proc-XXXXXX";

static void write_file(const char *path, const char *bytes, size_t len)
{
	FILE *file = fopen(path, "w");
	if (file == NULL)
		abort();
	(void)fwrite(bytes, 1, len, file);
	(void)fclose(file);
}

/* The kernel's number of a device's terminal; 0 for none. */
static unsigned tty_number(const char *device)
{
	struct stat st;
	unsigned number;
	if (device == NULL || stat(device, &st) < 0)
		return 0;
	number = minor(st.st_rdev);
	return (number & 0xff) | major(st.st_rdev) << 8 | (number & ~0xffu) << 12;
}

/* Adds a process; environ with | for the NULs. */
static void add(int pid, int parent, const char *name, const char *device, const char *environ_text)
{
	char path[128];
	char text[512];
	int len;
	(void)snprintf(path, sizeof path, "%s/%d", proc, pid);
	(void)mkdir(path, 0700);
	(void)snprintf(path, sizeof path, "%s/%d/stat", proc, pid);
	len = snprintf(text, sizeof text,
	    "%d (%s) S %d %d %d %u -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 %u 4096 1", pid, name,
	    parent, pid, sid != 0 ? sid : tty_number(device), tty_number(device), start);
	write_file(path, text, (size_t)len);
	(void)snprintf(path, sizeof path, "%s/%d/environ", proc, pid);
	(void)snprintf(text, sizeof text, "%s", environ_text != NULL ? environ_text : "A=1|");
	len = (int)strlen(text);
	for (int i = 0; i < len; i++)
		if (text[i] == '|')
			text[i] = '\0';
	write_file(path, text, (size_t)len);
}

static void clear(void)
{
	char command[128];
	(void)snprintf(command, sizeof command, "rm -rf %s/*", proc);
	if (system(command) != 0)
		abort();
}

static void find(const struct muxbus_model *model, pid_t pid, struct peer_pane *ret_pane)
{
	struct peer_origin origin;
	peer_origin_read(pid, &origin);
	peer_pane_find(&origin, model, SOCKET, server, ret_pane);
}

static void expect(const struct muxbus_model *model, pid_t pid, long pane,
    enum pane_evidence evidence, bool is_weak, const char *what)
{
	struct peer_pane peer_pane = {0};
	bool is_right;
	find(model, pid, &peer_pane);
	is_right = (pane < 0 ? peer_pane.pane == MUXBUS_NO_ID : peer_pane.pane == (uint32_t)pane) &&
	    peer_pane.evidence == evidence && peer_pane.is_weak == is_weak;
	ok(is_right, "%s", what);
	if (!is_right)
		diag("got %%%ld by evidence %d%s",
		    peer_pane.pane == MUXBUS_NO_ID ? -1 : (long)peer_pane.pane,
		    (int)peer_pane.evidence, peer_pane.is_weak ? ", weak" : "");
}

/* Whether the pane that an environment names is expected soon. */
static void expect_early(
    const struct muxbus_model *model, pid_t pid, bool is_early, const char *what)
{
	struct peer_pane peer_pane = {0};
	find(model, pid, &peer_pane);
	ok(peer_pane.is_early == is_early, "%s", what);
}

static void expect_outside(
    const struct muxbus_model *model, pid_t pid, bool is_outside, const char *what)
{
	struct peer_pane peer_pane = {0};
	find(model, pid, &peer_pane);
	ok(peer_pane.is_outside == is_outside, "%s", what);
}

static void expect_thread(
    const struct muxbus_model *model, pid_t pid, const char *thread, const char *what)
{
	struct peer_pane peer_pane = {0};
	find(model, pid, &peer_pane);
	is_str(peer_pane.thread, thread, "%s", what);
}

static void add_pane(
    struct muxbus_model *model, uint32_t id, pid_t pid, const char *tty, bool is_dead)
{
	struct muxbus_pane pane = {.id = id,
	    .window = 1,
	    .index = (int)id,
	    .pid = pid,
	    .tty = tty,
	    .title = "",
	    .command = "",
	    .path = "",
	    .mode = "",
	    .is_dead = is_dead};
	model_add_pane(model, &pane);
}

static void check_outside(const struct muxbus_model *model)
{
	expect_outside(model, 409, true, "without a terminal and a pane it is outside of all");
	expect_outside(model, 402, true, "with a pane of another server too");
	expect_outside(model, 403, false, "but not with one that may be there in a moment");
	expect_outside(model, 401, false, "nor in a pane");
	add(410, 1, "terminal", "/dev/random", NULL);
	expect_outside(model, 410, false, "with a terminal it may be in one that is not known yet");
	add(411, 410, "child", NULL, NULL);
	expect_outside(model, 411, false, "so may its child");
	add(412, 9999, "lone", NULL, NULL);
	expect_outside(model, 412, false, "or one whose parent cannot be read");
	expect_outside(model, 0, false, "or which cannot be read itself");
}

static void check_threads(const struct muxbus_model *model)
{
	check_outside(model);
	add(410, 1, "sh", NULL, "TMUX=" SOCKET ",1,0|TMUX_PANE=%2|CODEX_THREAD_ID=019a-1|");
	expect_thread(
	    model, 410, "codex:019a-1", "what an agent runs for many panes has its thread");
	add(412, 1, "sh", NULL, "CODEX_THREAD_ID=019a-2|");
	expect_thread(model, 412, "codex:019a-2", "also without a pane");
	add(411, 1, "sh", NULL, "TMUX=" SOCKET ",1,0|TMUX_PANE=%2|CODEX_THREAD_ID=-x y|");
	expect_thread(model, 411, "", "unless that is no name of one");
}

/* $TMUX of a server that has ended: the next one at its socket has other panes of the same ids. */
static void check_servers(const struct muxbus_model *model)
{
	char text[96];
	pid_t ended;
	check_threads(model);
	ended = fork();
	if (ended == 0)
		_exit(0);
	(void)waitpid(ended, NULL, 0);
	(void)snprintf(text, sizeof text, "TMUX=" SOCKET ",%d,0|TMUX_PANE=%%2|", (int)ended);
	add(413, 1, "survivor", NULL, text);
	expect(model, 413, 2, PANE_ENVIRONMENT, true, "a server may be any, if none is known");
	start = 1;
	add(1, 0, "init", NULL, NULL);
	start = 0;
	server = getpid();
	expect(model, 413, -1, PANE_NONE, false, "a server that has ended is another one");
	expect(model, 400, 2, PANE_ENVIRONMENT, true, "one that lives may be seen by two ids");
	server = ended;
	expect(model, 413, 2, PANE_ENVIRONMENT, true, "this one is no other");
	server = 0;
}

/* A peer stays what it was when it connected, whatever has its numbers and terminals later. */
static void check_reuse(const struct muxbus_model *model)
{
	struct peer_origin origin, child;
	struct peer_pane peer_pane;
	start = 1000;
	add(100, 50, "bash", "/dev/zero", NULL);
	start = 2000;
	add(501, 100, "peer", "/dev/zero", NULL);
	add(200, 50, "zsh", "/dev/full", NULL);
	add(502, 501, "child", NULL, NULL);
	peer_origin_read(501, &origin);
	peer_origin_read(502, &child);
	is_int((long long)origin.count, 2, "the ancestors are read up to the first process");
	sid = 503;
	add(503, 501, "sandbox", "/dev/full", NULL);
	sid = 0;
	expect(model, 503, 1, PANE_ANCESTOR_TTY, false, "another devpts has the same numbers");
	start = 3000;
	add(501, 1, "other", "/dev/full", "TMUX=" SOCKET ",1,0|TMUX_PANE=%2|");
	peer_pane_find(&origin, model, SOCKET, server, &peer_pane);
	is_int(peer_pane.pane, 1, "a number that is used again says nothing new");
	peer_pane_find(&child, model, SOCKET, server, &peer_pane);
	is_int(peer_pane.pane, 1, "nor does that of an ancestor");
	add(100, 50, "zsh", "/dev/zero", NULL);
	peer_pane_find(&origin, model, SOCKET, server, &peer_pane);
	ok(peer_pane.pane == MUXBUS_NO_ID, "a later pane with its terminal is not the peer's");
	add(502, 1, "other", NULL, "TMUX=" SOCKET ",1,0|TMUX_PANE=%2|");
	peer_pane_find(&child, model, SOCKET, server, &peer_pane);
	ok(peer_pane.pane == MUXBUS_NO_ID, "nor is what another's environment names");
	start = 0;
	clear();
}

int main(void)
{
	struct muxbus_model *model;
	char path[128];
	struct muxbus_session session = {.id = 1, .name = "work"};
	struct muxbus_window window = {.id = 1, .name = "w", .layout = "", .visible_layout = ""};
	struct muxbus_link link = {.session = 1, .window = 1};
	if (!mkdtemp(proc) || model_new(&model) < 0)
		return 99;
	process_root = proc;
	model_add_session(model, &session);
	model_add_window(model, &window);
	model_add_link(model, &link);
	/* Character devices that are everywhere stand for terminals. */
	add_pane(model, 1, 100, "/dev/zero", false);
	add_pane(model, 2, 200, "/dev/full", false);
	add_pane(model, 3, 300, "/dev/null", true);
	if (model_finish(model) < 0)
		return 99;

	add(100, 50, "bash", "/dev/zero", NULL);
	add(200, 50, "zsh", "/dev/full", NULL);
	add(101, 100, "agent", "/dev/zero", "TMUX=" SOCKET ",1,0|TMUX_PANE=%2|");
	expect(model, 101, 1, PANE_TTY, false, "its terminal counts, and no environment");
	expect(model, 100, 1, PANE_TTY, false, "the shell itself");
	add(102, 101, "x) S 1 (y", "/dev/zero", NULL);
	expect(model, 102, 1, PANE_TTY, false, "a name that looks like more");
	add(103, 101, "mcp", NULL, NULL);
	expect(model, 103, 1, PANE_ANCESTOR_TTY, false, "a child without a terminal");
	add(104, 103, "tool", NULL, NULL);
	expect(model, 104, 1, PANE_ANCESTOR_TTY, true, "two of them: weak");
	add(105, 101, "script", "/dev/random", NULL);
	expect(model, 105, 1, PANE_ANCESTOR_TTY, false, "behind a terminal of another kind");
	add(106, 105, "below", NULL, NULL);
	expect(model, 106, 1, PANE_ANCESTOR_TTY, false, "and a child of that");
	clear();
	add(200, 50, "daemon", NULL, NULL);
	add(201, 200, "child", NULL, NULL);
	expect(model, 200, 2, PANE_ANCESTOR_PID, false, "a pane's process that left its terminal");
	clear();
	add(301, 1, "late", "/dev/null", NULL);
	expect(model, 301, -1, PANE_NONE, false, "a dead pane's terminal may be another's");
	add(302, 1, "next", "/dev/zero", NULL);
	expect(model, 302, -1, PANE_NONE, false, "so may that of one whose process is gone");
	add(100, 1, "zombie", NULL, NULL);
	expect(model, 302, -1, PANE_NONE, false, "or has ended");
	clear();
	add(400, 1, "orphan", NULL, "B=|TMUX=" SOCKET ",1,0|TMUX_PANE=%2|");
	expect(model, 400, 2, PANE_ENVIRONMENT, true, "an orphan's environment: weak");
	add(401, 400, "child", NULL, NULL);
	expect(model, 401, 2, PANE_ENVIRONMENT, true, "or its parent's");
	add(402, 1, "other", NULL, "TMUX=/tmp/tmux-0/other,1,0|TMUX_PANE=%9|");
	expect(model, 402, -1, PANE_NONE, false, "of another server it says nothing");
	add(403, 1, "forged", NULL, "TMUX=" SOCKET ",1,0|TMUX_PANE=%9|");
	expect(model, 403, -1, PANE_NONE, false, "nor of a pane that is not there");
	expect_early(model, 403, true, "but it may be there in a moment, as a later one");
	add(408, 403, "child", NULL, "TMUX=" SOCKET ",1,0|TMUX_PANE=%1|");
	expect(model, 408, 1, PANE_ENVIRONMENT, true, "below it, one of another pane");
	add(409, 1, "ended", NULL, "TMUX=" SOCKET ",1,0|TMUX_PANE=%0|");
	expect_early(model, 409, false, "a pane before those that are there has ended");
	expect_early(model, 402, false, "a later one of another server says nothing");
	check_servers(model);
	add(404, 1, "half", NULL, "TMUX_PANE=%2|");
	expect(model, 404, -1, PANE_NONE, false, "TMUX_PANE alone is not enough");
	add(405, 1, "cut", NULL, "XTMUX_PANE=%2|TMUX=" SOCKET "|TMUX_PANE=");
	expect(model, 405, -1, PANE_NONE, false, "an environment that ends in the middle");
	add(406, 406, "loop", NULL, NULL);
	expect(model, 406, -1, PANE_NONE, false, "a circle of parents ends");
	expect(model, 407, -1, PANE_NONE, false, "a process that is gone");
	expect(model, 0, -1, PANE_NONE, false, "a process of another namespace");
	(void)snprintf(path, sizeof path, "%s/400/stat", proc);
	write_file(path, "400 (orphan S 1", 15);
	expect(model, 400, -1, PANE_NONE, false, "a status that cannot be read tells nothing");
	clear();
	check_reuse(model);
	(void)rmdir(proc);
	model_free(model);
	return done_testing();
}
