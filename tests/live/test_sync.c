/* SPDX-License-Identifier: ISC */
/* Following a server: its changes are reported in order, once, and truly. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "followed.h"
#include "lib/model/model.h"
#include "lib/sync/state.h"
#include "person.h"

static const char *tmux_path;

/* A server with session main that runs cat, and a sync on it. */
static struct followed *start(bool all_output)
{
	struct live *live = live_new(tmux_path);
	live_start_tmux(live, "cat");
	return followed_new(live, all_output);
}

static void finish(struct followed *followed)
{
	struct live *live = followed->live;
	followed_free(followed);
	live_free(live);
}

static const struct muxbus_pane *pane(const struct followed *followed, uint32_t id)
{
	return muxbus_model_pane(muxbus_sync_model(followed->sync), id);
}

/* Whether one line was reported before another. */
static bool is_before(const struct followed *followed, const char *a, const char *b)
{
	const char *log = (const char *)followed->log.data;
	const char *first = strstr(log, a), *second = strstr(log, b);
	return first != NULL && second != NULL && first < second;
}

static void test_life(void)
{
	struct followed *followed = start(false);
	struct live *live = followed->live;
	ok(followed_count(followed, "session_created $0") == 1 &&
		followed_count(followed, "window_created $0 @0") == 1 &&
		followed_count(followed, "pane_created $0 @0 %0") == 1,
	    "existing objects are reported as created");
	live_tmux(live, "split-window -d cat");
	ok(followed_until_line(followed, "pane_created $0 @0 %%1"), "a pane is made");
	ok(followed_count(followed, "layout_changed $0 @0") == 1, "the layout changes with it");
	live_tmux(live, "new-window -d -n two cat");
	ok(followed_until_line(followed, "pane_created $0 @1 %%2"), "a window is made");
	ok(is_before(followed, "window_created $0 @1", "pane_created $0 @1 %2"),
	    "the window is reported before its pane");
	live_tmux(live, "rename-window -t :1 three");
	ok(followed_until_line(followed, "window_renamed $0 @1"), "a window is renamed");
	live_tmux(live, "select-window -t :1");
	ok(followed_until_line(followed, "session_window_changed $0 @1"), "a window is shown");
	live_tmux(live, "copy-mode -t %%0");
	ok(followed_until_line(followed, "mode_changed $0 @0 %%0"), "a mode is entered");
	is_str(pane(followed, 0)->mode, "copy-mode", "it is known which");
	live_tmux(live, "join-pane -d -s %%1 -t :1");
	ok(followed_until_line(followed, "pane_moved $0 @1 %%1"), "a pane moves");
	live_tmux(live, "kill-pane -t %%1");
	ok(followed_until_line(followed, "pane_closed $0 @1 %%1"), "a pane is closed");
	live_tmux(live, "set -w -t :0 remain-on-exit on");
	live_tmux(live, "split-window -d -t :0 true");
	ok(followed_until_line(followed, "pane_exited $0 @0 %%3"), "a program ends in its pane");
	live_tmux(live, "join-pane -d -s %%3 -t :1");
	ok(followed_until_line(followed, "pane_moved $0 @1 %%3"), "a dead pane moves too");
	is_int(followed_count(followed, "pane_closed $0 @0 %3"), 0, "and is not closed");
	live_tmux(live, "kill-pane -t %%3");
	ok(followed_until_line(followed, "pane_closed $0 @1 %%3"), "until it is");
	live_tmux(live, "new-session -d -s other cat");
	ok(followed_until_line(followed, "session_created $1"), "a session is made");
	live_tmux(live, "rename-session -t other another");
	ok(followed_until_line(followed, "session_renamed $1"), "and renamed");
	live_tmux(live, "kill-session -t another");
	ok(followed_until_line(followed, "session_closed $1"), "and closed");
	ok(is_before(followed, "pane_closed $1", "window_closed @2") &&
		is_before(followed, "window_closed @2", "session_closed $1"),
	    "from the inside out");
	finish(followed);
}

/* Makes windows of a program that sleeps, @from to @to, in few commands. */
static void make_windows(struct followed *followed, unsigned from, unsigned to)
{
	struct buf line;
	buf_init(&line, 65536);
	for (unsigned i = from; i <= to; i++)
		(void)buf_printf(
		    &line, "%s new-window -d 'exec sleep 1000'", i > from ? " \\;" : "");
	live_tmux(followed->live, "%s", (const char *)line.data);
	buf_finish(&line);
	(void)followed_until_line(followed, "pane_created $0 @%u %%%u", to, to);
}

static bool follows_all(void *data)
{
	struct followed *followed = data;
	struct muxbus_sync_info info;
	struct muxbus_model_counts counts;
	muxbus_sync_info(followed->sync, &info);
	muxbus_model_counts(muxbus_sync_model(followed->sync), &counts);
	return info.connections == counts.sessions;
}

static unsigned audit(struct followed *followed);

static void kill_window(struct followed *followed, uint32_t window)
{
	struct muxbus_command *command;
	if (muxbus_command_new(&command) != 0)
		return;
	muxbus_command_args(command, "kill-window", "-t", NULL);
	muxbus_command_argf(command, "@%u", window);
	(void)muxbus_sync_run(followed->sync, command, false, NULL, NULL);
}

/* The window is asked for, since its process has ended, behind the command that closes it. */
static void close_asked_for(struct followed *followed, uint32_t window)
{
	pid_t pid = model_first_pane(muxbus_sync_model(followed->sync), window)->pid;
	(void)kill(followed->live->server_pid, SIGSTOP);
	kill_window(followed, window);
	(void)kill(pid, SIGKILL);
	followed_run_ms(followed, 20);
	(void)kill(followed->live->server_pid, SIGCONT);
}

/*
 * A closed window is no reason for listings, also where further connections tell of it. With many
 * panes tmux is slow: it often closes the window while the daemon asks for the window, since its
 * process has ended.
 */
static void test_closed_windows(void)
{
	enum { KEPT = 150, CLOSED = 10, SESSIONS = 3 };
	struct followed *followed = start(false);
	const struct lister *lister = &followed->sync->lister;
	uint64_t before, wholes;
	make_windows(followed, 1, KEPT + CLOSED);
	for (int i = 1; i < SESSIONS; i++) {
		live_tmux(followed->live, "new-session -d -s s%d cat", i);
		ok(followed_until_line(followed, "session_created $%d", i), "a session is made");
	}
	ok(followed_until(followed, follows_all, followed), "all sessions are followed");
	followed_run_ms(followed, 100);
	before = lister->begun;
	wholes = lister->wholes;
	for (unsigned i = KEPT + 1; i <= KEPT + CLOSED; i++) {
		if (i % 2 == 0)
			close_asked_for(followed, i);
		else
			live_tmux(followed->live, "kill-window -t @%u", i);
		ok(followed_until_line(followed, "window_closed @%u", i), "a window closes");
	}
	followed_run_ms(followed, 100);
	ok(lister->begun - before <= 2 * CLOSED, "with few listings: %llu for %d",
	    (unsigned long long)(lister->begun - before), CLOSED);
	is_int((long long)(lister->wholes - wholes), 0, "none of all");
	is_int(audit(followed), 0, "an audit finds no drift");
	finish(followed);
}

/* Whether this kernel reports the exit status of a process that is not our child. */
static bool kernel_tells(void)
{
	char release[65] = "";
	unsigned major = 0, minor = 0;
	FILE *file = fopen("/proc/sys/kernel/osrelease", "r");
	if (file == NULL)
		return false;
	(void)!fgets(release, sizeof release, file);
	(void)fclose(file);
	(void)sscanf(release, "%u.%u", &major, &minor);
	return major > 6 || (major == 6 && minor >= 15);
}

static void test_exits(void)
{
	struct followed *followed = start(false);
	struct live *live = followed->live;
	int known = kernel_tells() ? 3 : -1;
	live_tmux(live, "split-window -d 'read x; exit 3'");
	ok(followed_until_line(followed, "pane_created $0 @0 %%1"), "a pane");
	live_tmux(live, "send-keys -t %%1 Enter");
	ok(followed_until_line(followed, "pane_closed $0 @0 %%1"), "its program ends");
	is_int(followed_count(followed, "pane_exited"), 1, "its exit is reported once");
	ok(is_before(followed, "pane_exited", "pane_closed"), "before its pane is closed");
	ok(strstr((const char *)followed->log.data,
	       known == 3 ? "status 3 signal 0" : "status -1 signal 0") != NULL,
	    "with its status (%d)", known);
	followed_forget(followed);

	live_tmux(live, "split-window -d 'sleep 1000'");
	ok(followed_until_line(followed, "pane_created $0 @0 %%2"), "another pane");
	if (muxbus_sync_adopt_pane(followed->sync, 2, false) != 0)
		diag("not adopted");
	(void)live_tmux_until(live, "on", "show-options -pqv -t %%2 remain-on-exit");
	followed_run_ms(followed, 50);
	(void)live_tmux_until(live, "on", "show-options -pqv -t %%2 remain-on-exit");
	(void)kill(pane(followed, 2)->pid, SIGKILL);
	ok(followed_until_line(followed, "pane_closed $0 @0 %%2"), "an adopted pane is closed");
	ok(followed_count(followed, "pane_exited $0 @0 %2 status -1 signal 9") == 1,
	    "and its signal reported");
	followed_forget(followed);

	live_tmux(live, "split-window -d 'read x; exit 7'");
	ok(followed_until_line(followed, "pane_created $0 @0 %%3"), "a third");
	(void)muxbus_sync_adopt_pane(followed->sync, 3, true);
	followed_run_ms(followed, 50);
	live_tmux(live, "send-keys -t %%3 Enter");
	ok(followed_until_line(followed, "pane_exited $0 @0 %%3 status 7"),
	    "its status is reported");
	followed_run_ms(followed, 100);
	ok(pane(followed, 3) != NULL && pane(followed, 3)->is_dead &&
		pane(followed, 3)->exit_status == 7,
	    "and the dead pane is kept");
	live_tmux(live, "respawn-pane -t %%3 cat");
	ok(followed_refresh(followed) && !pane(followed, 3)->is_dead, "it is started again");
	is_int(followed_count(followed, "pane_respawned"), 1, "and that is reported");
	is_int(followed_count(followed, "pane_exited"), 1, "one exit was reported");
	finish(followed);
}

/*
 * tmux 3.3a leaves some processes unreaped, so that their status is unknown to it; the library
 * makes tmux reap them.
 */
static void test_many_exits(void)
{
	struct followed *followed = start(false);
	unsigned known = 0;
	for (uint32_t i = 1; i <= 20; i++) {
		char line[64];
		live_tmux(followed->live, "split-window -d 'read x; exit 7'");
		(void)followed_until_line(followed, "pane_created $0 @0 %%%u", i);
		(void)muxbus_sync_adopt_pane(followed->sync, i, false);
		followed_run_ms(followed, 10);
		live_tmux(followed->live, "send-keys -t %%%u Enter", i);
		(void)followed_until_line(followed, "pane_closed $0 @0 %%%u", i);
		(void)snprintf(line, sizeof line, "pane_exited $0 @0 %%%u status 7", i);
		known += followed_count(followed, line);
	}
	is_int(known, 20, "the status of each of 20 adopted panes is reported");
	finish(followed);
}

/* A window that opens and closes before it can be listed leaves a trace nevertheless. */
static void test_fleeting(void)
{
	struct followed *followed = start(false);
	unsigned created, closed;
	for (int i = 0; i < 5; i++)
		live_tmux(followed->live, "new-window -d true");
	live_tmux(followed->live, "rename-window -t :0 end");
	ok(followed_until_line(followed, "window_renamed $0 @0"), "the last event is seen");
	followed_run_ms(followed, 200);
	created = followed_count(followed, "window_created") - 1;
	closed = followed_count(followed, "window_closed");
	is_int(created, 5, "five windows came");
	is_int(closed, 5, "five windows went");
	is_int(followed_count(followed, "pane_exited") <= 5, 1, "no exit is reported twice");
	finish(followed);
}

static void test_details(void)
{
	struct followed *followed = start(false);
	struct live *live = followed->live;
	live_tmux(live,
	    "split-window -d -c / 'read x; cd /usr; printf \"\\033]2;hello\\033\\\\\"; read x'");
	ok(followed_until_line(followed, "pane_created $0 @0 %%1"), "a pane");
	live_tmux(live, "send-keys -t %%1 Enter");
	(void)live_tmux_until(live, "hello", "display-message -p -t %%1 '#{pane_title}'");
	ok(followed_refresh(followed), "on request everything is read");
	is_str(pane(followed, 1)->title, "hello", "the title");
	is_str(pane(followed, 1)->path, "/usr", "the path");
	live_tmux(live, "select-pane -t %%1 -T first");
	followed_run_ms(followed, 100);
	muxbus_sync_want_details(followed->sync, true);
	ok(followed_until_line(followed, "title_changed $0 @0 %%1 first"),
	    "a title is reported when details are wanted");
	live_tmux(live, "select-pane -t %%1 -T second");
	ok(followed_until_line(followed, "title_changed $0 @0 %%1 second"), "and the next");
	live_tmux(live, "select-pane -t %%1 -T 'a\\b 100%%'");
	/* tmux 3.8 doubles the backslash in the title itself. */
	ok(followed_until_line(followed, "title_changed $0 @0 %%1 %s",
	       live_tmux(live, "display-message -p -t %%1 '#{pane_title}'")),
	    "any text");
	for (unsigned i = 2; i <= 11; i++)
		live_tmux(live, "new-window -d 'exec sleep 1000'");
	ok(followed_until_line(followed, "pane_created $0 @10 %%11"), "many panes");
	for (unsigned i = 2; i <= 11; i++)
		live_tmux(live, "select-pane -t %%%u -T many", i);
	for (unsigned i = 2; i <= 11; i++)
		ok(followed_until_line(followed, "title_changed $0 @%u %%%u many", i - 1, i),
		    "one of many");
	muxbus_sync_want_details(followed->sync, false);
	finish(followed);
}

/* A program in the pane sets the title; tmux runs no command for it. */
static void write_title(struct followed *followed, uint32_t id, const char *title)
{
	int fd = open(pane(followed, id)->tty, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || dprintf(fd, "\033]2;%s\033\\", title) < 0)
		diag("pane %%%u has no terminal to write to", id);
	if (fd >= 0)
		close(fd);
}

/* The terminal seems not to have been written to for a minute. */
static void make_old(struct followed *followed, uint32_t id)
{
	const struct timespec times[] = {{.tv_sec = time(NULL) - 60}, {.tv_sec = time(NULL) - 60}};
	if (utimensat(AT_FDCWD, pane(followed, id)->tty, times, 0) != 0)
		diag("the time of pane %%%u cannot be set", id);
}

/* Refreshes until the titles of the panes are this one: tmux reads their terminals in its time. */
static bool titles_come(struct followed *followed, uint32_t from, uint32_t to, const char *title)
{
	int64_t end_ms = clock_mono_ms() + LIVE_TIMEOUT_MS;
	uint32_t id = from;
	while (id <= to && clock_mono_ms() < end_ms && followed_refresh(followed)) {
		while (id <= to && strcmp(pane(followed, id)->title, title) == 0)
			id++;
	}
	return id > to;
}

/* A refresh lists the windows that were written to, or all if they are many. */
static void test_written(void)
{
	enum { WINDOWS = 12 };
	struct followed *followed = start(false);
	for (unsigned i = 1; i <= WINDOWS; i++)
		live_tmux(followed->live, "new-window -d 'exec sleep 1000'");
	ok(followed_until_line(followed, "pane_created $0 @%d %%%d", WINDOWS, WINDOWS), "windows");
	live_tmux(followed->live, "split-window -d -t @1 'exec sleep 1000'");
	ok(followed_until_line(followed, "pane_created $0 @1 %%%d", WINDOWS + 1),
	    "two panes in one");
	ok(followed_refresh(followed), "all are known");
	for (unsigned i = 2; i <= WINDOWS; i++)
		write_title(followed, i, "all");
	ok(titles_come(followed, 2, WINDOWS, "all"), "many programs set their titles");
	for (uint32_t i = 0; i <= WINDOWS + 1; i++)
		make_old(followed, i);
	for (uint32_t i = 1; i <= WINDOWS + 1; i += WINDOWS)
		write_title(followed, i, "one");
	ok(titles_come(followed, 1, 1, "one"), "one window has new titles");
	ok(titles_come(followed, WINDOWS + 1, WINDOWS + 1, "one"), "of both panes");
	ok(titles_come(followed, 2, WINDOWS, "all"), "and the others keep theirs");
	finish(followed);
}

static size_t output_len(const struct followed *followed, uint32_t id)
{
	const struct buf *output = map_get(&followed->outputs, id);
	return output == NULL ? 0 : output->len;
}

struct amount {
	struct followed *followed;
	uint32_t pane;
	size_t at_least;
};

static bool has_come(void *data)
{
	const struct amount *amount = data;
	return output_len(amount->followed, amount->pane) >= amount->at_least;
}

static bool comes(struct followed *followed, uint32_t id, size_t at_least)
{
	struct amount amount = {.followed = followed, .pane = id, .at_least = at_least};
	return followed_until(followed, has_come, &amount);
}

static void test_output(void)
{
	struct followed *followed = start(true);
	struct live *live = followed->live;
	const struct buf *output;
	live_tmux(live, "new-session -d -s other cat");
	live_tmux(live, "link-window -s main:0 -t other:5");
	ok(followed_until_line(followed, "window_linked $1 @0"), "a window in two sessions");
	followed_run_ms(followed, 200);
	live_tmux(live, "send-keys -t %%0 -l 0123456789");
	live_tmux(live, "send-keys -t %%0 Enter");
	ok(comes(followed, 0, 20), "its output comes");
	followed_run_ms(followed, 100);
	output = map_get(&followed->outputs, 0);
	is_mem(output->data, output->len, "0123456789\r\n0123456789\r\n", 24, "once");
	is_int((long long)pane(followed, 0)->output_offset, 24, "and is counted");

	live_tmux(live, "split-window -d -t main:0 'echo born; cat'");
	ok(followed_until_line(followed, "pane_created $0 @0 %%2"), "a pane is born");
	ok(comes(followed, 2, 6), "its first words come");
	output = map_get(&followed->outputs, 2);
	if (output != NULL)
		is_mem(output->data, output->len, "born\r\n", 6, "from the first byte");
	is_int(followed_count(followed, "gap %2"), 0, "and nothing is missing");

	live_tmux(live, "kill-session -t main");
	ok(followed_until_line(followed, "session_closed $0"), "the session of its owner goes");
	followed_run_ms(followed, 200);
	live_tmux(live, "send-keys -t %%0 Enter");
	ok(comes(followed, 0, 26), "the other session's connection continues the output");
	is_int(followed_count(followed, "gap %0"), 2, "after a gap, with a new start");
	finish(followed);
}

static const char flood[] = "yes 01234567890123456789012345678901234567890123456789 | head -c %u; "
			    "touch %s/done.%d; cat";

/* Output is switched on and off in the middle of a flood; tmux must not suffer. */
static void test_flood(void)
{
	struct followed *followed = start(false);
	struct live *live = followed->live;
	struct muxbus_sync_info info;
	char command[256];
	int64_t start_ms;
	followed->keeps_output = false;
	for (int i = 1; i <= 2; i++) {
		(void)snprintf(command, sizeof command, flood, 30000000, live->dir, i);
		live_tmux(live, "new-window -d '%s'", command);
	}
	ok(followed_until_line(followed, "pane_created $0 @2 %%2"), "two panes flood");
	for (int i = 0; i < 10; i++) {
		int wanted = 0;
		wanted += muxbus_sync_want_output(followed->sync, 1, true) == 0;
		wanted += muxbus_sync_want_output(followed->sync, 2, true) == 0;
		followed_run_ms(followed, 40);
		if (wanted != 2)
			diag("not wanted");
		(void)muxbus_sync_want_output(followed->sync, 1, false);
		followed_run_ms(followed, 20);
		(void)muxbus_sync_want_output(followed->sync, 2, false);
		followed_run_ms(followed, 20);
	}
	muxbus_sync_info(followed->sync, &info);
	ok(info.output_bytes > 10000, "%llu bytes came", (unsigned long long)info.output_bytes);
	is_int(info.reconnects, 0, "no connection was lost");
	is_int(info.output_connections, 0, "no output is wanted at the end");
	ok(followed_refresh(followed), "tmux answers");
	start_ms = live_now_ms();
	followed_free(followed);
	ok(live_now_ms() - start_ms < 1000, "it releases our client at once: %lld ms",
	    (long long)(live_now_ms() - start_ms));
	for (int i = 0; i < 600 && access(live->dir, F_OK) == 0; i++) {
		(void)snprintf(command, sizeof command, "%s/done.1", live->dir);
		if (access(command, F_OK) == 0) {
			command[strlen(command) - 1] = '2';
			if (access(command, F_OK) == 0)
				break;
		}
		live_sleep_ms(50);
	}
	is_int(access(command, F_OK), 0, "the programs ran to their end");
	is_str(live_tmux(live, "list-clients"), "", "no client is left");
	live_free(live);
}

static bool has_reconnected(void *data)
{
	const struct followed *followed = data;
	struct muxbus_sync_info info;
	muxbus_sync_info(followed->sync, &info);
	return info.reconnects > 0;
}

static void test_detached(void)
{
	struct followed *followed = start(false);
	struct live *live = followed->live;
	struct muxbus_sync_info info;
	followed_forget(followed);
	live_tmux(live, "detach-client -s main");
	ok(followed_until(followed, has_reconnected, followed),
	    "detached by a user, it reconnects");
	live_tmux(live, "split-window -d cat");
	ok(followed_until_line(followed, "pane_created $0 @0 %%1"), "and reports changes again");
	is_int(followed_count(followed, "state"), 0, "the server was never lost");
	muxbus_sync_info(followed->sync, &info);
	is_int((long long)info.reconnects, 1, "that was one reconnect");
	finish(followed);
}

/* The client moves to another session when its own ends: the session is not followed twice. */
static void test_hopping(void)
{
	struct followed *followed = start(true);
	struct live *live = followed->live;
	struct muxbus_sync_info info;
	live_tmux(live, "set-option -g detach-on-destroy off");
	live_tmux(live, "new-session -d -s other cat");
	ok(followed_until_line(followed, "pane_created $1"), "a second session");
	followed_run_ms(followed, 100);
	live_tmux(live, "kill-session -t other");
	ok(followed_until_line(followed, "session_closed $1"), "it goes");
	live_tmux(live, "send-keys -t %%0 x Enter");
	ok(comes(followed, 0, 6), "output of the first still comes");
	followed_run_ms(followed, 200);
	is_int((long long)output_len(followed, 0), 6, "once");
	muxbus_sync_info(followed->sync, &info);
	is_int(info.connections, 1, "one connection is left");
	live_tmux(live, "switch-client -c client-%d -t main",
	    atoi(live_tmux(live, "list-clients -F '#{client_pid}'")));
	live_tmux(live, "split-window -d cat");
	ok(followed_until_line(followed, "pane_created $0 @0 %%2"), "it goes on");
	finish(followed);
}

static void test_server(void)
{
	struct live *live = live_new(tmux_path);
	struct followed *followed = followed_new_searching(live, false);
	int64_t start_ms;
	ok(followed_until_line(followed, "state searching"), "there is no server");
	live_start_tmux(live, "cat");
	start_ms = live_now_ms();
	ok(followed_until_line(followed, "state live"), "there is one");
	ok(live_now_ms() - start_ms < 1000, "seen after %lld ms",
	    (long long)(live_now_ms() - start_ms));
	followed_forget(followed);
	live_tmux(live, "kill-server");
	ok(followed_until_line(followed, "session_closed $0"), "it ends");
	ok(is_before(followed, "state searching", "pane_closed $0 @0 %0"),
	    "the loss is reported before what it closed");
	followed_forget(followed);
	live_start_tmux(live, "cat");
	ok(followed_until_line(followed, "state live"), "another takes its place");
	ok(followed_until_line(followed, "pane_created $0 @0 %%0"), "all is new");
	followed_forget(followed);
	(void)kill(live->server_pid, SIGKILL);
	ok(followed_until_line(followed, "state searching"), "it is killed");
	live_start_tmux(live, "cat");
	ok(followed_until_line(followed, "state live"), "and comes back");
	finish(followed);
}

static bool sees_person(void *data)
{
	const struct followed *followed = data;
	const struct muxbus_session *session = NULL;
	const struct muxbus_model *model = muxbus_sync_model(followed->sync);
	while ((session = muxbus_model_next_session(model, session)) != NULL) {
		if (session->attached > 0)
			return true;
	}
	return false;
}

static void test_unattached(void)
{
	struct followed *followed = start(false);
	struct live *live = followed->live;
	struct person person;
	live_tmux(live, "new-session -d -s short cat");
	ok(followed_until_line(followed, "session_created $1"), "a session");
	person = person_attach(live, "short");
	ok(followed_until(followed, sees_person, followed), "a user is attached");
	is_int(followed_count(followed, "client_attached $1"), 1, "which is reported");
	live_tmux(live, "set-option -t short destroy-unattached on");
	ok(followed_refresh(followed), "the session is to end with its last client");
	person_look(&person);
	person_leave(&person);
	ok(followed_until_line(followed, "session_closed $1"), "and does, in spite of us");
	is_int(
	    followed_count(followed, "client_detached"), 1, "the client's detaching is reported");

	person = person_attach(live, "main");
	ok(followed_until(followed, sees_person, followed), "a user is in the other session");
	live_tmux(live, "set-option -s exit-unattached on");
	ok(followed_refresh(followed), "the server is to end with its last client");
	person_look(&person);
	person_leave(&person);
	ok(followed_until_line(followed, "state searching"), "and does");
	ok(followed_until_line(followed, "session_closed $0"), "with all that was in it");
	finish(followed);
}

struct answer {
	const struct followed *followed;
	bool is_done;
	bool was_true;
	unsigned count;
};

static void on_created(void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct answer *answer = data;
	uint32_t id = 0;
	answer->is_done = true;
	answer->was_true = error == 0 && count == 1 &&
	    sscanf((const char *)replies[0].body, "%%%u", &id) == 1 &&
	    pane(answer->followed, id) != NULL;
}

static bool is_answered(void *data)
{
	return ((struct answer *)data)->is_done;
}

static void on_audited(void *data, int error, unsigned count, const char *difference)
{
	struct answer *answer = data;
	answer->is_done = true;
	answer->count = error == 0 ? count : 1000;
	if (difference != NULL)
		diag("%s", difference);
}

static unsigned audit(struct followed *followed)
{
	struct answer answer = {.followed = followed};
	if (muxbus_sync_audit(followed->sync, on_audited, &answer) != 0 ||
	    !followed_until(followed, is_answered, &answer))
		return 2000;
	return answer.count;
}

static void test_reading_back(void)
{
	struct followed *followed = start(false);
	struct answer answer = {.followed = followed};
	struct muxbus_command *command;
	if (muxbus_command_new(&command) != 0)
		return;
	muxbus_command_args(command, "split-window", "-d", "-P", "-F", "#{pane_id}", "cat", NULL);
	ok(muxbus_sync_run(followed->sync, command, true, on_created, &answer) == 0 &&
		followed_until(followed, is_answered, &answer),
	    "a command is answered");
	ok(answer.was_true, "and the model shows its effect");
	is_int(audit(followed), 0, "an audit finds no drift");
	live_tmux(followed->live, "new-window -d cat");
	is_int(audit(followed), 0, "nor while a change is announced");
	model_pane_entry(followed->sync->model, 0)->index = 9;
	is_int(audit(followed), 1, "a wrong model is detected");
	is_int(audit(followed), 0, "and corrected");
	finish(followed);
}

/* The answers of all that waits when a sync is stopped. */
struct waiting {
	unsigned answers;
	unsigned replies; /* whole ones: one for each command */
	unsigned before; /* answers before the stop was over */
	bool is_stopped;
	struct muxbus_sync *sync;
};
static void on_waiting_stopped(void *data);

static void on_waiting_reply(
    void *data, int error, const struct muxbus_reply *replies, size_t count)
{
	struct waiting *waiting = data;
	waiting->answers++;
	waiting->replies += count == 2 && error != 0 && replies[1].error != 0 &&
	    replies[1].body != NULL && replies[1].body_len == 0;
	muxbus_sync_stop(waiting->sync, on_waiting_stopped, waiting); /* once more, within it */
}

static void on_waiting_done(void *data, int error)
{
	((struct waiting *)data)->answers += error != 0;
}

static void on_waiting_capture(void *data, int error, const struct muxbus_capture *capture)
{
	(void)capture;
	on_waiting_done(data, error);
}

static void on_waiting_stopped(void *data)
{
	struct waiting *waiting = data;
	waiting->before = waiting->answers;
	waiting->is_stopped = true;
}

static bool is_stopped(void *data)
{
	return ((struct waiting *)data)->is_stopped;
}

static bool is_detached(void *data)
{
	struct muxbus_sync_info info;
	muxbus_sync_info(((struct followed *)data)->sync, &info);
	return info.connections == 0;
}

/* A command for ever, and one behind it. */
static void wait_for_ever(struct muxbus_sync *sync, bool read_back, struct waiting *waiting)
{
	struct muxbus_command *command;
	if (muxbus_command_new(&command) != 0)
		return;
	muxbus_command_args(command, "wait-for", "never", NULL);
	muxbus_command_next(command);
	muxbus_command_args(command, "list-panes", NULL);
	is_int(muxbus_sync_run(
		   sync, command, read_back, waiting != NULL ? on_waiting_reply : NULL, waiting),
	    0, "a command that waits");
}

static void test_stop(bool is_attached)
{
	struct followed *followed = start(false);
	struct muxbus_sync *sync = followed->sync;
	struct waiting waiting = {.sync = sync};
	struct muxbus_model_counts counts;
	muxbus_sync_want_details(sync, true);
	muxbus_sync_set_attached(sync, is_attached, NULL, NULL);
	ok(is_attached || followed_until(followed, is_detached, followed), "it is set");
	for (int i = 0; i < 3; i++)
		wait_for_ever(sync, i % 2 != 0, &waiting);
	wait_for_ever(sync, true, NULL);
	(void)muxbus_sync_refresh(sync, MUXBUS_PART_ALL, 0, on_waiting_done, &waiting);
	(void)muxbus_sync_capture(sync, 0, 0, 0, on_waiting_capture, &waiting);
	live_tmux(followed->live, "new-session -d cat ; new-session -d cat");
	if (!is_attached) /* connections that wait for each other */
		muxbus_sync_set_attached(sync, true, NULL, NULL);
	followed_run_ms(followed, 1);
	muxbus_sync_stop(sync, on_waiting_stopped, &waiting);
	muxbus_model_counts(muxbus_sync_model(sync), &counts);
	is_int(counts.panes, 0, "a sync that was stopped has no model");
	is_int(muxbus_sync_start(sync), MUXBUS_ERR_UNAVAILABLE, "and does not start meanwhile");
	ok(followed_until(followed, is_stopped, &waiting), "the stop is over");
	is_int(waiting.before, 5, "all that waited was answered before");
	is_int(waiting.replies, 3, "and each command has its reply");
	followed_forget(followed);
	is_int(muxbus_sync_start(sync), 0, "it starts again");
	ok(followed_until_line(followed, "pane_created $0 @0 %%0"), "and reports all as new");
	live_tmux(followed->live, "select-pane -t %%0 -T again");
	ok(followed_until_line(followed, "title_changed"), "and the details that were wanted");
	finish(followed);
}

static void test_idle(void)
{
	struct followed *followed = start(false);
	struct muxbus_sync_info before, after;
	int64_t end_ms;
	int turns = 0;
	for (int i = 0; i < 19; i++)
		live_tmux(followed->live, "new-window -d cat");
	followed_run_ms(followed, 6000); /* past the deadlines of commands that were answered */
	muxbus_sync_info(followed->sync, &before);
	end_ms = live_now_ms() + 3000;
	while (live_now_ms() < end_ms)
		turns += muxbus_loop_dispatch(followed->loop, 3000) != 0;
	muxbus_sync_info(followed->sync, &after);
	is_int(turns, 0, "with 20 quiet panes nothing wakes us");
	is_int((long long)(after.lists - before.lists), 0, "and no command is sent");
	finish(followed);
}

int main(void)
{
	const char *const *paths;
	for (paths = live_tmux_paths(); *paths != NULL; paths++) {
		tmux_path = *paths;
		diag("%s", tmux_path);
		test_life();
		test_closed_windows();
		test_exits();
		test_many_exits();
		test_fleeting();
		test_details();
		test_written();
		test_output();
		test_flood();
		test_detached();
		test_hopping();
		test_server();
		test_unattached();
		test_reading_back();
		test_stop(true);
		test_stop(false);
	}
	tmux_path = live_tmux_path();
	test_idle();
	return done_testing();
}
