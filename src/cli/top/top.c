/* SPDX-License-Identifier: ISC */
/* muxbus top: a live screen of panes, jobs, timers, watches, the queue and agents. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/ask.h"
#include "cli/option.h"
#include "cli/own_pane.h"
#include "cli/top/top_feed.h"
#include "cli/top/top_frame.h"
#include "cli/top/top_keys.h"
#include "cli/top/top_model.h"
#include "cli/top/top_terminal.h"
#include "cli/top/top_view.h"
#include "cli/verbs.h"

enum {
	TICK_MS = 1000, /* ages advance at this rate */
	ESCAPE_MS = 50, /* bytes after an ESC within this time belong to it */
	OUT_MAX = 16 * 1024 * 1024,
};

struct top {
	struct top_model model;
	struct top_view view;
	struct top_feed *feed;
	struct top_keys keys;
	struct top_frame shown;
	struct top_frame frame;
	struct buf out;
	bool is_stale; /* the content of the terminal is unknown */
	bool is_over;
	bool picks; /* ends when the user has gone to a pane */
};

static const char *const snapshot_methods[][2] = {
    {"status", NULL},
    {"list_panes", "panes"},
    {"list_jobs", "jobs"},
    {"list_timers", "timers"},
    {"list_watches", "watches"},
    {"list_notifications", "notifications"},
    {"list_agents", "agents"},
};

/* Prints all lists as one JSON object; lists that this daemon does not know are left out. */
static enum cli_status print_snapshot(struct link *link)
{
	struct json_writer writer;
	struct buf out;
	enum cli_status status = CLI_DONE;
	bool has_missing = false; /* hosts of the fleet: those of the first list */
	json_start_object(&writer, &out, LINK_LINE_MAX);
	for (size_t i = 0; i < sizeof snapshot_methods / sizeof snapshot_methods[0]; i++) {
		const char *method = snapshot_methods[i][0], *member = snapshot_methods[i][1];
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
	top_terminal_size(&top->view.columns, &top->view.rows);
	top->is_stale = true;
}

/* Draws the current state in one write; writes nothing if nothing changed. */
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
	if (top->out.len > 0 && top_terminal_write(top->out.data, top->out.len) < 0)
		top->is_over = true;
}

static void on_signal(struct top *top, int signal)
{
	if (signal == SIGWINCH) {
		resize(top);
	} else if (signal == SIGTSTP) {
		top_terminal_suspend();
		resize(top);
	} else if (signal == SIGCONT) {
		top_terminal_resume();
		resize(top);
	} else {
		top_terminal_die(signal);
	}
}

/* Shows the pane of the chosen item. */
static void go(struct top *top)
{
	const struct top_item *item = top_view_chosen(&top->view, &top->model);
	if (item != NULL && item->pane != NULL)
		top_feed_go(top->feed, item->pane);
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
		go(top);
		break;
	case TOP_STOP:
		if (top->view.chosen[top->view.list] != NULL)
			top_feed_stop(top->feed, top->view.list, top->view.chosen[top->view.list]);
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

/* The time to wait: for the end of an ESC, for the feed, or for ages to advance. */
static int wait_ms(const struct top *top, int64_t now_ms)
{
	int64_t wait = top_feed_wait_ms(top->feed, now_ms);
	int64_t tick = top->view.is_paused ? INT32_MAX : TICK_MS;
	wait = wait < tick ? wait : tick;
	return top->keys.len > 0 && wait > ESCAPE_MS ? ESCAPE_MS : (int)wait;
}

static void run(struct top *top)
{
	while (!top->is_over) {
		struct pollfd fds[] = {
		    {.fd = STDIN_FILENO, .events = POLLIN},
		    {.fd = top_terminal_signal_fd(), .events = POLLIN},
		    {.fd = top_feed_fd(top->feed), .events = POLLIN},
		};
		int ready;
		(void)top_feed_step(top->feed, clock_mono_ms());
		if (top->picks && top_feed_has_gone(top->feed))
			return;
		show(top);
		ready = poll(fds, 3, wait_ms(top, clock_mono_ms()));
		if (ready == 0 && top->keys.len > 0)
			read_keys(top, true);
		for (int signal; fds[1].revents && (signal = top_terminal_signal()) != 0;)
			on_signal(top, signal);
		if (fds[0].revents)
			read_terminal(top);
	}
}

/* The last part of the tmux socket's path: its name. */
static const char *server_name(const struct cli *cli)
{
	const char *slash = strrchr(cli->tmux_socket, '/');
	return slash != NULL ? slash + 1 : cli->tmux_socket;
}

static enum cli_status run_screen(struct cli *cli, struct link *link, bool picks)
{
	struct top top = {.picks = picks};
	const char *term = getenv("TERM"), *home = getenv("HOME");
	enum cli_status status = CLI_DONE;
	top_model_init(&top.model, cli->is_fleet ? "fleet" : server_name(cli));
	(void)snprintf(top.model.home, sizeof top.model.home, "%s", home != NULL ? home : "");
	top_view_init(&top.view, 80, 24);
	(void)own_pane(cli, top.view.own_pane, sizeof top.view.own_pane);
	top.view.has_style = true;
	top.view.has_color = cli->has_color;
	top_frame_init(&top.shown);
	top_frame_init(&top.frame);
	buf_init(&top.out, OUT_MAX);
	top.feed = top_feed_new(cli, link, &top.model, &top.view);
	if (term == NULL || !*term || strcmp(term, "dumb") == 0) {
		status = cli_usage("top", "this terminal is too simple; --json prints a snapshot");
	} else if (top_terminal_open() < 0) {
		top_terminal_close();
		cli_error("the terminal: %s", strerror(errno));
		status = CLI_NO;
	} else {
		resize(&top);
		run(&top);
		top_terminal_close();
	}
	top_feed_free(top.feed);
	top_frame_finish(&top.shown);
	top_frame_finish(&top.frame);
	top_view_finish(&top.view);
	top_model_finish(&top.model);
	buf_finish(&top.out);
	return status;
}

enum cli_status top_run(struct cli *cli, int argc, char **argv)
{
	static const struct option_row options[] = {{"pick", 0, OPTION_FLAG, 0, NULL}, {0}};
	enum cli_status status;
	struct link *link;
	bool picks = false;
	if (!option_read(cli, argc, argv, options, &picks, NULL, &status))
		return status;
	link = ask_connect(cli);
	if (link == NULL)
		return CLI_UNREACHABLE;
	if (!cli->wants_json && cli->is_terminal && isatty(STDIN_FILENO))
		return run_screen(cli, link, picks);
	status = print_snapshot(link);
	link_close(link);
	return status;
}
