/* SPDX-License-Identifier: ISC */
/*
 * tmux behaves with the daemon attached as without it. Two servers run the same script, one of
 * them with muxbusd and a busy peer; everything visible to a user must then be the same, except
 * $MUXBUS and the unavoidable differences of control-mode.md 2.5 (session_attached, focus, the log
 * of messages, which session a bare attach picks).
 */
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "guardian.h"
#include "harness.h"

/* The actions of a user; one tmux command a line. */
static const char *const script[] = {
    "set-option -g status-left 'mine'",
    "set-option -g history-limit 5000",
    "set-option -g update-environment 'DISPLAY SSH_AUTH_SOCK'",
    "set-option -g focus-events on",
    "set-option -g monitor-bell on",
    "set-option -s escape-time 10",
    /* Else tmux takes keys that come within a millisecond for a paste. */
    "set-option -g assume-paste-time 0",
    "set-option -s command-alias[100] 'zz=list-keys'",
    "set-environment -g COLOUR blue",
    "set-hook -g after-new-window 'set-environment -g HOOKED yes'",
    "set-hook -g client-attached 'set-environment -g ATTACHED yes'",
    "set-hook -gu client-attached",
    "bind-key -T prefix Y display-message hello",
    "bind-key -T mine k send-keys up",
    "set-buffer -b first 'some text'",
    "set-buffer 'automatic text'",
    "new-window -d -n second 'exec sleep 3600'",
    "split-window -d -h -t main:second 'exec sleep 3600'",
    "split-window -d -v -t main:second 'exec sleep 3600'",
    "select-layout -t main:second tiled",
    "new-session -d -s other -x 90 -y 30 'exec sleep 3600'",
    "set-environment -t other SHAPE round",
    "rename-window -t other:0 named",
    "link-window -d -s main:second -t other:7",
    "swap-pane -s main:second.0 -t main:second.2",
    "resize-pane -t main:second.0 -x 20",
    "set-option -p -t main:second.0 remain-on-exit on",
    "set-option -w -t main:second window-status-format X",
    "kill-window -t main:0",
    "new-window -t main:0 -n first 'exec sleep 3600'",
    "select-window -t main:second",
    "last-window -t main",
};

/* The views that are then compared. */
static const struct {
	const char *what;
	const char *command;
} views[] = {
    {"server options", "show-options -s"},
    {"global options", "show-options -g"},
    {"window options", "show-options -gw"},
    {"options of a session", "show-options -t other"},
    {"options of a window", "show-options -w -t main:second"},
    {"options of a pane", "show-options -p -t main:second.0"},
    {"global environment", "show-environment -g | grep -v -e ^MUXBUS="},
    {"environment of a session", "show-environment -t main"},
    {"environment of another", "show-environment -t other"},
    {"keys", "list-keys"},
    {"keys of a table", "list-keys -T mine"},
    {"buffers", "list-buffers -F '#{buffer_name} #{buffer_size} #{buffer_sample}'"},
    {"global hooks", "show-hooks -g"},
    {"window hooks", "show-hooks -gw"},
    {"hooks of a session", "show-hooks -t main"},
    {"sessions",
	"list-sessions -F '#{session_id} #{session_name} #{session_windows} #{session_group}'"},
    {"windows",
	"list-windows -a -F '#{session_name} #{window_id} #{window_index} #{window_name}"
	" #{window_flags} #{window_width}x#{window_height} #{window_layout}'"},
    {"panes",
	"list-panes -a -F '#{session_name} #{pane_id} #{pane_index} #{pane_width}x#{pane_height}"
	" #{pane_active} #{pane_dead} #{pane_in_mode} #{pane_pipe} #{history_limit}'"},
    {"terminal clients",
	"list-clients -F '#{client_control_mode} #{client_width}x#{client_height}"
	" #{client_session} #{client_flags} #{client_key_table}' | grep -v ^1"},
};

/* A person at a terminal: "tmux attach" on a pty that is read all the time. */
struct terminal {
	pid_t pid;
	pid_t reader;
	int fd;
};

static struct terminal terminal_new(struct live *live, int columns, int rows, const char *attach)
{
	struct terminal terminal;
	struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
	(void)fflush(stdout);
	terminal.pid = forkpty(&terminal.fd, NULL, NULL, &size);
	if (terminal.pid == 0) {
		char *command =
		    xasprintf("unset TMUX; cd %s; TERM=xterm exec '%s' -S '%s' -f /dev/null %s",
			live->dir, live->tmux, live->tmux_socket, attach);
		(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	guardian_process(terminal.pid);
	terminal.reader = fork();
	if (terminal.reader == 0) {
		char bytes[4096];
		while (read(terminal.fd, bytes, sizeof bytes) > 0)
			;
		_exit(0);
	}
	guardian_process(terminal.reader);
	return terminal;
}

static void terminal_resize(struct terminal *terminal, int columns, int rows)
{
	struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
	(void)ioctl(terminal->fd, TIOCSWINSZ, &size);
}

/* Not faster than people: tmux takes keys within a millisecond for a paste. */
static void terminal_type(struct terminal *terminal, const char *keys)
{
	for (const char *key = keys; *key != '\0'; key++) {
		if (write(terminal->fd, key, 1) != 1)
			diag("the terminal is gone");
		live_sleep_ms(30);
	}
}

/* The daily work of a daemon, so that the comparison covers more than its presence. */
static void be_busy(struct talk *talk)
{
	static const char *const requests[][2] = {
	    {"list_panes", "{}"},
	    {"list_windows", "{}"},
	    {"list_sessions", "{}"},
	    {"capture_pane", "{\"pane_id\":\"main\",\"history\":true}"},
	    {"find_text", "{\"pane\":\"main\",\"regex\":\"x\"}"},
	    {"run_tmux", "{\"command\":[\"display-message\",\"-p\",\"#{pane_id}\"]}"},
	};
	for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
		const struct json *response = talk_call_json(talk, requests[i][0], requests[i][1]);
		if (at(response, "result") == NULL)
			diag("%s: %s", requests[i][0], talk_text(talk));
	}
}

static void compare_views(struct live *with, struct live *without, const char *when)
{
	for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
		char *expected = xstrdup(live_tmux(without, "%s", views[i].command));
		char *got = xstrdup(live_tmux(with, "%s", views[i].command));
		char *place;
		/* The two servers use different directories, whose names have the same length. */
		while ((place = strstr(got, with->dir)) != NULL)
			memcpy(place, without->dir, strlen(without->dir));
		is_str(
		    got, expected, "tmux %s, %s: the same %s", with->version, when, views[i].what);
		mem_free(got);
		mem_free(expected);
	}
}

/* Each expects the same on both servers. */
static void both(struct live *with, struct live *without, const char *want, const char *command,
    const char *what)
{
	ok(live_tmux_until(without, want, "%s", command), "tmux %s, without: %s", with->version,
	    what);
	ok(live_tmux_until(with, want, "%s", command), "tmux %s, with the daemon: %s",
	    with->version, what);
}

/*
 * The log contains the daemon's commands, but no message of its own. A window or session may close
 * before tmux comes to list it; tmux then logs its answer to that command.
 */
static bool messages_are_like(struct live *with, struct live *without)
{
	static const char filter[] =
	    "show-messages | sed -n 's/.* message: //p'"
	    " | grep -v -x \"can't find \\(window: @\\|session: [$]\\)[0-9]*\"";
	const char *expected = live_tmux(without, filter);
	const char *got = live_tmux(with, filter);
	if (strcmp(got, expected) != 0)
		diag("with: %s\nwithout: %s", got, expected);
	return strcmp(got, expected) == 0;
}

static void test_terminals(struct live *with, struct live *without)
{
	const char *size = "display-message -p -t main '#{window_width}x#{window_height}'";
	struct terminal a = terminal_new(with, 100, 31, "attach -t main");
	struct terminal b = terminal_new(without, 100, 31, "attach -t main");
	both(with, without, "100x30", size, "a window takes the size of its terminal");
	terminal_resize(&a, 70, 21);
	terminal_resize(&b, 70, 21);
	both(with, without, "70x20", size, "and follows it");
	terminal_type(&a, "\002Y");
	terminal_type(&b, "\002Y");
	terminal_type(&a, "\002c");
	terminal_type(&b, "\002c");
	both(with, without, "3", "list-windows -t main | wc -l", "a key makes a window");
	terminal_type(&a, "\002&y");
	terminal_type(&b, "\002&y");
	both(with, without, "2", "list-windows -t main | wc -l", "a key kills it");
	compare_views(with, without, "with a person attached");
	ok(messages_are_like(with, without), "tmux %s: the log of messages has only more commands",
	    with->version);
	terminal_type(&a, "\002d");
	terminal_type(&b, "\002d");
	both(with, without, "0", "list-clients -F '#{client_control_mode}' | grep -c -v 1",
	    "a key detaches");
}

/* A lone person who only watches still gets their size: the trap of clients without ignore-size. */
static void test_read_only(struct live *with, struct live *without)
{
	const char *size = "display-message -p -t other '#{window_width}x#{window_height}'";
	struct terminal a = terminal_new(with, 110, 41, "attach -r -t other");
	struct terminal b = terminal_new(without, 110, 41, "attach -r -t other");
	both(with, without, "110x40", size, "attach -r alone sets the size");
	compare_views(with, without, "with a spectator");
	(void)kill(a.pid, SIGHUP);
	(void)kill(b.pid, SIGHUP);
	both(with, without, "0", "list-clients -F '#{client_control_mode}' | grep -c -v 1",
	    "the spectator leaves");
}

static void test_version(const char *tmux)
{
	struct live *with = live_new(tmux);
	struct live *without = live_new(tmux);
	const char *environment;
	char *expected;
	struct talk *talk;
	live_start_tmux(with, "exec sleep 3600");
	live_start_tmux(without, "exec sleep 3600");
	live_start_daemon(with, NULL);
	talk = talk_new(with);
	talk_call(talk, "subscribe", "{\"output\":true}");
	for (size_t i = 0; i < sizeof script / sizeof script[0]; i++) {
		char *out = xstrdup(live_tmux(without, "%s", script[i]));
		int status = without->status;
		is_str(
		    live_tmux(with, "%s", script[i]), out, "tmux %s: %s", with->version, script[i]);
		if (with->status != status)
			diag("status %d instead of %d", with->status, status);
		mem_free(out);
		if (i % 5 == 0)
			be_busy(talk);
	}
	be_busy(talk);
	compare_views(with, without, "nobody attached");
	test_terminals(with, without);
	test_read_only(with, without);

	environment = live_tmux(with, "show-environment -g MUXBUS");
	expected = xasprintf("MUXBUS=%s", with->socket);
	is_str(environment, expected, "tmux %s: $MUXBUS is set for new panes", with->version);
	mem_free(expected);
	talk_free(talk);
	(void)live_stop_daemon(with, SIGTERM);
	is_str(
	    live_tmux(with, "list-clients"), "", "tmux %s: nothing stays attached", with->version);
	compare_views(with, without, "after the daemon");
	live_free(with);
	live_free(without);
}

int main(void)
{
	const char *const *paths = live_tmux_paths();
	(void)live_daemon_path();
	for (; *paths != NULL; paths++)
		test_version(*paths);
	return done_testing();
}
