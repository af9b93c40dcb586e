/* SPDX-License-Identifier: ISC */
/*
 * muxbus top, and muxbus home: a live screen of panes, jobs, timers, watches, queue and agents. The
 * terminal is in raw mode on its alternate screen, and is restored at the end, also if a signal of
 * `awaited` or `faults` ends the program. In a pipe, both print JSON. On a terminal, home prints an
 * overview if there is no daemon to ask or start, or if nothing can be drawn.
 */
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>

#include "cli/status_text.h"
#include "cli/top/top_feed.h"
#include "cli/top/top_frame.h"
#include "cli/verb.h"
#include "wire/address.h"

#define OVERVIEW_MAX ((size_t)1024 * 1024) /* bytes */
#define VERB_COLUMNS 8
#define TEXT_COLUMN (VERB_COLUMNS + 11) /* behind "  muxbus ", the verb and two blanks */

static const char *const common[] = {"ls", "top", "run", "logs", "send", "wait", "watch", "help"};

static void put_status(struct buf *out, struct cli *cli)
{
	struct link *link;
	struct buf hint;
	const struct json *status = ask_quietly(cli, "status", ASK_MUTE_MS, &link);
	if (status != NULL) {
		status_text(out, status, (size_t)screen_columns(STDOUT_FILENO), cli->has_color);
	} else {
		buf_init(&hint, OVERVIEW_MAX);
		(void)buf_printf(
		    &hint, "muxbusd %s: ", link != NULL ? "does not answer" : "is not running");
		cli_hint(&hint, cli, link != NULL ? "muxbus doctor" : locate_remedy(cli));
		screen_text_wrap(out, buf_text(&hint), (size_t)screen_columns(STDOUT_FILENO), 0, 0);
		buf_finish(&hint);
	}
	link_close(link);
}

static enum cli_status overview_run(struct cli *cli)
{
	size_t columns = (size_t)screen_columns(STDOUT_FILENO);
	struct buf out = BUF(OVERVIEW_MAX);
	put_status(&out, cli);
	(void)buf_append_byte(&out, '\n');
	for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
		(void)buf_printf(&out, "  muxbus %s%-*s%s  ",
		    screen_style(cli->has_color, SCREEN_NAME), VERB_COLUMNS, common[i],
		    screen_style(cli->has_color, SCREEN_PLAIN));
		screen_text_wrap(
		    &out, verb_find(common[i])->summary, columns, TEXT_COLUMN, TEXT_COLUMN);
	}
	cli_print(&out);
	return cli_flush(CLI_DONE);
}

enum { COLUMNS_MAX = 1000, ROWS_MAX = 500, WRITE_TIMEOUT_MS = 5000 };

/* Alternate screen, no cursor, no wrapping, mouse reports; and the reverse. */
static const char enter[] = "\033[?1049h\033[?25l\033[?7l\033[?1000h\033[?1006h\033[0m\033[2J";
static const char leave[] = "\033[0m\033[?1006l\033[?1000l\033[?7h\033[?25h\033[?1049l";

static const int awaited[] = {SIGWINCH, SIGCONT, SIGTSTP, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

static struct {
	volatile sig_atomic_t is_taken;
	struct termios before;
	int signal_fd;
} terminal = {.signal_fd = -1};

static int terminal_write(const void *bytes, size_t len)
{
	const char *at = bytes;
	while (len > 0) {
		ssize_t written = write(STDOUT_FILENO, at, len);
		if (written > 0) {
			at += written;
			len -= (size_t)written;
		} else if (written < 0 && errno == EAGAIN) {
			struct pollfd fd = {.fd = STDOUT_FILENO, .events = POLLOUT};
			if (poll(&fd, 1, WRITE_TIMEOUT_MS) <= 0)
				return -1;
		} else if (written < 0 && errno != EINTR) {
			return -1;
		}
	}
	return 0;
}

/* Restores the terminal if it was taken over. May be called in a signal handler. */
static void terminal_close(void)
{
	int error = errno;
	if (terminal.is_taken) {
		ssize_t written;
		terminal.is_taken = 0;
		/* The result does not matter, since the terminal may be gone. */
		written = write(STDOUT_FILENO, leave, sizeof leave - 1);
		(void)written;
		(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.before);
	}
	errno = error;
}

static void on_fault(int signal)
{
	terminal_close();
	(void)raise(signal); /* SA_RESETHAND was set, so the signal now ends us */
}

/* Takes over the terminal; also again, after this program was stopped and continued. */
static int take(void)
{
	struct termios raw;
	if (!terminal.is_taken && tcgetattr(STDIN_FILENO, &terminal.before) < 0)
		return -1;
	raw = terminal.before;
	cfmakeraw(&raw);
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) < 0)
		return -1;
	terminal.is_taken = 1;
	return terminal_write(enter, sizeof enter - 1);
}

static void watch_signals(void)
{
	struct sigaction action = {.sa_handler = on_fault, .sa_flags = (int)SA_RESETHAND};
	sigset_t set;
	(void)sigemptyset(&set);
	for (size_t i = 0; i < sizeof awaited / sizeof awaited[0]; i++)
		(void)sigaddset(&set, awaited[i]);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	terminal.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		(void)sigaction(faults[i], &action, NULL);
}

static int terminal_open(void)
{
	if (take() < 0)
		return -1;
	(void)atexit(terminal_close);
	watch_signals();
	return terminal.signal_fd < 0 ? -1 : 0;
}

/* Restores the terminal, stops the program as C-z does, and takes over again on SIGCONT. */
static void terminal_suspend(void)
{
	terminal_close();
	/* SIGTSTP is blocked here; a shell treats SIGSTOP in the same way. */
	(void)raise(SIGSTOP);
	(void)take(); /* if this fails, the next read fails too */
}

static void terminal_size(unsigned *ret_columns, unsigned *ret_rows)
{
	struct winsize size = {0};
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0 || size.ws_row == 0) {
		size.ws_col = 80;
		size.ws_row = 24;
	}
	*ret_columns = size.ws_col < COLUMNS_MAX ? size.ws_col : COLUMNS_MAX;
	*ret_rows = size.ws_row < ROWS_MAX ? size.ws_row : ROWS_MAX;
}

/* Returns the next signal (SIGWINCH, SIGCONT, SIGTSTP, or one that ends the program), or 0. */
static int terminal_signal(void)
{
	struct signalfd_siginfo info;
	ssize_t len = read(terminal.signal_fd, &info, sizeof info);
	return len == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

static void terminal_die(int signal)
{
	sigset_t set;
	struct sigaction action = {.sa_handler = SIG_DFL};
	terminal_close();
	(void)sigaction(signal, &action, NULL);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, signal);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	(void)raise(signal);
	_exit(128 + signal);
}

enum {
	TICK_MS = 1000, /* ages on the screen advance at this interval */
	ESCAPE_MS = 50, /* bytes that follow an ESC within this time belong to its sequence */
	OUT_MAX = 16 * 1024 * 1024,
};

struct top {
	struct top_model model;
	struct top_view view;
	struct top_feed *feed;
	struct top_keys keys;
	struct top_frame shown, frame;
	struct buf out;
	bool is_stale; /* the terminal's content is unknown: draw everything */
	bool is_over;
	bool picks; /* end after showing a pane to the user */
};

/* Prints the status and all lists that the daemon knows as one JSON object. */
static enum cli_status print_snapshot(struct link *link)
{
	struct json_writer writer;
	struct buf out;
	enum cli_status status = CLI_DONE;
	bool has_missing = false; /* the missing hosts of a list were written */
	json_start_object(&writer, &out, LINK_LINE_MAX);
	for (size_t i = TOP_HOME; i < TOP_LIST_COUNT_; i++) {
		const char *member = top_tables[i].member;
		const char *method = i == TOP_HOME ? "status" : top_tables[i].method;
		const struct json *missing;
		struct link_answer answer;
		enum link_read read = link_ask(link, method, NULL, ASK_TIMEOUT_MS, &answer);
		if (read != LINK_LINE) {
			buf_finish(&out);
			return ask_say_read(read);
		}
		if (member == NULL && answer.result != NULL)
			json_put_value(&writer, method, answer.result);
		else if (json_member(answer.result, member) != NULL)
			json_put_value(&writer, member, json_member(answer.result, member));
		missing = json_member(answer.result, "missing");
		if (missing != NULL && !has_missing)
			json_put_value(&writer, "missing", missing);
		has_missing = has_missing || missing != NULL;
	}
	json_object_end(&writer);
	if (fwrite(out.data, 1, out.len, stdout) == out.len)
		(void)fputc('\n', stdout);
	status = cli_flush(status);
	buf_finish(&out);
	return status;
}

static void resize(struct top *top)
{
	terminal_size(&top->view.columns, &top->view.rows);
	top->is_stale = true;
}

static void show(struct top *top)
{
	struct top_frame shown;
	top_frame_draw(&top->frame, &top->view, &top->model, clock_real_ms());
	buf_clear(&top->out);
	top_frame_update(&top->out, top->is_stale ? NULL : &top->shown, &top->frame);
	shown = top->shown;
	top->shown = top->frame;
	top->frame = shown;
	top->is_stale = false;
	if (top->out.len > 0 && terminal_write(top->out.data, top->out.len) < 0)
		top->is_over = true;
}

static void on_signal(struct top *top, int signal)
{
	if (signal == SIGWINCH) {
		resize(top);
	} else if (signal == SIGTSTP) {
		terminal_suspend();
		resize(top);
	} else if (signal == SIGCONT) {
		(void)take();
		resize(top);
	} else {
		terminal_die(signal);
	}
}

static void change(struct top *top, enum top_action action)
{
	const struct top_item *item = top_view_chosen(&top->view, &top->model);
	if (item == NULL)
		return;
	if (action == TOP_STOP)
		top_feed_stop(top->feed, item->list, item->id);
	else if (action == TOP_ANSWER)
		top_feed_answer(top->feed, item, top->view.answer);
	else if (item->pane != NULL && action == TOP_GO)
		top_feed_go(top->feed, item->pane);
	else if (item->pane != NULL)
		top_feed_send(top->feed, item->pane, top->view.answer);
}

static void on_action(struct top *top, enum top_action action)
{
	switch (action) {
	case TOP_NOTHING:
	case TOP_CHANGED:
		break;
	case TOP_QUIT:
		top->is_over = true;
		break;
	case TOP_SUSPEND:
		on_signal(top, SIGTSTP);
		break;
	case TOP_REDRAW:
		resize(top);
		break;
	case TOP_RESUME:
		top_feed_refresh(top->feed);
		break;
	case TOP_GO:
	case TOP_STOP:
	case TOP_ANSWER:
	case TOP_SEND:
		change(top, action);
		break;
	}
}

static void read_keys(struct top *top, bool is_late)
{
	struct top_key key;
	while (!top->is_over && top_keys_next(&top->keys, is_late, &key))
		on_action(top, top_view_key(&top->view, &top->model, &key));
}

static void read_terminal(struct top *top)
{
	char bytes[128];
	ssize_t len = read(STDIN_FILENO, bytes, sizeof bytes);
	if (len > 0)
		top_keys_feed(&top->keys, bytes, (size_t)len);
	else if (len == 0 || (errno != EAGAIN && errno != EINTR))
		top->is_over = true;
	read_keys(top, false);
}

static int wait_ms(const struct top *top, int64_t now_ms)
{
	int64_t wait = top_feed_wait_ms(top->feed, now_ms);
	int64_t tick = top->view.is_paused ? INT32_MAX : TICK_MS;
	wait = wait < tick ? wait : tick;
	return top->keys.len > 0 && wait > ESCAPE_MS ? ESCAPE_MS : (int)wait;
}

static void run(struct top *top)
{
	bool is_due = true; /* the screen may have changed */
	while (!top->is_over) {
		struct pollfd fds[] = {
		    {.fd = STDIN_FILENO, .events = POLLIN},
		    {.fd = terminal.signal_fd, .events = POLLIN},
		    {.fd = top_feed_fd(top->feed), .events = POLLIN},
		};
		int ready;
		is_due |= top_feed_step(top->feed, clock_mono_ms());
		if (top->picks && top_feed_has_gone(top->feed))
			return;
		if (is_due)
			show(top);
		ready = poll(fds, 3, wait_ms(top, clock_mono_ms()));
		is_due = ready == 0 || fds[0].revents || fds[1].revents;
		if (ready == 0 && top->keys.len > 0)
			read_keys(top, true);
		for (int signal; fds[1].revents && (signal = terminal_signal()) != 0;)
			on_signal(top, signal);
		if (fds[0].revents)
			read_terminal(top);
	}
}

/* Writes the path of the file that home touches at its end; "" if there is none. */
static void looked_path(const struct cli *cli, char out[PATH_MAX])
{
	char folder[PATH_MAX - sizeof "/looked"];
	*out = '\0';
	if (!cli->is_fleet && !remote_is(cli) &&
	    address_state(folder, sizeof folder, cli->tmux_socket) == 0)
		(void)snprintf(out, PATH_MAX, "%s/looked", folder);
}

static int64_t read_looked(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 ? (int64_t)status.st_mtim.tv_sec * 1000 : 0;
}

/* Makes the file or sets its time, unless the daemon's state directory is missing. */
static void note_looked(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	(void)futimens(fd, NULL); /* if this fails, old items may be shown again */
	(void)close(fd);
}

static enum cli_status run_screen(
    struct cli *cli, struct link *link, enum top_list list, bool picks)
{
	struct top top = {.picks = picks};
	const char *home = address_home();
	char looked[PATH_MAX];
	enum cli_status status = CLI_DONE;
	top_model_init(&top.model, cli->is_fleet ? "fleet" : str_last_part(cli->tmux_socket));
	looked_path(cli, looked);
	top.model.looked_ms = read_looked(looked);
	(void)snprintf(top.model.home, sizeof top.model.home, "%s", home != NULL ? home : "");
	top_view_init(&top.view, 80, 24);
	top.view.list = list;
	(void)locate_own_pane(cli, top.view.own_pane, sizeof top.view.own_pane);
	top.view.has_style = true;
	top.view.has_color = cli->has_color;
	buf_init(&top.out, OUT_MAX);
	top.feed = top_feed_new(cli, link, &top.model, &top.view);
	if (!screen_has_cursor(STDOUT_FILENO)) {
		status = cli_usage("top", "this terminal is too simple; --json prints a snapshot");
	} else if (terminal_open() < 0) {
		terminal_close();
		cli_error("the terminal: %s", strerror(errno));
		status = CLI_NO;
	} else {
		resize(&top);
		run(&top);
		terminal_close();
		if (list == TOP_HOME)
			note_looked(looked);
	}
	top_feed_free(top.feed);
	top_frame_finish(&top.shown);
	top_frame_finish(&top.frame);
	top_view_finish(&top.view);
	top_model_finish(&top.model);
	buf_finish(&top.out);
	return status;
}

static bool has_daemon(const struct cli *cli)
{
	return cli->is_fleet || remote_is(cli) || access(cli->socket, F_OK) == 0 ||
	    (!cli->has_socket && locate_tmux_runs(cli));
}

static enum cli_status show_list(struct cli *cli, enum top_list list, bool picks)
{
	enum cli_status status;
	struct link *link = ask_connect(cli);
	if (link == NULL)
		return CLI_UNREACHABLE;
	if (!cli->wants_json && cli->is_terminal && isatty(STDIN_FILENO))
		return run_screen(cli, link, list, picks);
	status = print_snapshot(link);
	link_close(link);
	return status;
}

enum cli_status home_run(struct cli *cli, int argc, char **argv)
{
	enum cli_status status;
	if (!option_read(cli, argc, argv, NULL, NULL, NULL, &status))
		return status;
	if (cli->is_terminal &&
	    (!screen_has_cursor(STDOUT_FILENO) || !isatty(STDIN_FILENO) || !has_daemon(cli)))
		return overview_run(cli);
	return show_list(cli, TOP_HOME, false);
}

enum cli_status top_run(struct cli *cli, int argc, char **argv)
{
	static const struct option_row options[] = {{"pick", 0, OPTION_FLAG, 0, NULL}, {0}};
	enum cli_status status;
	bool picks = false;
	if (!option_read(cli, argc, argv, options, &picks, NULL, &status))
		return status;
	return show_list(cli, TOP_PANES, picks);
}
